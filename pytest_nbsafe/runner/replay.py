"""Runs a session once more in one kernel, and lets clean runs in others judge it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.notebook.recorded import Recorded
from pytest_nbsafe.notebook.sessionfile import Versions
from pytest_nbsafe.runner import elsewhere
from pytest_nbsafe.runner.workspace import Workspace
from pytest_nbsafe.trace import chance, judge, judgedcells, reading
from pytest_nbsafe.trace.differences import Counterfactual
from pytest_nbsafe.trace.judge import Bench, Names
from pytest_nbsafe.trace.judgedcells import Cells
from pytest_nbsafe.trace.model import CellResult
from pytest_nbsafe.trace.sessions import Clean, Holding, Passed, StepAnswer, last_runs, made
from pytest_nbsafe.trace.unjudged import Ledger
from pytest_nbsafe.values import replace


class Kernel(Protocol):
    """What a replay needs of a kernel; `runner.session.KernelSession` is the real one."""

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""

    def start(self) -> None:
        """Start the kernel."""

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and say what came of it."""

    def sweep(self, *, names: bool = True) -> Holding | None:
        """Return what the kernel holds now."""

    def counterfactual(
        self, cells: Sequence[Cell], *, here: bool = False, follow: bool = True
    ) -> Counterfactual:
        """Return what cells would do if they ran now; `here` they run in this very kernel."""

    def close(self) -> None:
        """Stop the kernel."""


SIDES_LIMIT_S = 20.0
"""How long runs on the side may take that only settle whether a cell reads a name."""
ELSEWHERE_S = 60.0
"""How long runs on the side may take where the session's kernel cannot be forked."""
MakeKernel = Callable[[Path, Mapping[str, str]], Kernel]


class Replay:
    """A session under way; `close` stops every kernel.

    `each` asks for a clean run after every step, not only after the last.
    """

    def __init__(
        self,
        recorded: Recorded,
        versions: Versions,
        analyses: Mapping[int, CellAnalysis],
        make_kernel: MakeKernel,
        folder: Path,
        *,
        each: bool = False,
    ) -> None:
        self._recorded = recorded
        self._versions = versions
        self._make_kernel = make_kernel
        self._each = each
        self._workspace = Workspace(folder)
        self._started: list[_Starting] = []
        self._makes = {number: _may_make(found) for number, found in analyses.items()}
        self._dead = {number: found.dead for number, found in analyses.items()}
        self._certain = {
            number: frozenset(use.name for use in found.uses if use.certain)
            for number, found in analyses.items()
        }
        texts = [recorded.before, *(cell.source for cell in versions.notebook.cells)]
        self._without_chance = chance.is_excluded("\n".join(texts))
        self.notes = [*recorded.notes]
        if self._workspace.shared:
            self.notes.append(
                "the folder is too large to copy: the session and the clean run share its files"
            )

    def close(self) -> None:
        """Stop every kernel and remove the copies of the folder."""
        for starting in self._started:
            starting.close()
        self._workspace.close()

    def steps(self) -> Iterator[StepAnswer]:
        """Run the steps and yield what is to be said after each."""
        session = self._ready(self._begin())
        waiting = self._begin()
        ledger = Ledger(self._recorded.page, self._dead, self._makes)
        runs: list[Passed] = []
        answer: StepAnswer | None = None
        for number, (step, text) in enumerate(
            zip(self._recorded.steps, self._versions.numbers, strict=True), 1
        ):
            skip = step.skip or ("" if session.alive else "the kernel is gone")
            if not skip:
                result = session.run(self._versions.notebook.cell(text), number)
                runs.append(Passed(number, step.cell, result))
                ledger.add(runs[-1])
            answer = _skipped(answer, number, step.cell, skip) if skip else ledger.answer()
            last = number == len(self._versions.numbers)
            if runs and (last or self._each):
                judged = self._judged(session, tuple(runs), waiting)
                if judged is not None:
                    status = answer.status if skip else judged.status
                    answer = replace(judged, step=number, cell=step.cell, status=status)
                if not last:
                    waiting = self._begin()
            yield answer
        if sum(passed.result.status != "ok" for passed in runs) * 2 > len(runs):
            said = "more than half of the runs raised, so that the predictive power says little"
            self.notes.append(said)

    def _ready(self, starting: _Starting) -> Kernel:
        """Return a kernel that is up and has run what comes before all cells."""
        kernel = starting.get()
        if self._recorded.before:
            kernel.run(Cell(CellId("before"), 0, "code", self._recorded.before), 0)
        return kernel

    def _begin(self) -> _Starting:
        """Let a kernel of its own start, in a folder of its own."""
        folder, environ = self._workspace.fresh()
        starting = _Starting(self._make_kernel(folder, environ))
        self._started.append(starting)
        return starting

    # ------------------------------------------------------------ the judge

    def _judged(
        self, session: Kernel, runs: tuple[Passed, ...], waiting: _Starting
    ) -> StepAnswer | None:
        """Return what the judge says of the session so far, None when it cannot judge."""
        now = session.sweep() if session.alive else None
        clean = self._clean(waiting, runs) if now is not None else None
        if now is None or clean is None:
            who = "the session's kernel is gone" if now is None else "the clean run ended early"
            self.notes.append(f"not judged after step {runs[-1].step}: {who}")
            return None
        page = self._recorded.page
        last = last_runs(runs)
        latest = {cell: last[cell].result.cell for cell in page if cell in last}
        bench = Bench(page, runs, now, clean, None, latest, self._makes)
        if not self._without_chance and (judge.differ(bench) or judgedcells.differ(bench)):
            bench = replace(bench, again=self._clean(self._begin(), runs))
        names = judge.names(bench)
        cells = judgedcells.cells(bench, names)
        sides = _Sides(session, self._versions, runs, lambda: self._ready(self._begin()))
        cells = self._settled(bench, names, cells, latest, sides)
        reruns = {}
        for cell in sorted(judgedcells.to_rerun(cells)):
            rerun = sides.run(latest[cell])
            if rerun is not None:
                reruns[cell] = rerun
        return judgedcells.answer(bench, names, cells, reruns, self._dead)

    def _settled(
        self,
        bench: Bench,
        names: Names,
        cells: Cells,
        latest: Mapping[str, int],
        sides: _Sides,
    ) -> Cells:
        """Return the cells with the stale names that they really read."""
        sources = {cell: self._versions.notebook.cell(text).source for cell, text in latest.items()}
        certain = {cell: self._certain[text] for cell, text in latest.items()}
        for doubt in reading.doubts(bench, names, cells, sources, certain):
            without = sides.run(latest[doubt.cell], doubt.name)
            plain = sides.run(latest[doubt.cell]) if without is not None else None
            if without is not None and plain is not None:
                reads = reading.settled(doubt, plain, without)
                cells = reading.corrected(cells, doubt, reads=reads)
        return cells

    def _clean(self, waiting: _Starting, runs: Sequence[Passed]) -> Clean | None:
        """Run the latest texts in page order; None when their kernel does not come to the end."""
        kernel = self._ready(waiting)
        passed: list[Passed] = []
        beside: list[Mapping[str, str]] = [_beside(kernel)]
        for cell in self._recorded.page:
            for text in _texts(runs, cell):
                if not kernel.alive:
                    return None
                result = kernel.run(self._versions.notebook.cell(text), len(passed) + 1)
                passed.append(Passed(len(passed) + 1, cell, result))
                beside.append(_beside(kernel))
        holding = kernel.sweep()
        waiting.close()
        if holding is None:
            return None
        return Clean(tuple(passed), holding, tuple(beside))


def _beside(kernel: Kernel) -> Mapping[str, str]:
    found = kernel.sweep(names=False)
    return found.beside if found is not None else {}


def _texts(runs: Sequence[Passed], cell: str) -> list[int]:
    """Return the texts with which a cell counts in a clean run, in the order in which they run.

    It is the latest text. Where that raised, what stands above the fault has its effect and what
    stands below has not: so the last text that ran to its end comes before it, which is still what
    the cell has made, and where it had no effect at all, the last text before it that had one.
    """
    good: int | None = None
    partly: int | None = None
    latest: int | None = None
    for passed in runs:
        if passed.cell != cell:
            continue
        latest = passed.result.cell
        if passed.result.status == "ok":
            good, partly = latest, None
        elif made(passed.result) or any(record.deletes for record in passed.result.records):
            partly = latest
    texts = [text for text in (good, partly) if text not in {None, latest}]
    return [text for text in (*texts, latest) if text is not None]


def _skipped(before: StepAnswer | None, number: int, cell: str, reason: str) -> StepAnswer:
    """Return the answer of a step that did not run: all is as it was."""
    if before is None:
        return StepAnswer(number, cell, "skipped", reason=reason)
    return replace(before, step=number, cell=cell, status="skipped", reason=reason)


def _may_make(analysis: CellAnalysis) -> frozenset[str]:
    """Return the names that a text may bind, also through functions that it defines."""
    functions = analysis.functions.values()
    return analysis.defines.union(*(function.writes for function in functions))


class _Sides:
    """Runs of texts on the side of a session, each run once, while there is time for them."""

    def __init__(
        self,
        session: Kernel,
        versions: Versions,
        runs: Sequence[Passed],
        fresh: Callable[[], Kernel],
    ) -> None:
        self._session = session
        self._versions = versions
        self._runs = runs
        self._fresh = fresh
        self._elsewhere_s = ELSEWHERE_S
        self._results: dict[tuple[int, str], CellResult | None] = {}
        self._left_s = SIDES_LIMIT_S

    def run(self, text: int, without: str = "") -> CellResult | None:
        """Return what a text would do now, or without one name; None when that is not known."""
        key = (text, without)
        if key not in self._results:
            self._results[key] = self._run(text, without)
        return self._results[key]

    def _run(self, text: int, without: str) -> CellResult | None:
        if not self._session.alive or (without and self._left_s <= 0):
            return None
        cells = [self._versions.notebook.cell(text)]
        if without:
            cells.insert(0, Cell(CellId("without"), 0, "code", f"del {without}"))
        started = time.perf_counter()
        found = self._session.counterfactual(cells, follow=False)
        if found.elsewhere:
            found = self._elsewhere(cells)
        self._left_s -= time.perf_counter() - started
        return found.results[-1] if len(found.results) == len(cells) else None

    def _elsewhere(self, cells: Sequence[Cell]) -> Counterfactual:
        """Run the session once more in a fresh kernel, and there the cells."""
        before = [passed.result for passed in self._runs]
        if elsewhere.START_S + sum(result.duration_s for result in before) > self._elsewhere_s:
            return Counterfactual(cause="it would take too long")
        started = time.perf_counter()
        kernel = self._fresh()
        try:
            again = [
                kernel.run(self._versions.notebook.cell(passed.result.cell), passed.step)
                for passed in self._runs
                if kernel.alive
            ]
            if not kernel.alive:
                return Counterfactual(cause="the kernel is gone")
            found = kernel.counterfactual(cells, here=True, follow=False)
        finally:
            kernel.close()
            self._elsewhere_s -= time.perf_counter() - started
        cause = "" if found.cause else elsewhere.differs(before, again, found.results)
        return Counterfactual(cause=cause) if cause else found


class _Starting:
    """A kernel that starts while other work is done."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="nbsafe-start", daemon=True)
        self._thread.start()

    def get(self) -> Kernel:
        """Return the kernel once it is up.

        Raises:
            NoSuchKernel, KernelStartFailed: as the kernel's `start`.

        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._kernel

    def close(self) -> None:
        """Stop the kernel; safe to call twice."""
        self._thread.join()
        self._kernel.close()

    def _start(self) -> None:
        try:
            self._kernel.start()
        except BaseException as error:  # noqa: BLE001  # handed to who waits for the kernel
            self._error = error
