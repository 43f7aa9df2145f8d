"""One notebook under test: what each of its cells has to say, running what that needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_nbsafe.app import baseline as baselines
from pytest_nbsafe.app import (
    environments,
    lock,
    opening,
    other_languages,
    parameters,
    selection,
    several_runs,
)
from pytest_nbsafe.app.facts import leaks_after, static_facts
from pytest_nbsafe.app.inputs import working_folder
from pytest_nbsafe.app.notebook_verdict import compared, remarks, resumed, run_anew, verdict
from pytest_nbsafe.app.outcomes import late_findings, may_change_findings, outcome
from pytest_nbsafe.app.pages import page_of
from pytest_nbsafe.app.session_findings import SessionFindings
from pytest_nbsafe.config import Config
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.findings import (
    Cost,
    Finding,
    NotebookReport,
    Outcome,
    Report,
    Status,
    sort_key,
)
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, Notebook, runs_once
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.rules import evaluate, faults
from pytest_nbsafe.rules import nbs501_contract_broken as nbs501
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.listening import Listener, NobodyListens
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.runner.kept_session import KeptSession
    from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
    from pytest_nbsafe.runner.trial_run import TrialRun

_LEAKS = "NBS3"
NOBODY_LISTENS: Listener = NobodyListens()
Listen = Callable[[Path], Listener]
"""Gives who is told what runs in a notebook."""


def examine(
    path: Path,
    config: Config,
    listener: Listener = NOBODY_LISTENS,
    content: bytes | None = None,
    *,
    updates: bool = False,
    then: Callable[[NotebookSession], object] = id,
) -> Report:
    """Run one notebook (or only look at it, as `config` says) and return what is found.

    The session is given to `then` when it is over.
    """
    session = NotebookSession(path, config, listener=listener, content=content)
    session.updates = updates
    try:
        for cell in () if config.static else session.cells:
            session.outcome(cell.number)
        session.outcome(0)
    finally:
        session.close()
    report = Report(session.findings, (session.report(),))
    then(session)
    return report


def look(path: Path, config: Config) -> tuple[Report, Mapping[str, str]]:
    """Return what is found in a notebook without a run, and which of its modules were looked for.

    For each module it is said what was there: `ModuleFiles.answers`.
    """
    session = NotebookSession(path, config)
    session.outcome(0)
    return Report(session.findings, (session.report(),)), session.module_answers


class NotebookSession:
    """One notebook under test: outcomes are computed when asked for, running what they need.

    `selected` are the cells that will be asked for; None, or none at all, means the whole
    notebook. `no_kernel` says why nothing can run, once that is known, empty where it can.
    `listener` is told what runs, `content` stands for what is in the file; with `in_copy` all runs
    take place in copies of the folder. A cell of a notebook whose plan is the page's own order is
    run when it is asked for; else the first outcome drives the whole trial. Where `kept` is made a
    list, sessions of the page's own run wait in it. With `updates` new outputs are saved.

    Raises:
        NbsafeError: the lock file beside the notebook cannot be read, or the notebook cannot be
            run as its settings say.

    """

    def __init__(
        self,
        path: Path,
        config: Config,
        selected: Collection[int] | None = None,
        listener: Listener = NOBODY_LISTENS,
        content: bytes | None = None,
        *,
        in_copy: bool = False,
    ) -> None:
        self.config = config
        self._in_copy = in_copy
        self._listener = listener
        self.notebook: Notebook | None = None
        self._path = path
        self._locked = None if config.static else lock.of(path)
        self._selected = frozenset(selected or ())
        self._last = max(self._selected, default=None)
        self._left_out: frozenset[int] | None = None
        self._found = SessionFindings(path, config)
        self.kept: list[KeptSession] | None = None
        self.updates, self._updated = False, tuple[str, ...]()
        self.outcomes: dict[int, Outcome] = {}
        self.facts: Facts | None = None
        self._run: TrialRun | None = None
        self.trial: Trial | None = None
        self._environment: Environment | None = None
        self._temporaries: list[TemporaryFolder] = []
        self.no_kernel, self._forgets = "", False
        self.reuse = Reuse()
        self._copies = FolderCopies(working_folder(path, config))
        self._started = time.perf_counter()
        self._note, self._runs = "", True
        try:
            page = load.read(path, config.libraries, config.most_mb, content)
            self._whole = self.notebook = parameters.given(page, config)
            self._note = other_languages.note(self.notebook, config)
            self._runs = other_languages.runs(self.notebook, config)
        except load.Unreadable as error:
            finding = faults.unreadable(str(path), error.line, error.message, error.hint)
            self._take((finding,))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that are tested, in page order: none where they cannot be run."""
        return self.notebook.code_cells if self.notebook is not None and self._runs else ()

    def outcome(self, cell: int) -> Outcome:
        """Return what a cell (or the notebook, 0) has to say, running as much as that needs.

        Of a notebook that could not be read every cell says just that.
        """
        if self.notebook is None:
            return replace(self._outcome(0, None), cell=cell)
        if not self._runs:
            return Outcome(cell, "skipped", self._note)
        self._prepare(self.notebook)
        outcome = self._outcome(cell, self._drive(cell))
        if outcome.status != "passed" and self._left_out and not self.no_kernel:
            self._leave_nothing_out()  # the text may have been wrong about what it needs
            outcome = self._outcome(cell, self._drive(cell))
        self.outcomes[cell] = outcome
        if self.updates and not cell and self._last is None and self.facts and self.trial:
            from pytest_nbsafe.app.update import update

            about = self._path, self.config, self.facts, self.trial
            self._updated = update(*about, self._found.reported)
        if self.no_kernel and cell and outcome.status == "passed":
            return replace(outcome, status="skipped", reason=self.no_kernel)
        return outcome

    def report(self) -> NotebookReport:
        """Return what became of the notebook so far."""
        status: Status = "passed"
        if not self._runs:
            status = "not-analysed"
        elif self._found.fail:
            status = "failed"
        trial = self.trial
        runs = [r for r in (trial.replay, trial.clean, trial.second) if r] if trial else []
        unknown = ("unknown", (self.no_kernel,)) if self.no_kernel else ("", ())
        word, reasons = verdict(trial, self._found.judged) if trial else unknown
        return NotebookReport(
            path=str(self._path),
            cells=len(self.notebook.cells) if self.notebook else 0,
            orders=tuple(dict.fromkeys(run.plan.order for run in runs)),
            status=status,
            duration_s=time.perf_counter() - self._started,
            note=self._note,
            strict=self.config.strict,
            remarks=tuple(filter(None, self._remarks())),
            costs=tuple(Cost(run.plan.order, run.duration_s, run.cpu_s) for run in runs),
            known=self._found.known,
            fixed=tuple(entry.fingerprint for entry in self._fixed()),
            environment=self._environment if trial else None,
            verdict=word,
            reasons=reasons,
            compared=compared(self.notebook, trial) if trial and self.notebook else (),
            page=page_of(self.facts, trial) if self.config.pages and self.facts else None,
            updated=self._updated,
            resumed=resumed(self.config, trial, self.reuse.told),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything found so far, sorted, notes only when they are asked for."""
        return self._found.shown

    @property
    def module_answers(self) -> Mapping[str, str]:
        """Which modules of the repository were looked for, each with what was there."""
        files = self.facts.module_files if self.facts is not None else None
        return files.answers if files is not None else {}

    def close(self) -> None:
        """Stop every kernel that is still up."""
        try:
            if self._run is not None:
                self._run.close()
            for session in self.kept or ():
                session.end()
        finally:
            self._copies.close()
            for temporary in self._temporaries:
                temporary.close()

    def _remarks(self) -> Iterator[str]:
        """Yield what is told quietly; empty ones say nothing."""
        if self.notebook is not None:
            yield parameters.remark(self.notebook, self.config)
        yield selection.remark(self._left_out or ())
        yield from remarks(self.trial) if self.trial else ()
        for folder in self._temporaries[:1]:
            yield str(folder.left)
        yield from self.reuse.told
        if self.trial and self.keeps_runs:
            results = self.trial.clean.results
            yield opening.remark(self._path, results, self._found.reported, self.config)

    def _fixed(self) -> Iterator[baselines.Entry]:
        """Yield the entries of the baseline that surely fit nothing any more."""
        is_whole = 0 in self.outcomes and (self.config.static or self._last is None)
        if self.facts is not None and is_whole:
            yield from self._found.fixed(self.facts, self.trial)

    def _prepare(self, notebook: Notebook) -> None:
        if self.facts is not None:
            return
        facts, clean = static_facts(notebook, self.config)
        if self._left_out is None and not (self.config.static or self._runs_once):
            self._left_out = selection.unneeded(facts.graph, facts.plan, self._selected)
            if self._left_out:
                self.notebook = selection.without(notebook, self._left_out)
                facts, clean = static_facts(self.notebook, self.config)
        self.facts = replace(facts, locked=self._locked)
        self._take(evaluate(self.facts))
        if self.config.static or not clean.runs:
            return
        if notebook.python_major == 2 and any(f.code == "NBS902" for f in self._found.reported):
            self.no_kernel = "not run: this notebook holds Python 2 code"
            return
        self._run = self._trial_run(self.facts, clean)

    def _leave_nothing_out(self) -> None:
        """Run the notebook from its beginning, with the cells that none seemed to need."""
        if self._run is not None:
            self._run.close()
        self._left_out, self.facts, self.trial = frozenset(), None, None
        self.notebook = self._whole
        self._prepare(self._whole)

    def _trial_run(self, facts: Facts, clean: Plan) -> TrialRun:
        """Return what runs the notebook."""
        from pytest_nbsafe.app.trials import trial_run

        folders = self._copies, self._temporaries
        reuse = None if self._forgets else self.reuse
        about = facts, clean, self._path, self._listener, folders, reuse, self.kept
        return trial_run(*about, once=self._runs_once, in_copy=self._in_copy)

    def _drive(self, cell: int) -> CellResult | None:
        """Run as far as the cell needs, bring the findings up to date, return its clean result."""
        if self._run is None or self.no_kernel:
            return None
        from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, NoSuchKernel
        from pytest_nbsafe.runner.kernel import StateDiffers

        try:
            if self.trial is None and cell and not self._needs_whole_trial(self._run, cell):
                return self._advance(self._run, cell)
            if self.trial is None:
                self.trial = self._run.finish(self._last)
                self._reconsider(self.trial)
        except StateDiffers as differs:  # what is remembered is of no use: run it all
            self._start_afresh(str(differs))
            return self._drive(cell)
        except NoSuchKernel as error:
            self._refused(faults.no_such_kernel(str(self._path), error.name, error.available))
            return None
        except KernelStartFailed as error:
            self._refused(faults.kernel_failed(str(self._path), str(error)))
            return None
        return self.trial.clean.last(cell) if cell else None

    def _start_afresh(self, differing: str) -> None:
        """Run the notebook from its beginning, and reuse nothing, since a text gave another."""
        assert self._run is not None, "only kernels that run can differ"
        assert self.facts is not None, "the static facts come first"
        self._run.close()
        self._copies.take_back()
        self._forgets, self.trial = True, None
        self.reuse.remarks.append(run_anew(self.facts.notebook, differing))
        _, clean = static_facts(self.facts.notebook, self.config)
        self._run = self._trial_run(self.facts, clean)

    def _needs_whole_trial(self, run: TrialRun, cell: int) -> bool:
        """Return whether a cell can only be judged when all has run.

        What is fitted in a cell is known to leak, and with which rows, when a later one judges it.
        """
        leaks = self.config.leakage_mode != "static" and any(
            f.code.startswith(_LEAKS) and f.location.cell == cell for f in self._found.reported
        )
        asks_more = run.may_ask_more or self.config.repeat > 1
        return leaks or run.replayed or asks_more or nbs501.needs(self.config) != "static"

    def _advance(self, run: TrialRun, cell: int) -> CellResult | None:
        """Run the page as far as one cell; the rules are asked again where something shows."""
        result = run.until(cell)
        if result is None:
            return None
        if not run.is_as_expected(cell):
            self.trial = run.finish(self._last)
            self._reconsider(self.trial)
            return result
        assert self.notebook is not None, "a notebook that was not read is not run"
        if may_change_findings(self.notebook.cell(cell), result, self._found.reported):
            self._reconsider(run.so_far())
        return result

    def _reconsider(self, trial: Trial) -> None:
        """Ask the rules again, now that more has been seen."""
        assert self.facts is not None, "the static facts come first"
        plan = trial.choice.plan if trial.choice else self.facts.plan
        facts = replace(self.facts, plan=plan, trial=trial, suspicions=trial.suspicions)
        trial = environments.completed(facts, self._path)
        self._environment = trial.clean.environment
        facts = replace(facts, trial=trial)
        findings = evaluate(replace(facts, leaks=partial(leaks_after, facts, trial)))
        self._take(several_runs.with_effects(findings, trial, copied=self._copies.possible))

    @property
    def _runs_once(self) -> bool:
        """Whether the user, or the notebook itself, asks for no more than one run."""
        return self.config.runs == 1 or (self.notebook is not None and runs_once(self.notebook))

    @property
    def keeps_runs(self) -> bool:
        """Whether what its cells give is surely kept."""
        return self.config.resume != "off" and not self._forgets and not self.reuse.told

    def _refused(self, finding: Finding) -> None:
        self.no_kernel = finding.message
        self._take(tuple(sorted((*self._found.reported, finding), key=sort_key)))

    def _take(self, findings: tuple[Finding, ...]) -> None:
        """Keep what was found, in place of all before."""
        runs_once, updates = self._runs_once, self.updates
        self._found.take(findings, self.notebook, self.facts, runs_once=runs_once, updates=updates)

    def _outcome(self, cell: int, result: CellResult | None) -> Outcome:
        page = self.notebook.cell(cell) if self.notebook and cell else None
        late = () if cell else late_findings(self.outcomes, self.findings)
        opens = opening.command(self._path, result, self.config) if self.keeps_runs else ""
        return outcome(page, result, self.findings, late, opens, strict=self.config.strict)
