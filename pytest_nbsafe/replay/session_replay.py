"""Runs a session again in one kernel, and lets clean runs in others judge it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.notebook.model import Cell, CellId
from pytest_nbsafe.replay.lineage_ledger import LineageLedger
from pytest_nbsafe.replay.session_file import Versions
from pytest_nbsafe.replay.session_judge import (
    TextRun,
    clean_texts,
    excludes_chance,
    inquiry,
    needs_second,
    session_texts,
)
from pytest_nbsafe.replay.session_runs import (
    CleanRun,
    RecordedSession,
    SessionEvidence,
    SessionRun,
    StepAnswer,
    last_runs,
)
from pytest_nbsafe.runner import fresh_kernels
from pytest_nbsafe.runner.inquiries import settle
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.workspace import Workspace
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import TOO_LONG, Counterfactual
from pytest_nbsafe.values import replace

SIDES_LIMIT_S = 20.0
"""How long runs on the side may compute that only settle whether a cell reads a name."""
ELSEWHERE_S = 60.0
"""How long runs on the side may compute where the session's kernel cannot be forked."""
MakeKernel = Callable[[Path, Mapping[str, str]], KernelSession]


class SessionReplay:
    """A session under way; `close` stops every kernel.

    `each` asks for a clean run after every step, not only after the last.
    """

    def __init__(
        self,
        recorded: RecordedSession,
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
        self._texts = session_texts(versions.notebook, analyses)
        texts = [recorded.before, *(cell.source for cell in versions.notebook.cells)]
        self._without_chance = excludes_chance("\n".join(texts))
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
        ledger = LineageLedger(self._recorded.page, self._texts)
        runs: list[SessionRun] = []
        answer: StepAnswer | None = None
        for number, (step, text) in enumerate(
            zip(self._recorded.steps, self._versions.numbers, strict=True), 1
        ):
            skip = step.skip or ("" if session.alive else "the kernel is gone")
            if not skip:
                result = session.run(self._versions.notebook.cell(text), number)
                runs.append(SessionRun(number, step.cell, result))
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
            self.notes.append(
                "more than half of the runs raised, so that the predictive power says little"
            )

    def _ready(self, starting: _Starting) -> KernelSession:
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
        self, session: KernelSession, runs: tuple[SessionRun, ...], waiting: _Starting
    ) -> StepAnswer | None:
        """Return what the judge says of the session so far, None when it cannot judge."""
        now = session.sweep() if session.alive else None
        clean = self._clean(waiting, runs) if now is not None else None
        if now is None or clean is None:
            who = "the session's kernel is gone" if now is None else "the clean run ended early"
            self.notes.append(f"not judged after step {runs[-1].step}: {who}")
            return None
        page = self._recorded.page
        last = {cell: run for cell, run in last_runs(runs).items() if cell in page}
        evidence = SessionEvidence(page, runs, last, now, clean, texts=self._texts)
        if not self._without_chance and needs_second(evidence):
            evidence = replace(evidence, second=self._clean(self._begin(), runs))
        sides = _Sides(session, self._versions, runs, lambda: self._ready(self._begin()))
        return settle(inquiry(evidence), sides.run)

    def _clean(self, waiting: _Starting, runs: Sequence[SessionRun]) -> CleanRun | None:
        """Run the latest texts in page order; None when their kernel does not come to the end."""
        kernel = self._ready(waiting)
        passed: list[SessionRun] = []
        beside: list[Mapping[str, str]] = [_beside(kernel)]
        for cell in self._recorded.page:
            for text in clean_texts(runs, cell):
                if not kernel.alive:
                    return None
                result = kernel.run(self._versions.notebook.cell(text), len(passed) + 1)
                passed.append(SessionRun(len(passed) + 1, cell, result))
                beside.append(_beside(kernel))
        holding = kernel.sweep()
        waiting.close()
        if holding is None:
            return None
        return CleanRun(tuple(passed), holding, tuple(beside))


def _beside(kernel: KernelSession) -> Mapping[str, str]:
    holding = kernel.sweep(names=False)
    return holding.beside if holding is not None else {}


def _skipped(before: StepAnswer | None, number: int, cell: str, reason: str) -> StepAnswer:
    """Return the answer of a step that did not run: all is as it was."""
    if before is None:
        return StepAnswer(number, cell, "skipped", reason=reason)
    return replace(before, step=number, cell=cell, status="skipped", reason=reason)


class _Sides:
    """Runs of texts on the side of a session, each run once, while there is time for them."""

    def __init__(
        self,
        session: KernelSession,
        versions: Versions,
        runs: Sequence[SessionRun],
        fresh: Callable[[], KernelSession],
    ) -> None:
        self._session = session
        self._versions = versions
        self._runs = runs
        self._fresh = fresh
        self._elsewhere_s = ELSEWHERE_S
        self._results: dict[TextRun, CellResult | None] = {}
        self._left_s = SIDES_LIMIT_S

    def run(self, asked: TextRun) -> CellResult | None:
        """Return what a text would do now; None when that is not known."""
        if asked not in self._results:
            self._results[asked] = self._run(asked)
        return self._results[asked]

    def _run(self, asked: TextRun) -> CellResult | None:
        if not self._session.alive or (asked.without and self._left_s <= 0):
            return None
        cells = [self._versions.notebook.cell(asked.text)]
        if asked.without:
            cells.insert(0, Cell(CellId("without"), 0, "code", f"del {asked.without}"))
        answer = self._session.counterfactual(cells, follow=False)
        if answer.elsewhere:
            answer = self._elsewhere(cells)
        self._left_s -= answer.cost_s
        return answer.results[-1] if len(answer.results) == len(cells) else None

    def _elsewhere(self, cells: Sequence[Cell]) -> Counterfactual:
        """Run the session again in a fresh kernel, and there the cells."""
        before = [passed.result for passed in self._runs]
        takes_s = fresh_kernels.cost_s(before)
        if takes_s > self._elsewhere_s:
            return Counterfactual(cause=TOO_LONG)
        self._elsewhere_s -= takes_s
        kernel = self._fresh()
        try:
            repeated = [
                kernel.run(self._versions.notebook.cell(passed.result.cell), passed.step)
                for passed in self._runs
                if kernel.alive
            ]
            if not kernel.alive:
                return Counterfactual(cause="the kernel is gone")
            answer = kernel.counterfactual(cells, here=True, follow=False)
        finally:
            kernel.close()
        self._elsewhere_s -= answer.cost_s
        cause = "" if answer.cause else fresh_kernels.differs(before, repeated, answer.results)
        return Counterfactual(cause=cause) if cause else answer


class _Starting:
    """A kernel that starts while other work is done."""

    def __init__(self, kernel: KernelSession) -> None:
        self._kernel = kernel
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._start, name="nbsafe-start", daemon=True)
        self._thread.start()

    def get(self) -> KernelSession:
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
