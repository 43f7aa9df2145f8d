"""One plan in one fresh kernel, step by step, never letting one failure hide what still can run."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.judge import unmade_names
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.runner.notebook_limit import NotebookLimit
from pytest_nbsafe.runner.pace import Pace
from pytest_nbsafe.trace.results import CellResult, PlanResult, RunStatus, settled
from pytest_nbsafe.trace.side_runs import Aspects, Counterfactual
from pytest_nbsafe.values import replace

_LEAST_S = 0.01  # 0 stands for no limit
_WORTH_HOLDING_S = 0.5
"""A fork costs some 20 to 50 ms, and another kernel as much time again as the first."""


class Session(Protocol):
    """What a plan needs of a kernel; `runner.kernel_session.KernelSession` is the real one."""

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""

    @property
    def python(self) -> str:
        """The version of Python that the kernel runs, "" where that is not known."""

    def start(self) -> None:
        """Start the kernel."""

    def expect(self, cells: Sequence[Cell]) -> None:
        """Take note of the cells that will be run from now on."""

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and say what came of it."""

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool, at: int | None
    ) -> Counterfactual:
        """Return what the cells would do if they ran now, or when it was held `at` a number.

        The kernel stays as it is; where they run `here`, in itself, it is of no more use.
        """

    def hold(self, at: int) -> bool:
        """Keep what the kernel is now under a number, once; return whether it could be kept."""

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now."""

    def environment(self) -> Environment | None:
        """Return what the cells ran in, None where it is not known."""

    def hurry(self, limit_s: float) -> None:
        """Let no cell take longer, until something else is said."""

    def close(self) -> None:
        """Stop the kernel."""


class PlanRun:
    """A plan under way: `advance` runs the next step, `close` stops the kernel.

    A cell that needs a name which a failed cell did not make is skipped. When the kernel is gone,
    the rest is not reached; nor is it when the notebook is at its limit. With `limit_s` no cell
    takes longer than that, nor than `pace` allows. Where it is to be `described`, the environment
    is part of the result. `starts` is told the order, the cell and how many there are. After as
    many runs as `branches` says the state is held, where it took long to get there; `held` are the
    numbers of runs after which it was.
    """

    def __init__(
        self,
        graph: Graph,
        plan: Plan,
        make_session: Callable[[], Session],
        limit_s: float | None = None,
        notebook_limit: NotebookLimit | None = None,
        *,
        pace: Pace | None = None,
        described: bool = False,
        starts: Callable[[str, int, int], None] | None = None,
        branches: Collection[int] = (),
    ) -> None:
        self.plan = plan
        self.held = set[int]()
        self._branches = branches
        self._starts = starts
        self._pace = pace
        self._limit_s = limit_s
        self._notebook_limit = notebook_limit or NotebookLimit()
        self.results: list[CellResult] = []
        self._graph = graph
        self._make_session = make_session
        self._session: Session | None = None
        self._ended: CellResult | None = None
        self._wall_s = 0.0
        self._described = described
        self._environment: Environment | None = None
        self._python = ""

    @property
    def finished(self) -> bool:
        """Whether every step of the plan has its result."""
        return len(self.results) == len(self.plan.runs)

    @property
    def python(self) -> str:
        """The version of Python that it runs in, "" where that is not known."""
        return self._python

    @property
    def due(self) -> int:
        """The cell that runs next, 0 when none is left."""
        return 0 if self.finished else self.plan.runs[len(self.results)].cell

    def advance(self) -> CellResult:
        """Run the next step of the plan and return its result."""
        run = self.plan.runs[len(self.results)]
        started = time.perf_counter()
        with self._notebook_limit.counting():
            result = self._step(run)
        took_s = time.perf_counter() - started
        self._wall_s += took_s
        if self._pace is not None:
            self._pace.spend(took_s)
        self.results.append(result)
        gone = self._session is not None and not self._session.alive
        if result.status != "ok" and gone and self._ended is None:
            self._ended = result
        if result.status == "out-of-time":
            self._ended, self._notebook_limit.cell = result, result.cell
            self.close()  # whatever it is asked from now on takes time
        elif self.finished:
            self._describe()
        return result

    def until(self, cell: int) -> CellResult | None:
        """Run as far as the last run of `cell`; None when the plan does not hold it."""
        last = self.plan.last_run(cell)
        if last is None:
            return None
        while len(self.results) < last.step:
            self.advance()
        return self.results[last.step - 1]

    def aside(
        self,
        cells: Sequence[int],
        limit_s: float,
        *,
        stir: bool = False,
        here: bool = False,
        at: int | None = None,
    ) -> Counterfactual:
        """Return what these cells would do if they ran now, beside the plan.

        The plan goes on, but not after cells that ran `here`, in its own kernel. With `at` they run
        in the state that was held after so many runs.
        """
        session, limit = self._session, self._notebook_limit
        if session is None or not session.alive or limit.reason():
            return Counterfactual(cause=limit.reason() or "there is no kernel to run it in")
        pages = [self._graph.notebook.cell(cell) for cell in cells]
        if limit.left_s is not None:
            limit_s = min(limit_s, limit.left_s)
        with limit.counting():
            return session.counterfactual(pages, limit_s=limit_s, stir=stir, here=here, at=at)

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now, of those that are known."""
        session = self._session
        return session.look(names) if names and session is not None and session.alive else {}

    def result(self, *, described: bool = True) -> PlanResult:
        """Return what has been run so far; with the environment as of now, where it is asked."""
        if described and not self.finished:
            self._describe()
        cpu_s = sum(result.cpu_s for result in self.results if not result.reused)
        results = settled(self.results)
        costs = self._wall_s, cpu_s
        return PlanResult(self.plan, results, *costs, self._python, self._environment)

    def close(self) -> None:
        """Stop the kernel; the results stay."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _hold(self) -> None:
        """Hold the state where another plan branches off, if it would take long to come here."""
        at, session = len(self.results), self._session
        if session is None or at not in self._branches or self._wall_s < _WORTH_HOLDING_S:
            return
        if all(result.status == "ok" for result in self.results) and session.hold(at):
            self.held.add(at)

    def _describe(self) -> None:
        """Ask for the environment as long as there is a kernel to ask."""
        if self._described and self._session is not None and self._session.alive:
            self._environment = self._session.environment() or self._environment

    def _step(self, run: Run) -> CellResult:
        """Return what comes of one step, be it that its cell is not run."""
        left_out = self._left_out(run)
        if left_out is not None:
            return left_out
        if self._starts is not None:
            self._starts(self.plan.order, run.cell, len(self._graph.notebook.cells))
        session = self._started()
        self._hold()
        return self._ran(session, run)

    def _left_out(self, run: Run) -> CellResult | None:
        """Return the result of a cell that cannot run, or need not, None of one that can."""
        limit = self._notebook_limit
        if self._ended is not None:
            ended = self._ended.cell
            reason = limit.reason() or f"the kernel was gone after cell {ended}"
            return CellResult(run.step, run.cell, "not-reached", because=ended, reason=reason)
        if limit.reason():
            status: RunStatus = "not-reached" if limit.cell else "out-of-time"
            return CellResult(run.step, run.cell, status, reason=limit.reason())
        if self._pace is not None and self._pace.reason():
            return CellResult(run.step, run.cell, "not-reached", reason=self._pace.reason())
        blocker = unmade_names.blocker(self._graph, self.results, run.cell)
        if blocker is not None:
            name, cell = blocker
            reason = f"because of cell {cell}: it did not make `{name}`"
            return CellResult(run.step, run.cell, "skipped", because=cell, reason=reason)
        return None

    def _started(self) -> Session:
        """Return the kernel, started for the first cell that runs."""
        if self._session is None:
            self._session = self._make_session()
            self._session.start()
            self._python = self._session.python
            to_come = self.plan.runs[len(self.results) :]
            self._session.expect([self._graph.notebook.cell(each.cell) for each in to_come])
        return self._session

    def _ran(self, session: Session, run: Run) -> CellResult:
        """Run a cell for as long as the shortest of all limits lets it."""
        limit = self._notebook_limit
        paced_s = self._pace.limit_s(run.cell) if self._pace is not None else None
        limits = [s for s in (self._limit_s, limit.left_s, paced_s) if s is not None]
        if limits:
            session.hurry(max(min(limits), _LEAST_S))
        result = session.run(self._graph.notebook.cell(run.cell), run.step)
        if result.status == "timed-out" and limit.reason():
            return replace(result, status="out-of-time", reason=limit.reason())
        if result.status == "timed-out" and self._pace is not None and paced_s == min(limits):
            return replace(result, reason=self._pace.stopped(run.cell))
        return result
