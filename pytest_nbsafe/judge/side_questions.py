"""Suspected cells, run again beside a plan: what to run, and what follows from the answers.

Source: the design, 5.3: from the state before the reading cell, run its refreshers and the cell
again, and compare what it makes. A run of the cell alone, on the side as well, is what it is
compared with, so that nothing but the refreshers differs; one more, with other random numbers,
tells chance from proof. Where the kernel cannot be forked, the same is asked of fresh kernels that
run as far, once the trial is over and only for what it has not settled.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from pytest_nbsafe.analysis.dependencies import page_edges, upstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.rerun_evidence import DescribedRun, rerun
from pytest_nbsafe.judge.trial import Rerun
from pytest_nbsafe.trace import cellsets, lineage
from pytest_nbsafe.trace.consistency import values_at_end
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import TOO_MANY, Counterfactual
from pytest_nbsafe.trace.suspicions import StaleRead, Suspicions
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class SideRequest:
    """Cells to run on the side, in this order; with `stir` they meet other random numbers."""

    cells: tuple[int, ...]
    stir: bool = False


Inquiry = Generator[SideRequest, Counterfactual, Rerun]
"""Yields what to run next, is sent what came of it, and returns what follows from all of it."""


@dataclass(frozen=True, slots=True)
class RerunQuestion:
    """What a suspected cell makes after the cells `after`, which refresh what it reads.

    `old` is what that is compared with, None where it is a run of the cell alone. `named` are the
    names that `old` should describe. `cause` says why there is nothing to ask, empty if there is.
    """

    cell: int
    after: tuple[int, ...]
    old: DescribedRun | None = None
    named: tuple[str, ...] = ()
    cause: str = ""

    @property
    def may_differ(self) -> bool:
        """Whether an answer may tell anything: there is something to refresh, or to compare."""
        return bool(self.after) or self.old is not None

    def unanswered(self, cause: str) -> Rerun:
        """Return that the cell could not be run, and why."""
        return Rerun(self.cell, self.after, "nothing-to-compare", cause=cause)

    def inquiry(self) -> Inquiry:
        """Ask the kernel of the plan, which can be forked where the question comes up."""
        if self.old is not None:
            return (yield from self._refreshed(self.old))
        alone = yield SideRequest((self.cell,))
        if not self.after or alone.cause:
            return self.unanswered(alone.cause or "no cell would refresh what it reads")
        return (yield from self._refreshed(DescribedRun(alone.results[0], alone.shown)))

    def inquiry_elsewhere(self, own: CellResult | None) -> Inquiry:
        """Ask fresh kernels; `own` is what the plan itself gave of the cell after that.

        The plan's own run serves where nothing differs; a difference is told from a run of the cell
        alone, which must repeat the plan's.
        """
        if self.old is not None:
            return (yield from self._refreshed(self.old))
        if own is None or not own.came_to_end:
            return self.unanswered(f"cell {self.cell} did not run to its end")
        new = yield SideRequest((*self.after, self.cell))
        if cause := self._cut_short(new):
            return self.unanswered(cause)
        evidence = rerun(
            self.cell, self.after, DescribedRun(own), DescribedRun(new.results[-1], new.shown)
        )
        if evidence.result != "differs":
            return evidence
        alone = yield SideRequest((self.cell,))
        if alone.cause:
            return self.unanswered(alone.cause)
        if (
            rerun(self.cell, (), DescribedRun(own), DescribedRun(alone.results[0])).result
            == "differs"
        ):
            return self.unanswered(f"cell {self.cell} does not give the same result each time")
        return (yield from self._refreshed(DescribedRun(alone.results[0], alone.shown)))

    def _refreshed(self, old: DescribedRun) -> Inquiry:
        """Compare with a run after the cells that refresh, and that with another by chance."""
        cells = (*self.after, self.cell)
        new = yield SideRequest(cells)
        if cause := self._cut_short(new):
            return self.unanswered(cause)
        now = DescribedRun(new.results[-1], new.shown)
        evidence = rerun(self.cell, self.after, old, now)
        if evidence.result != "differs":
            return evidence
        control = yield SideRequest(cells, stir=True)
        if cause := self._cut_short(control):
            return self.unanswered(cause)
        return rerun(self.cell, self.after, old, now, control.results[-1])

    def _cut_short(self, answer: Counterfactual) -> str:
        """Return why the last of the cells was not run, empty when it was."""
        if answer.cause:
            return answer.cause
        if len(answer.results) > len(self.after):
            return ""
        failed = answer.results[-1]
        name = failed.failure.ename if failed.failure is not None else "an exception"
        return f"cell {failed.cell} raised {name} when it ran again"


class SideQuestions:
    """The questions about the suspected cells of one plan: before a cell runs, and at the end.

    Only what the text suspects is asked of: what the trace finds besides is known too late.
    """

    def __init__(self, graph: Graph, suspicions: Suspicions) -> None:
        self._stale: dict[int, list[StaleRead]] = {}
        for read in suspicions.stale_reads:
            self._stale.setdefault(read.step, []).append(read)
        outdated = sorted({old.cell for old in suspicions.outdated})
        self._through = {
            cell: [above for above in upstream(page_edges(graph), cell) if above in outdated]
            for cell in outdated
        }

    def of_next(self, results: Sequence[CellResult]) -> RerunQuestion | None:
        """Return the question about the cell that runs after these results, if it is suspected."""
        stale = self._stale.get(len(results) + 1)
        if stale is None:
            return None
        cell, refreshing = (
            stale[0].cell,
            cellsets.to_refresh(stale, lineage.records(results)),
        )
        return RerunQuestion(cell, tuple(other for other in refreshing if other != cell))

    def at_end(self, results: Sequence[CellResult], most: int) -> Iterator[RerunQuestion]:
        """Yield the questions about cells whose inputs were made again after they ran."""
        last = {result.cell: result for result in results}
        held = values_at_end(results)
        for place, cell in enumerate(self._through):
            result = last.get(cell)
            if result is None or result.status != "ok":
                continue
            if place >= most:
                yield RerunQuestion(cell, (), cause=TOO_MANY)
                continue
            if _changes_its_input(result):
                yield RerunQuestion(cell, (), cause="it changes what it reads")
                continue
            kept = [name for name, value in result.after.items() if held.get(name) == value]
            refreshing = cellsets.with_changers(self._through[cell], cell, lineage.records(results))
            yield RerunQuestion(cell, refreshing, DescribedRun(result, strict=True), tuple(kept))


def _changes_its_input(result: CellResult) -> bool:
    """Return whether the values that a cell read are gone by its own work."""
    return any(
        result.reads[name] != result.after[name] for name in result.kept & result.reads.keys()
    )
