"""Which cells hang on which, in page order and in the plan that made the saved outputs."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.analysis import graph as graphs
from pytest_nbsafe.analysis.model import Edge
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.model import Suspicions


def suspicions(facts: Facts) -> Suspicions:
    """Return what lineage suspects: as traced where there was a run, else by the text."""
    return facts.trial.suspicions if facts.trial else facts.suspicions


def page_edges(facts: Facts) -> tuple[Edge, ...]:
    """Return the dependencies of cells on cells above them."""
    order = tuple(cell.number for cell in facts.notebook.code_cells)
    return tuple(edge for edge in graphs.edges(facts.graph, order) if edge.definer < edge.reader)


def downstream(edges: Sequence[Edge], cell: int) -> tuple[int, ...]:
    """Return the cells below that are made, however far, from what this cell makes."""
    reached = {cell}
    for edge in sorted(edges, key=lambda edge: edge.reader):
        if edge.definer in reached:
            reached.add(edge.reader)
    return tuple(sorted(reached - {cell}))


def upstream(edges: Sequence[Edge], cell: int) -> tuple[int, ...]:
    """Return the cells above that this cell is made from, however far."""
    reached = {cell}
    for edge in sorted(edges, key=lambda edge: edge.reader, reverse=True):
        if edge.reader in reached:
            reached.add(edge.definer)
    return tuple(sorted(reached - {cell}))
