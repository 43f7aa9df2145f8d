"""What the counts of a notebook show, and how well orders agree with what its cells read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.order.orderings import ORDERINGS
from pytest_nbsafe.order.plan import Plan, runnable
from pytest_nbsafe.order.session_split import least
from pytest_nbsafe.values import dataclass

COMPARED = ("top-down", "recorded", "base", "archaeology", "inferred", "dependency")


@dataclass(frozen=True, slots=True)
class OrderMeasure:
    """Of the executed cells, in one order: how many read a name that no run before has bound.

    `out_of_order` are those of them whose name a later run binds.
    """

    unbound: int
    out_of_order: int


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one notebook; places and jumps are among its executed cells.

    `gaps` are stretches of missing counts, `missing` the counts in them; a jump is a next run that
    is not of the next cell. `gap_jumps` are (gap, jump, how often) between runs one after another,
    of notebooks without repeated counts. `sessions` and `runs` are the least there can have been.
    A cell is `dependent` that reads a name which another cell binds, `ambiguous` if several do.
    """

    cells: int
    executed: int
    gaps: int
    missing: int
    jumps: int
    gap_jumps: tuple[tuple[int, int, int], ...]
    sessions: int
    runs: int
    dependent: int
    ambiguous: int
    orders: Mapping[str, OrderMeasure]

    @property
    def ratio(self) -> float | None:
        """How many cells were executed for each run there must have been."""
        return self.executed / self.runs if self.runs else None

    @property
    def is_plain(self) -> bool:
        """Whether the counts are 1, 2, 3 and so on down the page."""
        return self.sessions == 1 and self.gaps == self.jumps == 0


def measures(graph: Graph, plans: Mapping[str, Plan] | None = None) -> Measures:
    """Return the measures of a notebook; `plans` are those of its orders, if they are known.

    Source: Koop 2021, sections 3 and 4.1. Departs: a read that need not happen, or that expects
    the name to be missing, makes no cell dependent or unbound.
    """
    cells = runnable(graph)
    executed = [cell for cell in cells if cell.count is not None]
    counts = sorted({cell.count or 0 for cell in executed})
    steps = [after - before for before, after in pairwise([0, *counts])]
    sessions = least(executed)
    gap_jumps = _gap_jumps(executed) if sessions == 1 else Counter[tuple[int, int]]()
    reads = {cell.number: _reads_of_others(graph, cell.number) for cell in executed}
    return Measures(
        len(cells),
        len(executed),
        sum(step > 1 for step in steps),
        sum(step - 1 for step in steps),
        sum(number for (_, jump), number in gap_jumps.items() if jump != 1),
        tuple((gap, jump, number) for (gap, jump), number in sorted(gap_jumps.items())),
        sessions,
        _runs(executed),
        sum(bool(definers) for definers in reads.values()),
        sum(any(number > 1 for number in definers) for definers in reads.values()),
        {
            name: _measure(graph, (plans or {}).get(name) or ORDERINGS[name](graph))
            for name in COMPARED
        },
    )


def _gap_jumps(executed: Sequence[Cell]) -> Counter[tuple[int, int]]:
    places = sorted((cell.count or 0, place) for place, cell in enumerate(executed))
    pairs = ((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(places))
    return Counter(pairs)


def _runs(executed: Sequence[Cell]) -> int:
    """Return how many runs there must have been: the highest count of each session, at least."""
    often = Counter(cell.count or 0 for cell in executed)
    highest = 0
    for repeats in range(1, max(often.values(), default=0) + 1):
        highest += max(count for count, number in often.items() if number >= repeats)
    return highest


def _reads_of_others(graph: Graph, cell: int) -> list[int]:
    """Return for each name that the cell reads of others how many cells bind it."""
    uses = {use.name for use in dependencies.needs(graph, cell) if use.is_needed}
    binders = (graph.binders.get(name, ()) for name in sorted(uses))
    return [len(cells) for cells in binders if any(other != cell for other in cells)]


def _measure(graph: Graph, plan: Plan) -> OrderMeasure:
    executed = [run.cell for run in plan.runs if graph.notebook.cell(run.cell).count is not None]
    last = {cell: index for index, cell in enumerate(executed)}
    unbound: set[int] = set()
    late: set[int] = set()
    for index, use in dependencies.unbound(graph, executed):
        reader = executed[index]
        if use.is_needed and reader not in late:
            unbound.add(reader)
            binders = graph.binders.get(use.name, ())
            if any(last.get(cell, -1) > index for cell in binders if cell != reader):
                late.add(reader)
    return OrderMeasure(len(unbound), len(late))
