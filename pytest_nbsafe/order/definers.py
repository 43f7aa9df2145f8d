"""Which cell most likely made a name that a run misses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import runnable
from pytest_nbsafe.order.readings import needed


class Definers:
    """The cells of a page that may have made a name, for those who ask often."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._counts = {cell.number: cell.count for cell in runnable(graph)}
        self._rebound = _rebound(graph)
        self._ranked: dict[tuple[str, int], Sequence[Sequence[int]]] = {}

    def likeliest(
        self, name: str, reader: int, is_barred: Callable[[int], bool], bound: AbstractSet[str]
    ) -> int | None:
        """Return the cell that most likely made `name` for the cell `reader`, None if none can.

        A cell that was run goes before one that never was, above the reader before below, one
        that changes no name that is `bound` before one that does, one that surely defines it
        before one that may, and near before far.
        """
        asked = name, reader
        if asked not in self._ranked:
            self._ranked[asked] = self._rank(name, reader)
        looked_at = 0
        best = None
        for rank in self._ranked[asked]:
            for cell in rank:
                looked_at += 1
                if is_barred(cell):
                    continue
                rebound = self._rebound.get(cell)
                if rebound is None or bound.isdisjoint(rebound):
                    best = cell
                    break
                best = best or cell
            if best is not None:
                break
        self._graph.budget.scan(looked_at)
        return best

    def _rank(self, name: str, reader: int) -> Sequence[Sequence[int]]:
        """Return the cells that bind a name, likely ones first.

        Lists of those that ran above the reader, of those that ran below it, and of those that
        never ran.
        """
        ranks: dict[tuple[bool, bool], list[tuple[bool, int, int]]] = {}
        binders = self._graph.binders.get(name, ())
        self._graph.budget.scan(len(binders))
        for cell in binders:
            if cell != reader and cell in self._counts:
                unsure = name not in self._graph.cells[cell].sure
                rank = ranks.setdefault((self._counts[cell] is None, cell > reader), [])
                rank.append((unsure, abs(cell - reader), cell))
        return [[cell for *_, cell in sorted(ranks[rank])] for rank in sorted(ranks)]


def _rebound(graph: Graph) -> dict[int, Sequence[str]]:
    """Return the names that a cell needs and binds again, where there are any.

    A run of it would change them once more where another run has bound them.
    """
    names = {
        cell: [name for name in needed(graph, cell) if cell in graph.binders.get(name, ())]
        for cell in graph.cells
    }
    return {cell: again for cell, again in names.items() if again}
