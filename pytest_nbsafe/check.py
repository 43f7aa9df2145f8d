"""From paths and settings to a report: the one module that sees every room."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe import baseline as baselines
from pytest_nbsafe import config as configs
from pytest_nbsafe import order as orders
from pytest_nbsafe.absint.leakage import libraries
from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Cost, Finding, NotebookReport, Outcome, Report, Status, sort_key
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.notebook.plan import Plan
from pytest_nbsafe.order.cells import SKIP_TAGS
from pytest_nbsafe.paths import configuration, notebooks_in
from pytest_nbsafe.rules import evaluate, faults, filters, suppressions
from pytest_nbsafe.rules import nbs501_contract_broken as nbs501
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.page import may_raise, shows_failure
from pytest_nbsafe.rules.runs import exception, why
from pytest_nbsafe.trace import cellsets, lineage, staleness
from pytest_nbsafe.trace.model import CellResult, PlanResult, Suspicions, Trial
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.leak import Leak
    from pytest_nbsafe.notebook.recorded import Recorded
    from pytest_nbsafe.notebook.whatif import WhatIf
    from pytest_nbsafe.project import Project
    from pytest_nbsafe.runner.trial import TrialRun
    from pytest_nbsafe.trace.predictive import Power
    from pytest_nbsafe.trace.sessions import StepAnswer


@dataclass(frozen=True, slots=True)
class OrderReport:
    """The answer of `nbsafe order`: the plan that `config.order` asks for, and the others.

    `cells` are the stale, fresh and refresher cells once the plan has run.
    """

    notebook: Notebook
    plan: Plan
    orders: Mapping[str, Plan]
    verdict: str
    stats: Mapping[str, int]
    cells: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class WhatIfReport:
    """The answer of `nbsafe whatif`, and the order in which the notebook is taken to have run."""

    notebook: Notebook
    order: str
    answer: WhatIf


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """The answer of `nbsafe replay`: what is said after each step, and how well it foretells."""

    recorded: Recorded
    answers: tuple[StepAnswer, ...]
    powers: Mapping[str, Power]
    notes: tuple[str, ...]


def static_facts(notebook: Notebook, config: Config) -> tuple[Facts, Plan]:
    """Return what is known of a notebook before anything runs, and its top-down plan."""
    graph = graphs.build(notebook)
    plan = orders.plan(graph, config.order)
    clean = orders.plan(graph, "top-down")
    suspicions = Suspicions()  # of the page's own order nothing is suspected
    if plan.cells != clean.cells:
        suspicions = staleness.suspicions(
            graph,
            plan,
            lineage.static_records(graph, plan),
            lineage.static_records(graph, clean),
        )
    return Facts(
        notebook,
        config,
        graph,
        plan,
        suspicions,
        project=_project(notebook, config),
        leaks=_leaks(graph, config, plan, clean),
    ), clean


def _leaks(
    graph: graphs.Graph, config: Config, plan: Plan, clean: Plan
) -> Callable[[], tuple[tuple[Leak, str], ...]]:
    """Return what finds the leaks when a rule asks, and finds them once."""
    if config.leakage:
        from pytest_nbsafe.absint.leakage import knowledge

        knowledge.load(config.leakage)  # a table with a fault is told, whatever the notebook holds
    sources = (cell.source for cell in graph.notebook.code_cells)
    if not libraries.names_learning(sources, config.leakage):
        return tuple

    @cache
    def found() -> tuple[tuple[Leak, str], ...]:
        from pytest_nbsafe.absint.leakage.orders import leaks
        from pytest_nbsafe.rules import leaks as told

        notes = config.notes or bool(config.named or config.contracts)
        analyse = partial(leaks, graph, extra=config.leakage)
        return told.found(analyse, plan, clean, notes=notes)

    return found


def _seen_leaks(facts: Facts, trial: Trial) -> tuple[tuple[Leak, str], ...]:
    """Return the leaks of the text and what the run saw, as the user wants them."""
    config = facts.config
    in_text = () if config.leakage_mode == "runtime" else facts.leaks()
    if config.leakage_mode == "static":
        return in_text
    from pytest_nbsafe.rules import seen

    return seen.merged(in_text, trial, facts.notebook, config.leakage)


def _watched(config: Config) -> Mapping[str, Any] | None:
    """Return what the kernel is to watch of the libraries that learn, None for nothing."""
    if config.leakage_mode == "static":
        return None
    from pytest_nbsafe.rules import seen

    return seen.watched(config.leakage)


def _project(notebook: Notebook, config: Config) -> Project | None:
    """Return the project of a notebook that lies in a file, where a rule asks for it."""
    path = Path(notebook.path)
    asked = filters.is_asked("NBS408", config) or config.contracts
    if not asked or not path.is_file():
        return None
    from pytest_nbsafe import project

    return project.of(path)


# ------------------------------------------------------------------- one notebook


class NotebookSession:
    """One notebook under test: outcomes are computed when asked for, running what they need.

    `selected` are the cells that will be asked for; None, or none at all, means the whole
    notebook. A cell of a notebook whose plan is the page's own order is run when it is asked for;
    else the first outcome drives the whole trial.
    """

    def __init__(self, path: Path, config: Config, selected: Collection[int] | None = None) -> None:
        self.config = config
        self.notebook: Notebook | None = None
        self._path = path
        self._last = max(selected, default=None) if selected else None
        self._findings: tuple[Finding, ...] = ()
        self._known = 0
        self._facts: Facts | None = None
        self._run: TrialRun | None = None
        self._trial: Trial | None = None
        self._no_kernel = ""
        self._started = time.perf_counter()
        try:
            self.notebook = load.read(path)
        except load.Unreadable as error:
            finding = faults.unreadable(str(path), error.line, error.message, error.hint)
            self._take((finding,))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that are tested, in page order: none when another language is spoken."""
        return () if self.notebook is None or self._note else self.notebook.code_cells

    def outcome(self, cell: int) -> Outcome:
        """Return what a cell (or the notebook, 0) has to say, running as much as that needs.

        Of a notebook that could not be read every cell says just that.
        """
        if self.notebook is None:
            return replace(self._judged(0, None), cell=cell)
        if self._note:
            return Outcome(cell, "skipped", self._note)
        self._prepare(self.notebook)
        if self.config.static:
            return self._judged(cell, None)
        result = self._drive(cell)
        outcome = self._judged(cell, result)
        if self._no_kernel and cell and outcome.status == "passed":
            return replace(outcome, status="skipped", reason=self._no_kernel)
        return outcome

    def report(self) -> NotebookReport:
        """Return what became of the notebook so far."""
        status: Status = "passed"
        if self._note:
            status = "not-analysed"
        elif any(self._fails(f) for f in self._findings):
            status = "failed"
        trial = self._trial
        runs = [r for r in (trial.replay, trial.clean, trial.second) if r] if trial else []
        return NotebookReport(
            path=str(self._path),
            cells=len(self.notebook.cells) if self.notebook else 0,
            orders=tuple(dict.fromkeys(run.plan.order for run in runs)),
            status=status,
            duration_s=time.perf_counter() - self._started,
            note=self._note,
            costs=tuple(_cost(run) for run in runs),
            known=self._known,
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything found so far, sorted, notes only when they are asked for."""
        wanted = self.config
        return tuple(
            f
            for f in self._findings
            if f.severity != "note" or wanted.notes or f.code in wanted.named
        )

    def close(self) -> None:
        """Stop every kernel that is still up."""
        if self._run is not None:
            self._run.close()

    @property
    def _note(self) -> str:
        """Why the notebook is not analysed, empty when it is."""
        if self.notebook is not None and self.notebook.language != "python":
            return f"not analysed: its language is {self.notebook.language}, not Python"
        return ""

    def _prepare(self, notebook: Notebook) -> None:
        if self._facts is not None:
            return
        self._facts, clean = static_facts(notebook, self.config)
        self._take(evaluate(self._facts))
        if self.config.static or not clean.runs:
            return
        if notebook.python_major == 2 and any(f.code == "NBS902" for f in self._findings):
            self._no_kernel = "not run: this notebook holds Python 2 code"
            return
        self._run = _trial_run(self._facts, clean, self._path)

    def _drive(self, cell: int) -> CellResult | None:
        """Run as far as the cell needs, bring the findings up to date, return its clean result."""
        if self._run is None or self._no_kernel:
            return None
        from pytest_nbsafe.runner.session import KernelStartFailed, NoSuchKernel

        try:
            if self._trial is None and cell and not self._needs_whole_trial(self._run):
                return self._advance(self._run, cell)
            if self._trial is None:
                self._trial = self._run.finish(self._last)
                self._reconsider(self._trial)
        except NoSuchKernel as error:
            self._refused(faults.no_such_kernel(str(self._path), error.name, error.available))
            return None
        except KernelStartFailed as error:
            self._refused(faults.kernel_failed(str(self._path), str(error)))
            return None
        return self._trial.clean.last(cell) if cell else None

    def _needs_whole_trial(self, run: TrialRun) -> bool:
        """Return whether a cell can only be judged when all has run."""
        return run.replayed or run.may_ask_more or nbs501.needs(self.config) != "static"

    def _advance(self, run: TrialRun, cell: int) -> CellResult | None:
        """Run the page as far as one cell; the rules are asked again where something shows."""
        result = run.until(cell)
        if result is None:
            return None
        suspicious = any(f.location.cell == cell for f in self._findings)
        assert self.notebook is not None, "a notebook that was not read is not run"
        page = self.notebook.cell(cell)
        suspicious = suspicious or may_raise(page) or suppressions.silences(page)
        learned = result.evaluations or result.copies
        if result.status != "ok" or result.incidents or suspicious or learned:
            self._reconsider(run.so_far())
        return result

    def _reconsider(self, trial: Trial) -> None:
        """Ask the rules again, now that more has been seen."""
        assert self._facts is not None, "the static facts come first"
        self._take(
            evaluate(
                replace(
                    self._facts,
                    trial=trial,
                    suspicions=trial.suspicions,
                    leaks=partial(_seen_leaks, self._facts, trial),
                )
            )
        )

    def _refused(self, finding: Finding) -> None:
        self._no_kernel = finding.message
        self._take(tuple(sorted((*self._findings, finding), key=sort_key)))

    def _take(self, findings: tuple[Finding, ...]) -> None:
        """Keep what was found, without what the baseline knows."""
        self._findings = findings
        if self.config.baseline:
            known = baselines.read(Path(self.config.baseline))
            self._findings = baselines.new(known, self._path, findings)
        self._known = len(findings) - len(self._findings)

    def _fails(self, finding: Finding) -> bool:
        return finding.severity == "error" or (self.config.strict and finding.severity == "warning")

    def _judged(self, cell: int, result: CellResult | None) -> Outcome:
        found = tuple(f for f in self.findings if f.location.cell == cell)
        failing = next((f.message for f in found if self._fails(f)), "") or self._elsewhere(result)
        traceback = result.failure.traceback if result and result.failure else ""
        printed = _printed(result, "stdout"), _printed(result, "stderr")
        duration_s = result.duration_s if result else 0.0
        if failing:
            return Outcome(cell, "failed", failing, found, traceback, *printed, duration_s)
        reason = self._skipped(cell, result)
        return Outcome(
            cell,
            "skipped" if reason else "passed",
            reason,
            found,
            traceback,
            *printed,
            duration_s,
        )

    def _elsewhere(self, result: CellResult | None) -> str:
        """Return what a finding at another cell says of this cell's failure, empty if none does."""
        if result is None or result.status in {"ok", "skipped", "not-reached"}:
            return ""
        return next(
            (
                f"this cell {step.cause} ({finding.code}, told at cell {finding.location.cell})"
                for finding in self._findings
                if self._fails(finding)
                for step in finding.steps
                if step.cell == result.cell
            ),
            "",
        )

    def _skipped(self, cell: int, result: CellResult | None) -> str:
        """Return why a cell has not run, empty when it has (or nothing was to run)."""
        if result is not None:
            if result.status in {"skipped", "not-reached"}:
                return result.reason
            return self._untold(result)
        if not cell or self.notebook is None:
            return ""
        tag = next((t for t in self.notebook.cell(cell).tags if t in SKIP_TAGS), "")
        return f"tagged {tag}" if tag else ""

    def _untold(self, result: CellResult) -> str:
        """Return what went wrong in a cell whose finding is switched off: it is no pass."""
        assert self.notebook is not None, "a notebook that was not read is not run"
        page, raised = self.notebook.cell(result.cell), exception(result)
        if result.status == "ok" and raised is None:
            return ""
        if raised is not None and (may_raise(page) or shows_failure(page, raised)):
            return ""
        said = f"{raised.ename}: {raised.evalue}".rstrip(": ") if raised else why(result)
        return f"{said} (the finding that tells of it is switched off, or known)"


def _trial_run(facts: Facts, clean: Plan, path: Path) -> TrialRun:
    from pytest_nbsafe.runner.session import KernelSession
    from pytest_nbsafe.runner.trial import TrialRun

    def make_session() -> KernelSession:
        return KernelSession(
            facts.notebook,
            kernel=facts.config.kernel,
            timeout_s=facts.config.timeout_s,
            cwd=path.resolve().parent,
            trace=facts.config.trace,
            learning=_watched(facts.config),
            analyses=facts.graph.cells,
        )

    plan = facts.plan if orders.differs(facts.plan, clean) else None
    return TrialRun(facts.graph, plan, clean, facts.suspicions, make_session)


def _cost(run: PlanResult) -> Cost:
    return Cost(run.plan.order, run.duration_s, run.cpu_s)


def _printed(result: CellResult | None, stream: str) -> str:
    outputs = result.outputs if result else ()
    return "".join(o.text for o in outputs if o.kind == "stream" and o.name == stream)


# ------------------------------------------------------------------ many notebooks


def check(paths: Sequence[Path], settings: Mapping[str, Any]) -> Report:
    """Return what can be said of the notebooks without running anything.

    `settings` are the options given by hand (keys as in `[tool.nbsafe]`); they lie over each
    notebook's own configuration file.
    """
    return run(paths, {**settings, "static": True})


def run(
    paths: Sequence[Path],
    settings: Mapping[str, Any],
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Run the notebooks and return everything found; `progress(path, cell, cells)` may be told."""
    findings: list[Finding] = []
    notebooks: list[NotebookReport] = []
    for path in notebooks_in(paths):
        found, notebook = one(path, configuration(path, settings), progress)
        findings.extend(found)
        notebooks.append(notebook)
    return Report(tuple(sorted(findings, key=sort_key)), tuple(notebooks))


def one(
    path: Path, config: Config, progress: Callable[[str, int, int], None] | None = None
) -> tuple[tuple[Finding, ...], NotebookReport]:
    """Run one notebook (or only look at it, as `config` says) and return what is found."""
    session = NotebookSession(path, config)
    try:
        cells = [] if config.static else [cell.number for cell in session.cells]
        for position, number in enumerate(cells, start=1):
            if progress is not None:
                progress(str(path), position, len(cells))
            session.outcome(number)
        session.outcome(0)
    finally:
        session.close()
    return session.findings, session.report()


def write_baseline(paths: Sequence[Path], settings: Mapping[str, Any]) -> tuple[Path, int]:
    """Check (or run) the notebooks, write what is found as the baseline, return file and number.

    The file is the one that `settings` name, else the one of the configuration here, else
    `nbsafe-baseline.json` in this folder.

    Raises:
        NbsafeError: as for `run`, or the file cannot be written.

    """
    here = configs.merge(configs.for_path(Path()), settings, "options")
    file = Path(here.baseline or baselines.DEFAULT)
    report = run(paths, {**settings, "baseline": ""})
    return file, baselines.write(file, notebooks_in(paths), report.findings)


def order(path: Path, settings: Mapping[str, Any]) -> OrderReport:
    """Return the plan for one notebook and why each step is there.

    Raises:
        NbsafeError: the notebook cannot be read, or is not Python.

    """
    notebook = _python_notebook(path)
    graph = graphs.build(notebook)
    plans: dict[str, Plan] = {name: orders.plan(graph, name) for name in orders.ORDERINGS}
    plan = orders.plan(graph, configuration(path, settings).order)
    same = plan.cells == plans["top-down"].cells
    stats = {
        "cells": len(graph.cells),
        "steps": len(plan.runs),
        "inferred_steps": (
            sum(not run.recorded for run in plan.runs) if plan.order == "inferred" else 0
        ),
        "unbound_reads": len(graphs.unbound(graph, plan.cells)),
    }
    state = lineage.replay(lineage.static_records(graph, plan)).end
    sets = cellsets.cell_sets(graph, plan, state)
    cells = {
        "stale": sorted(sets.stale),
        "fresh": sorted(sets.fresh),
        "refresher": sorted(sets.refreshers),
    }
    verdict = "top-down" if same else "out-of-order"
    return OrderReport(notebook, plan, plans, verdict, stats, cells)


def whatif(
    path: Path,
    settings: Mapping[str, Any],
    run: int,
    change: str | None = None,
    depth: int | None = 3,
) -> WhatIfReport:
    """Return what would follow if one cell of a notebook ran again after its plan.

    `change` restricts it to one name that the cell binds; up to `depth` runs of other cells come
    after it, however many when it is None.

    Raises:
        NbsafeError: the notebook cannot be read, is not Python, or has no such cell or name.

    """
    from pytest_nbsafe.absint import whatif as whatifs

    notebook = _python_notebook(path)
    graph = graphs.build(notebook)
    plan = orders.plan(graph, configuration(path, settings).order)
    return WhatIfReport(notebook, plan.order, whatifs.whatif(graph, plan, run, change, depth))


def replay(
    path: Path,
    settings: Mapping[str, Any],
    session: int | None = None,
    *,
    judge_each: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> ReplayReport:
    """Run a recorded session again and return what is stale after each step.

    `session` is that of a `history.sqlite`. `judge_each` asks for a clean run after every step, not
    only after the last. The session runs in a copy of the file's folder.

    Raises:
        NbsafeError: the file holds no such session, or no kernel can be started.

    """
    from pytest_nbsafe.notebook import sessionfile
    from pytest_nbsafe.runner.replay import Replay
    from pytest_nbsafe.runner.session import KernelSession, KernelStartFailed, NoSuchKernel
    from pytest_nbsafe.trace import predictive

    recorded = sessionfile.read(path, session)
    versions = sessionfile.versions(recorded)
    graph = graphs.build(versions.notebook)
    config = configuration(path, settings)

    def make_kernel(folder: Path, environ: Mapping[str, str]) -> KernelSession:
        return KernelSession(
            versions.notebook,
            kernel=config.kernel,
            timeout_s=config.timeout_s,
            cwd=folder,
            analyses=graph.cells,
            environ=environ,
        )

    folder = Path() if recorded.elsewhere else path.resolve().parent
    running = Replay(recorded, versions, graph.cells, make_kernel, folder, each=judge_each)
    answers = []
    try:
        for answer in running.steps():
            answers.append(answer)
            if progress is not None:
                progress(str(path), answer.step, len(recorded.steps))
    except NoSuchKernel as error:
        known = ", ".join(error.available) or "none"
        raise NbsafeError("no-kernel", str(error), f"--kernel takes one of: {known}") from error
    except KernelStartFailed as error:
        raise NbsafeError("no-kernel", str(error)) from error
    finally:
        running.close()
    powers = predictive.powers(recorded.page, answers)
    return ReplayReport(recorded, tuple(answers), powers, tuple(running.notes))


def _python_notebook(path: Path) -> Notebook:
    try:
        notebook = load.read(path)
    except load.Unreadable as error:
        raise NbsafeError(
            "unreadable", f"{path}, line {error.line}: {error.message}", error.hint
        ) from error
    if notebook.language != "python":
        raise NbsafeError("not-python", f"{path}: its language is {notebook.language}, not Python")
    return notebook


def explain(code: str) -> str:
    """Return the help text of a rule: what it finds, why it matters, a bad and a good example."""
    from pytest_nbsafe.rules.explain import explain as rule_help

    return rule_help(code)
