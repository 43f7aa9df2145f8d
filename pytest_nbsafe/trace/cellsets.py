"""Which cells are stale, fresh or refreshers once a plan has run: nbsafety's cell highlights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.lineage import LineageState
from pytest_nbsafe.trace.step_entries import stale_names
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class CellSets:
    """The cells that a user had better not run, may want to run, and those that would help.

    `stale` cells read a stale name (Def. 7). `fresh` cells read none, and a name that was made
    again since they last ran (Def. 9). `refreshers` are not stale, and surely make again a stale
    name that a stale cell reads (Def. 10); they may be fresh or not.
    """

    stale: frozenset[int]
    fresh: frozenset[int]
    refreshers: frozenset[int]


def cell_sets(graph: Graph, plan: Plan, state: LineageState) -> CellSets:
    """Return the sets of cells at one moment: `state` is what `plan`, run so far, has left.

    Source: Macke et al. 2021, Def. 5-10. Departs: staleness is that of `stale_names`, where an
    input counts from when it was read and an import that is run again makes nothing newer; LIVE
    counts what called functions read (section 4.4), found by name; a cell that never ran is
    never fresh, since it has no result that could be older.
    """
    names = stale_names(state)
    stale = stale_cells(graph, names)
    return CellSets(
        stale, _fresh_cells(graph, plan, state, stale), _refreshers(graph, names, stale)
    )


def live(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names whose value at its start a run of the cell may read (Def. 5)."""
    return frozenset(use.name for use in dependencies.needs(graph, cell))


def stale_cells(graph: Graph, stale: AbstractSet[str]) -> frozenset[int]:
    """Return the cells with a live read of a stale name (Def. 7)."""
    return frozenset(cell for cell in graph.cells if not stale.isdisjoint(live(graph, cell)))


def _fresh_cells(
    graph: Graph, plan: Plan, state: LineageState, stale: AbstractSet[int]
) -> frozenset[int]:
    """Return the cells that are not stale and read a name newer than their last run (Def. 8, 9)."""
    steps = {run.cell: run.step for run in plan.runs}
    made = {name: version.at[0] for name, version in state.symbols.items()}
    return frozenset(
        cell
        for cell, step in steps.items()
        if cell in graph.cells
        and cell not in stale
        and any(made.get(name, 0) > step for name in live(graph, cell))
    )


def renewers(graph: Graph) -> Mapping[str, Sequence[int]]:
    """Return the cells that surely make each name again, in page order.

    Source: Macke et al. 2021, the inverted index of Alg. 4.
    """
    index: dict[str, list[int]] = {}
    for cell, analysis in graph.cells.items():
        for name in analysis.dead:
            index.setdefault(name, []).append(cell)
    return index


def _refreshers(graph: Graph, names: AbstractSet[str], stale: AbstractSet[int]) -> frozenset[int]:
    """Return the refreshers of any stale cell (Alg. 4, lines 7-13)."""
    index = renewers(graph)
    wanted = names & frozenset[str]().union(*(live(graph, cell) for cell in stale))
    return frozenset(cell for name in wanted for cell in index.get(name, ())) - stale
