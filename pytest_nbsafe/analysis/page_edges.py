"""What lies above and below a cell: dependencies in page order, and what they reach."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.analysis.dependencies import edges
from pytest_nbsafe.analysis.memo import kept
from pytest_nbsafe.analysis.model import Edge, Graph


@kept
def page_edges(graph: Graph) -> tuple[Edge, ...]:
    """Return the dependencies of cells on cells above them."""
    page = [cell.number for cell in graph.notebook.code_cells]
    return tuple(edge for edge in edges(graph, page) if edge.definer < edge.reader)


def upstream(page: Iterable[Edge], *cells: int) -> tuple[int, ...]:
    """Return the cells above that these are made from, however far, without these themselves."""
    reached = {*cells}
    for edge in sorted(page, key=lambda edge: edge.reader, reverse=True):
        if edge.reader in reached:
            reached.add(edge.definer)
    return tuple(sorted(reached.difference(cells)))


def downstream(page: Iterable[Edge], *cells: int) -> tuple[int, ...]:
    """Return the cells below that are made, however far, from what these make, without these."""
    reached = {*cells}
    for edge in sorted(page, key=lambda edge: edge.reader):
        if edge.definer in reached:
            reached.add(edge.reader)
    return tuple(sorted(reached.difference(cells)))
