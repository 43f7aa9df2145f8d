"""The trial of a notebook: its own plan, a clean run in page order, a second when in doubt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from itertools import islice
from typing import TypeVar

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.notebook.plan import Plan
from pytest_nbsafe.runner.planrun import PlanRun, Session
from pytest_nbsafe.runner.reruns import Reruns
from pytest_nbsafe.trace import apart, doubles, lineage, outside, staleness, verdicts
from pytest_nbsafe.trace.consistency import consistency
from pytest_nbsafe.trace.model import (
    CellResult,
    OutdatedResult,
    PlanResult,
    RanOtherwise,
    ReadFromBelow,
    StaleRead,
    Suspicions,
    Trial,
)
from pytest_nbsafe.values import replace

MOST_S = 60.0
"""How long the clean run may take where it may have to be run again to ask for further runs."""
MOST_TRIED = 3
"""How many cells are tried each time."""

_Suspicion = TypeVar("_Suspicion", StaleRead, OutdatedResult, ReadFromBelow)


class TrialRun:
    """A trial under way.

    `plan` is the recorded or inferred plan when it differs from the page order, `clean` the page
    order. Without a plan one clean run is all there is, and it goes only as far as it is asked
    to; where counts are missing, a saved text that it does not give is asked about. Otherwise the
    plan runs first, then the clean order, then, if a suspected cell differs,
    the clean order once more as far as that cell.
    """

    def __init__(
        self,
        graph: Graph,
        plan: Plan | None,
        clean: Plan,
        suspicions: Suspicions,
        make_session: Callable[[], Session],
    ) -> None:
        self._graph = graph
        self._static = suspicions
        self._make_session = make_session
        self._clean = PlanRun(graph, clean, make_session)
        self._replay = PlanRun(graph, plan, make_session) if plan else None
        self._reruns = Reruns(graph, suspicions)
        self.replayed = plan is not None
        self.may_ask_more = plan is None and bool(
            doubles.candidates(graph) or doubles.never_ran(graph)
        )

    def until(self, cell: int) -> CellResult | None:
        """Run the clean order as far as `cell`; None when it does not hold the cell."""
        try:
            result = self._clean.until(cell)
        except BaseException:
            self.close()
            raise
        if self._clean.finished:
            self._clean.close()
        return result

    def so_far(self) -> Trial:
        """Return the trial as it stands, without running anything more."""
        return self._judged(self._static, self._clean.result(), None, None)

    def finish(self, last: int | None = None) -> Trial:
        """Run what is left and return the whole trial.

        `last` is the last cell of the page that is asked for: the clean run stops there.
        """
        try:
            replay = _run_all(self._replay, asking=self._reruns) if self._replay else None
            clean = _run_all(self._clean, last)
            suspicions = self._suspicions(clean, replay)
            second = self._second(suspicions, clean, replay)
            ran_otherwise = None if replay else self._ran_otherwise(suspicions, clean, second)
        finally:
            self.close()
        if replay is not None:
            judged = self._judged(suspicions, clean, replay, second)
            self._reruns.elsewhere(self._once_more, replay, _settled(judged))
        judged = self._judged(suspicions, clean, replay, second)
        return replace(judged, ran_otherwise=ran_otherwise)

    def _once_more(self, limit_s: float) -> PlanRun:
        """Return the plan, to be run as far as a question about it needs."""
        assert self._replay is not None, "asked only of a plan that ran"
        return PlanRun(self._graph, self._replay.plan, self._make_session, limit_s)

    def close(self) -> None:
        """Stop the kernels."""
        self._clean.close()
        if self._replay is not None:
            self._replay.close()

    def _second(
        self, suspicions: Suspicions, clean: PlanResult, replay: PlanResult | None
    ) -> PlanResult | None:
        suspected = verdicts.suspects(suspicions) | _inconsistent(replay)
        lost = {cell.number for cell in self._graph.notebook.code_cells if cell.count is None}
        suspected |= self._below({read.cell for read in suspicions.from_below} | lost)
        notebook = self._graph.notebook
        last = verdicts.needs_second(notebook, suspected, clean, replay, self._doubts)
        if last is None:
            return None
        return self._as_far(clean.plan, last)

    def _ran_otherwise(
        self, suspicions: Suspicions, clean: PlanResult, second: PlanResult | None
    ) -> RanOtherwise | None:
        """Return the cell whose other runs explain a saved text that nothing else does."""
        if not self.may_ask_more or sum(r.duration_s for r in clean.results) > MOST_S:
            return None
        notebook, suspected = self._graph.notebook, verdicts.suspects(suspicions)
        judgements = verdicts.judge(notebook, suspected, clean, None, second, self._doubts)
        shown = doubles.unexplained(judgements, suspected)
        if shown is None:
            return None
        for cell, counts, plan in islice(self._other_plans(clean.plan, shown), MOST_TRIED):
            other = self._as_far(plan, shown)
            if doubles.gives_the_page(notebook, clean, other, shown):
                once_more = self._as_far(clean.plan, shown)
                if not doubles.gives_the_same(clean, once_more, shown):
                    return None
                told = judgements[shown]
                return RanOtherwise(cell, counts, shown, told.saved, told.clean)
        return None

    def _other_plans(self, plan: Plan, shown: int) -> Iterator[tuple[int, tuple[int, ...], Plan]]:
        """Yield the plans that may give what a cell shows: in which what ran how often."""
        lost = [cell for cell in doubles.never_ran(self._graph) if cell < shown]
        if lost:
            above = doubles.made_from(self._graph, shown)
            cell = max(lost, key=lambda cell: (cell in above, cell))
            yield cell, (), doubles.without(plan, lost)
        found = doubles.candidates(self._graph)
        for again in doubles.suspects(self._graph, found, shown):
            yield again.cell, again.counts, doubles.with_runs(plan, again)

    def _as_far(self, plan: Plan, cell: int) -> PlanResult:
        """Return what a plan gives as far as a cell, in a kernel of its own."""
        run = PlanRun(self._graph, plan, self._make_session)
        try:
            return _run_all(run, cell)
        finally:
            run.close()

    @cached_property
    def _doubts(self) -> outside.Doubts:
        return outside.doubts(self._graph)

    def _below(self, cells: Collection[int]) -> frozenset[int]:
        """Return the cells made, however far, from what these make."""
        if not cells:
            return frozenset()
        reached = set(cells)
        page = tuple(cell.number for cell in self._graph.notebook.code_cells)
        for edge in sorted(graphs.edges(self._graph, page), key=lambda edge: edge.reader):
            if edge.definer in reached and edge.definer < edge.reader:
                reached.add(edge.reader)
        return frozenset(reached)

    def _suspicions(self, clean: PlanResult, replay: PlanResult | None) -> Suspicions:
        """Return what the traced lineage suspects, and what the text does of cells not traced."""
        if replay is None:
            return self._static
        seen = self._reruns.following.seen
        ran = lineage.records(replay.results), lineage.records(clean.results)
        traced = staleness.suspicions(self._graph, replay.plan, *ran, seen)
        if seen.runs:
            by_name = staleness.suspicions(self._graph, replay.plan, *ran)
            differ = {*apart.differing(replay, clean), *self._reruns.differing}
            traced = apart.still_suspected(traced, by_name, differ)
        static = self._static
        both = _traced(replay) & _traced(clean)
        return Suspicions(
            _by_trace(both, traced.stale_reads, static.stale_reads),
            _by_trace(both, traced.outdated, static.outdated),
            _by_trace(both, traced.from_below, static.from_below),
        )

    def _judged(
        self,
        suspicions: Suspicions,
        clean: PlanResult,
        replay: PlanResult | None,
        second: PlanResult | None,
    ) -> Trial:
        suspected, notebook = verdicts.suspects(suspicions), self._graph.notebook
        judgements = verdicts.judge(notebook, suspected, clean, replay, second, self._doubts)
        standing = verdicts.standing(suspicions, judgements, self._graph)
        return Trial(
            clean,
            replay,
            second,
            standing,
            judgements,
            self._reruns.reads,
            self._reruns.endings,
            consistency(replay.results) if replay else {},
            seen=self._reruns.following.seen,
        )


def _settled(trial: Trial) -> frozenset[int]:
    """Return the cells that the clean run gives nothing else than the plan."""
    ran = {result.cell for result in trial.clean.results if result.status == "ok"}
    return frozenset(
        cell
        for cell, judgement in trial.judgements.items()
        if cell in ran
        and judgement.output in {"same", "nothing-to-compare"}
        and {*judgement.values.values(), *judgement.made.values()} <= {"same"}
    )


def _inconsistent(replay: PlanResult | None) -> frozenset[int]:
    """Return the cells that are inconsistent at the end of a plan."""
    states = consistency(replay.results) if replay else {}
    return frozenset(cell for cell, found in states.items() if found.state == "inconsistent")


def _run_all(run: PlanRun, last: int | None = None, asking: Reruns | None = None) -> PlanResult:
    """Run a plan to its end, or as far as the last run of the cell `last`; stop its kernel.

    On the way suspected cells are run again on the side, by `asking`.
    """
    end = run.plan.last_run(last) if last is not None else None
    steps = end.step if end is not None else len(run.plan.runs)
    while len(run.results) < steps:
        if asking is not None:
            asking.before(run)
        run.advance()
    if asking is not None:
        asking.end(run)
    run.close()
    return run.result()


def _by_trace(
    ran: frozenset[int], traced: tuple[_Suspicion, ...], static: tuple[_Suspicion, ...]
) -> tuple[_Suspicion, ...]:
    """Return what was traced of the cells that `ran`, and what the text says of the others."""
    return tuple(s for s in traced if s.cell in ran) + tuple(s for s in static if s.cell not in ran)


def _traced(result: PlanResult) -> frozenset[int]:
    """Return the cells whose last run succeeded under the tracer."""
    last = {step.cell: step for step in result.results}
    return frozenset(c for c, step in last.items() if step.status == "ok" and step.records)
