"""Which cells are stale, fresh or refreshers once a plan has run, and which to run again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.lineage import LineageState
from pytest_nbsafe.trace.results import Record
from pytest_nbsafe.trace.step_entries import stale_names
from pytest_nbsafe.trace.suspicions import StaleRead
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


@kept
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
    renewed_at = {name: version.at[0] for name, version in state.symbols.items()}
    return frozenset(
        cell
        for cell, step in steps.items()
        if cell in graph.cells
        and cell not in stale
        and any(renewed_at.get(name, 0) > step for name in live(graph, cell))
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


# -- what to run again -----------------------------------------------------------------------------


def to_refresh(reads: Sequence[StaleRead], records: Iterable[Record]) -> tuple[int, ...]:
    """Return the cells that would refresh all that one run read, with those that change it."""
    known = tuple(records)
    by_read = [with_changers(refreshing(read), read.cell, known) for read in reads]
    cells = dict.fromkeys(chain.from_iterable(by_read))
    return tuple(cells) if len(by_read) == 1 else tuple(sorted(cells))


def with_changers(again: Sequence[int], reader: int, records: Iterable[Record]) -> tuple[int, ...]:
    """Return cells that run again, and those that change what these make before the reader reads.

    `records` tell what was changed: `for a in accounts: a.deposit(50)` says nothing of `accounts`
    in its text. They run where they stand on the page.
    """
    cells, known = list(again), tuple(records)
    renewed = {name for record in known if record.cell in again for name in record.writes}
    changers = {record.cell for record in known if not renewed.isdisjoint(record.mutates)}
    for cell in sorted(changers.difference(again)):
        above = [place for place, other in enumerate(cells) if other < cell]
        if above and cell < reader:
            cells.insert(above[-1] + 1, cell)
    return tuple(cells)


def refreshing(read: StaleRead) -> tuple[int, ...]:
    """Return the cells that would refresh what was read, in the order to run them again in."""
    makers = tuple(dict.fromkeys(cause.cell for cause in reversed(read.chain)))
    if len(makers) < 2 and read.refreshers:
        return (*read.refreshers[:1], *read.rest)
    return makers
