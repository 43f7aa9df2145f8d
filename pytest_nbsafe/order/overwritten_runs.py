"""Runs that later ones overwrote: the counts leave room for a cell that the page asks for there.

A cell that is run again loses its first count. Where the counts step over it and leave a gap just
there, and cells that ran after the gap read what it makes, it was run in the gap as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.model import Edge, Graph
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class OverwrittenRun:
    """A cell that ran in the free slot `count`, and the reads that ask for it, earliest first."""

    cell: int
    session: int
    count: int
    asked_by: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class _FreeCounts:
    """Free counts between two runs of a session, the later one further down the page."""

    session: int
    low: int
    high: int
    above: int
    below: int


def overwritten_runs(
    graph: Graph, cells: Sequence[Cell], session_of: Mapping[int, int]
) -> tuple[OverwrittenRun, ...]:
    """Return the runs that the counts lost; the cells are those that may run, in page order.

    Source: our own; the Archaeology paper fills every gap (Alg. 1), though much of what ran there
    is gone from the page. Departs: only a cell between the two that the gap lies between, whose
    own run comes later, which a run in between reads in page order, and only if all such cells
    fit.
    """
    when = {
        cell.number: (session_of[cell.number], cell.count)
        for cell in cells
        if cell.count is not None
    }
    readers: dict[int, dict[int, list[Edge]]] = {}
    for edge in dependencies.edges(graph, [cell.number for cell in cells]):
        if edge.reader in when and edge.definer in when and edge.reader != edge.definer:
            in_session = readers.setdefault(when[edge.reader][0], {})
            in_session.setdefault(edge.definer, []).append(edge)
    lost_runs: list[OverwrittenRun] = []
    for gap in _gaps(when):
        wanted: list[tuple[int, tuple[Edge, ...]]] = []
        for cell, asking in sorted(readers.get(gap.session, {}).items()):
            if gap.above < cell < gap.below and when[cell] > (gap.session, gap.high):
                edges = _asking(gap, asking, when, cell)
                if edges:
                    wanted.append((cell, edges))
        first = gap.high - len(wanted)
        if first > gap.low:
            lost_runs.extend(
                OverwrittenRun(cell, gap.session, count, edges)
                for count, (cell, edges) in enumerate(wanted, first)
            )
    return tuple(lost_runs)


def _gaps(when: Mapping[int, tuple[int, int]]) -> Iterator[_FreeCounts]:
    for session in sorted({session for session, _ in when.values()}):
        runs = sorted((count, cell) for cell, (own, count) in when.items() if own == session)
        for (low, above), (high, below) in pairwise([(0, 0), *runs]):
            if high - low > 1 and above < below:
                yield _FreeCounts(session, low, high, above, below)


def _asking(
    gap: _FreeCounts, edges: Sequence[Edge], when: Mapping[int, tuple[int, int]], definer: int
) -> tuple[Edge, ...]:
    """Return which of the reads of its session come after the gap and before the definer's run."""
    between = [
        edge for edge in edges if (gap.session, gap.high) <= when[edge.reader] < when[definer]
    ]
    return tuple(sorted(between, key=lambda edge: (when[edge.reader], edge.name)))
