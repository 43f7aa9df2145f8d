"""Counts that no cell of the page holds, and what may have run then."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.analysis.model import Graph, kept


@kept
def missing_before(graph: Graph) -> Mapping[int, range]:
    """Return for each cell the counts just before its own that stand nowhere, where there are any.

    As each of them the cell may have run before. Nothing is known where counts repeat: what is
    missing in one session may be there in another.
    """
    counts = [
        (cell.count, cell.number) for cell in graph.notebook.code_cells if cell.count is not None
    ]
    gaps: dict[int, range] = {}
    before = 0
    for count, cell in sorted(counts):
        if count == before:
            return {}
        if count > before + 1:
            gaps[cell] = range(before + 1, count)
        before = count
    return gaps


@kept
def telling(graph: Graph) -> Mapping[int, range]:
    """Return those of `missing_before`, unless most cells have some: then they tell of no cell."""
    gaps = missing_before(graph)
    counted = sum(cell.count is not None for cell in graph.notebook.code_cells)
    return gaps if len(gaps) * 2 <= counted else {}
