"""One plan in one fresh kernel, step by step, never letting one failure hide what still can run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.notebook.plan import Plan, Run
from pytest_nbsafe.trace.differences import Aspects, Counterfactual
from pytest_nbsafe.trace.model import CellResult, PlanResult

_WORD = re.compile(r"[^\W\d]\w*")


class Session(Protocol):
    """What a plan needs of a kernel; `runner.session.KernelSession` is the real one."""

    @property
    def alive(self) -> bool:
        """Whether the kernel can run another cell."""
        ...

    def start(self) -> None:
        """Start the kernel."""
        ...

    def run(self, cell: Cell, step: int) -> CellResult:
        """Run one cell and say what came of it."""
        ...

    def close(self) -> None:
        """Stop the kernel."""
        ...


@runtime_checkable
class SideSession(Protocol):
    """A session that can also say what cells would do."""

    def counterfactual(
        self, cells: Sequence[Cell], *, limit_s: float, stir: bool, here: bool
    ) -> Counterfactual:
        """Return what the cells would do if they ran now.

        The kernel stays as it is; where they run `here`, in itself, it is of no more use.
        """
        ...

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now."""
        ...

    def hurry(self, limit_s: float) -> None:
        """Let no cell take longer from now on."""
        ...


class PlanRun:
    """A plan under way: `advance` runs the next step, `close` stops the kernel.

    After a cell failed, the cells that read what it failed to make are skipped because of it;
    the others run. A cell that does not parse may have made any of its words, one with a star
    import or the like any name that no cell defines. When the kernel is gone, the rest is not
    reached. With `limit_s` no cell takes longer than that.
    """

    def __init__(
        self,
        graph: Graph,
        plan: Plan,
        make_session: Callable[[], Session],
        limit_s: float | None = None,
    ) -> None:
        self.plan = plan
        self._limit_s = limit_s
        self.results: list[CellResult] = []
        self._graph = graph
        self._make_session = make_session
        self._session: Session | None = None
        self._blocked: dict[str, int] = {}
        self._defined = {name for cell in graph.cells.values() for name in cell.leaves}
        self._hidden = 0
        self._ended: CellResult | None = None
        self._wall_s = 0.0

    @property
    def finished(self) -> bool:
        """Whether every step of the plan has its result."""
        return len(self.results) == len(self.plan.runs)

    def advance(self) -> CellResult:
        """Run the next step of the plan and return its result."""
        run = self.plan.runs[len(self.results)]
        started = time.perf_counter()
        result = self._step(run)
        self._wall_s += time.perf_counter() - started
        self.results.append(result)
        self._note(result)
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
        self, cells: Sequence[int], limit_s: float, *, stir: bool = False, here: bool = False
    ) -> Counterfactual:
        """Return what these cells would do if they ran now, beside the plan.

        The plan goes on, but not after cells that ran `here`, in its own kernel.
        """
        session = self._side()
        if session is None:
            return Counterfactual(cause="there is no kernel to run it in")
        pages = [self._graph.notebook.cell(cell) for cell in cells]
        return session.counterfactual(pages, limit_s=limit_s, stir=stir, here=here)

    def look(self, names: Sequence[str]) -> Mapping[str, Aspects]:
        """Return a few words on what names hold now, of those that are known."""
        session = self._side()
        return session.look(names) if session is not None and names else {}

    def result(self) -> PlanResult:
        """Return what has been run so far."""
        cpu_s = sum(result.cpu_s for result in self.results)
        return PlanResult(self.plan, tuple(self.results), self._wall_s, cpu_s)

    def close(self) -> None:
        """Stop the kernel; the results stay."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _side(self) -> SideSession | None:
        """Return the session that may be asked, if there is one."""
        session = self._session
        if session is None or not session.alive or not isinstance(session, SideSession):
            return None
        return session

    def _step(self, run: Run) -> CellResult:
        if self._ended is not None:
            return CellResult(
                run.step,
                run.cell,
                "not-reached",
                because=self._ended.cell,
                reason=f"the kernel was gone after cell {self._ended.cell}",
            )
        blocker = self._blocker(run.cell)
        if blocker is not None:
            name, cell = blocker
            reason = f"because of cell {cell}: it did not make `{name}`"
            return CellResult(run.step, run.cell, "skipped", because=cell, reason=reason)
        if self._session is None:
            self._session = self._make_session()
            self._session.start()
            if self._limit_s is not None and (side := self._side()) is not None:
                side.hurry(self._limit_s)
        return self._session.run(self._graph.notebook.cell(run.cell), run.step)

    def _blocker(self, cell: int) -> tuple[str, int] | None:
        """Return a name that the cell needs and the cell that failed to make it."""
        if not self._blocked and self._hidden <= 0:
            return None
        for use in graphs.needs(self._graph, cell):
            if not use.guarded and use.name in self._blocked:
                return use.name, self._blocked[use.name]
            if not use.guarded and self._hidden > 0 and self._is_foreign(use.name):
                return use.name, self._hidden
        return None

    def _is_foreign(self, name: str) -> bool:
        """Return whether no cell defines the name in plain sight, nor Python does."""
        return name not in self._defined and not is_known(name, self._graph.notebook.python_major)

    def _note(self, result: CellResult) -> None:
        for record in result.records:
            for name in record.writes:
                self._blocked.pop(name, None)
        analysis = self._graph.cells[result.cell]
        if result.status == "ok":
            for name in analysis.dead:
                self._blocked.pop(name, None)
            if analysis.opaque:  # from here on any name may be there
                self._hidden = -1
            return
        if analysis.opaque and not self._hidden:
            self._hidden = result.because or result.cell
        for name in self._unmade(result):
            self._blocked[name] = result.because or result.cell
        if self._session is not None and not self._session.alive and self._ended is None:
            self._ended = result

    def _unmade(self, result: CellResult) -> frozenset[str]:
        """Return the names that the cell should have made or changed, and did not.

        What stands above the line that failed has had its chance: a branch not taken there
        leaves nothing undone. What the failed statement itself changed is not to be trusted.
        """
        analysis = self._graph.cells[result.cell]
        if analysis.fault is not None:
            words = _WORD.findall(self._graph.notebook.cell(result.cell).source)
            return frozenset(filter(self._is_foreign, words))
        failed = result.failing_line
        wanted = {d.name for d in analysis.definitions if d.kind != "delete"}
        made = {name for record in result.records for name in (*record.writes, *record.mutates)}
        done = {
            (record.line, name)
            for record in result.records
            for name in (*record.writes, *record.mutates)
        }
        undone = {
            name
            for statement in analysis.statements
            if statement.span.end_line >= failed
            for name in (*statement.writes, *statement.mutates)
            if statement.span.line <= failed or (statement.span.line, name) not in done
        }
        return frozenset((wanted - made) | undone)
