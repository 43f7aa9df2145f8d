"""Suspected cells, run again on the side of a plan: what they would make, refreshed.

Source: the design, 5.3: from the state before the reading cell, run its refreshers and the cell
again, and compare what it makes. A run of the cell alone, on the side as well, is what it is
compared with, so that nothing but the refreshers differs; one more, with other random numbers,
tells chance from proof. Where the kernel cannot be forked, the same is asked of fresh kernels that
run as far, once the trial is over and only for what it has not settled.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.runner.elsewhere import Elsewhere, MakeRun
from pytest_nbsafe.runner.following import Following
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace import lineage, refresh
from pytest_nbsafe.trace.consistency import values_at_end
from pytest_nbsafe.trace.differences import Counterfactual, Outcome, made, rerun
from pytest_nbsafe.trace.model import CellResult, PlanResult, Rerun, StaleRead, Suspicions
from pytest_nbsafe.values import dataclass

LIMIT_S = 10.0
"""How long the cells of one question may run."""
BUDGET_S = 30.0
"""How long all questions about one notebook may take."""
ELSEWHERE_S = 60.0
"""How long fresh kernels may take to answer all questions about one notebook."""
MOST = 12
"""About how many cells each time; the others wait for the clean run."""

_Ask = Callable[..., Counterfactual]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A question for a fresh kernel: `steps` of the plan, the cells `again`, and then the cell.

    `old` is what it is compared with, None where that is a run of the cell alone.
    """

    cell: int
    steps: int
    again: tuple[int, ...]
    old: Outcome | None


class Reruns:
    """The suspected cells of one plan: `reads` run again before their step, `endings` at its end.

    Only what the text suspects is asked of: what the trace finds besides is known too late.
    """

    def __init__(self, graph: Graph, suspicions: Suspicions) -> None:
        self.reads: dict[int, Rerun] = {}
        self.endings: dict[int, Rerun] = {}
        self._stale: dict[int, list[StaleRead]] = {}
        for read in suspicions.stale_reads:
            self._stale.setdefault(read.step, []).append(read)
        outdated = {old.cell for old in suspicions.outdated}
        self._through = {
            cell: tuple(sorted(_upstream(graph, cell) & outdated)) for cell in sorted(outdated)
        }
        self.following = Following(graph, suspicions)
        self._left_s = BUDGET_S
        self._waiting: list[_Waiting] = []

    @property
    def differing(self) -> frozenset[int]:
        """The cells that made something else when they ran again, refreshed."""
        found = (*self.reads.values(), *self.endings.values())
        return frozenset(rerun.cell for rerun in found if rerun.result == "differs")

    def before(self, run: PlanRun) -> None:
        """Run the cell of the next step on the side, as it is and refreshed, if it is suspected."""
        stale = self._stale.get(len(run.results) + 1)
        if stale is None and self.following.is_wanted(run.plan, len(run.results) + 1):
            self._ask(run, (_due(run),))
        if stale is None or len(self.reads) >= MOST:
            return
        cell, found = stale[0].cell, refresh.of_reads(stale, lineage.records(run.results))
        again = tuple(one for one in found if one != cell)
        ask = partial(self._ask, run)
        base = ask((cell,))
        if again and base.elsewhere:
            self._waiting.append(_Waiting(cell, len(run.results), again, None))
        if not again or base.cause:
            cause = base.cause or "no cell would refresh what it reads"
            self.reads[cell] = _not_run(cell, again, cause)
        else:
            old = Outcome(base.results[0], base.shown)
            self.reads[cell] = _compared(ask, cell, again, old)[0]

    def end(self, run: PlanRun) -> None:
        """Run the cells again whose inputs were made anew after they ran."""
        last = {result.cell: result for result in run.results}
        held = values_at_end(run.results)
        for cell in list(self._through)[:MOST]:
            result = last.get(cell)
            if result is None or result.status != "ok":
                continue
            if _changes_its_input(result):
                self.endings[cell] = _not_run(cell, (), "it changes what it reads itself")
                continue
            kept = [name for name, value in result.after.items() if held.get(name) == value]
            old = Outcome(result, run.look(kept), strict=True)  # what it made, as it is now
            again = refresh.with_changers(self._through[cell], cell, lineage.records(run.results))
            found, elsewhere = _compared(partial(self._ask, run), cell, again, old)
            self.endings[cell] = found
            if elsewhere:
                self._waiting.append(_Waiting(cell, len(run.results), again, old))
        for cell in self.following.left(run.plan, run.results):
            self._ask(run, (cell,))

    def elsewhere(self, make_run: MakeRun, ran: PlanResult, settled: Collection[int]) -> None:
        """Ask fresh kernels what the plan's own could not be asked, but of cells that are settled.

        `ran` is what the plan gave; `make_run` makes it run once more.
        """
        left_s = ELSEWHERE_S
        for waiting in self._waiting:
            if waiting.cell in settled:
                continue
            kernels = Elsewhere(make_run, ran, waiting.steps, left_s)
            ask = self._noting(kernels, ran, waiting.steps)
            if waiting.old is not None:
                found = _compared(ask, waiting.cell, waiting.again, waiting.old)[0]
                self.endings[waiting.cell] = found
            else:
                self.reads[waiting.cell] = _read_elsewhere(ask, waiting, ran)
            left_s = kernels.left_s
        self._waiting = []

    def _noting(self, kernels: Elsewhere, ran: PlanResult, steps: int) -> _Ask:
        """Return what asks fresh kernels, and keeps what was seen of the parts of names."""
        due = next((run.cell for run in ran.plan.runs[steps:]), 0)

        def ask(cells: Sequence[int], *, stir: bool = False) -> Counterfactual:
            answer = kernels.ask(cells, stir=stir)
            self.following.note(ran.results[:steps], due, cells, answer)
            return answer

        return ask

    def _ask(self, run: PlanRun, cells: Sequence[int], *, stir: bool = False) -> Counterfactual:
        """Run cells on the side, unless it has taken too long already, or would."""
        took = {result.cell: result.duration_s for result in run.results}
        if sum(took.get(cell, 0.0) for cell in cells) > LIMIT_S / 2 or self._left_s <= 0:
            return Counterfactual(cause="it would take too long")
        started = time.perf_counter()
        answer = run.aside(cells, min(LIMIT_S, self._left_s), stir=stir)
        self._left_s -= time.perf_counter() - started
        self.following.note(run.results, _due(run), cells, answer)
        return answer


def _compared(ask: _Ask, cell: int, again: tuple[int, ...], old: Outcome) -> tuple[Rerun, bool]:
    """Return how the cell compares that runs after those that refresh what it reads.

    The second tells whether a fresh kernel must be asked, since this one cannot be.
    """
    cells = (*again, cell)
    new = ask(cells)
    if cause := _cut_short(new, cells):
        return _not_run(cell, again, cause), new.elsewhere
    now = Outcome(new.results[-1], new.shown)
    found = rerun(cell, again, old, now)
    if found.result != "differs":
        return found, False
    control = ask(cells, stir=True)
    if cause := _cut_short(control, cells):
        return _not_run(cell, again, cause), control.elsewhere
    return rerun(cell, again, old, now, control.results[-1]), False


def _read_elsewhere(ask: _Ask, waiting: _Waiting, ran: PlanResult) -> Rerun:
    """Return how a cell that read a stale name compares, run in fresh kernels.

    What the plan itself gave serves where nothing differs; a difference is told from a run of the
    cell alone, which must repeat the plan's.
    """
    cell, again = waiting.cell, waiting.again
    own = ran.results[waiting.steps]
    if own.status not in {"ok", "raised"}:
        return _not_run(cell, again, f"cell {cell} did not run to its end")
    new = ask((*again, cell))
    if cause := _cut_short(new, (*again, cell)):
        return _not_run(cell, again, cause)
    found = rerun(cell, again, Outcome(own), Outcome(new.results[-1], new.shown))
    if found.result != "differs":
        return found
    base = ask((cell,))
    if base.cause:
        return _not_run(cell, again, base.cause)
    if rerun(cell, (), Outcome(own), Outcome(base.results[0])).result == "differs":
        return _not_run(cell, again, f"cell {cell} does not make the same each time")
    return _compared(ask, cell, again, Outcome(base.results[0], base.shown))[0]


def _due(run: PlanRun) -> int:
    """Return the cell that a plan runs next, 0 when none is left."""
    return 0 if run.finished else run.plan.runs[len(run.results)].cell


def _upstream(graph: Graph, cell: int) -> frozenset[int]:
    """Return the cells above that a cell is made from, however far."""
    order = [code.number for code in graph.notebook.code_cells]
    edges = [edge for edge in graphs.edges(graph, order) if edge.definer < edge.reader]
    reached = {cell}
    for edge in sorted(edges, key=lambda edge: edge.reader, reverse=True):
        if edge.reader in reached:
            reached.add(edge.definer)
    return frozenset(reached - {cell})


def _not_run(cell: int, again: tuple[int, ...], cause: str) -> Rerun:
    return Rerun(cell, again, "nothing-to-compare", cause=cause)


def _cut_short(answer: Counterfactual, cells: Sequence[int]) -> str:
    """Return why the last of the cells was not run, empty when it was."""
    if answer.cause:
        return answer.cause
    if len(answer.results) == len(cells):
        return ""
    failed = answer.results[-1]
    name = failed.failure.ename if failed.failure is not None else "an exception"
    return f"cell {failed.cell} raised {name} when it ran again"


def _changes_its_input(result: CellResult) -> bool:
    """Return whether the values that a cell read are gone by its own work."""
    return any(result.reads[name] != result.after[name] for name in made(result) & {*result.reads})
