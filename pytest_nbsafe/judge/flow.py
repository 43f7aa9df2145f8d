"""Which cells something reaches that begins on some lines: by the names that pass it on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pytest_nbsafe.analysis.dependencies import page_edges, upstream
from pytest_nbsafe.analysis.model import Edge, Graph

_DEFINITIONS = frozenset({"function", "class"})
_NO_DATA = _DEFINITIONS | {"import"}


def reached(graph: Graph, origins: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """Return the cells that hold one of these lines, or read what was made of them, however far.

    A function or class passes on what its cell reads, for its body may use it.
    """
    reaching: dict[int, set[str]] = {}
    cells: set[int] = set()
    for number, edges in read_above(graph):
        names = {edge.name for edge in edges if edge.name in reaching.get(edge.definer, ())}
        lines = origins.get(number, frozenset())
        if names or lines:
            cells.add(number)
            reaching[number] = _passed_on(graph, number, lines, names)
    return frozenset(cells)


def read_above(graph: Graph) -> Iterator[tuple[int, list[Edge]]]:
    """Yield each code cell of the page with its dependencies on cells above it."""
    read: dict[int, list[Edge]] = {}
    for edge in page_edges(graph):
        read.setdefault(edge.reader, []).append(edge)
    for cell in graph.notebook.code_cells:
        yield cell.number, read.get(cell.number, [])


def _passed_on(graph: Graph, cell: int, lines: frozenset[int], names: set[str]) -> set[str]:
    """Return what a cell makes on these lines, and from these names, and does not bind again."""
    passed: set[str] = set()
    for statement in graph.cells[cell].statements if cell in graph.cells else ():
        span = statement.span
        begins = not lines.isdisjoint(range(span.line, span.end_line + 1))
        inherits = not statement.reads.isdisjoint(names | passed)
        if begins or inherits or statement.kind in _DEFINITIONS:
            passed |= statement.writes.keys() | statement.mutates.keys()
        elif span.column == 1:  # what stands in a branch may not run
            passed -= statement.writes.keys()
    return passed


def share_data(graph: Graph, cell: int, others: Collection[int]) -> bool:
    """Return whether a cell is made from what one of the others is made from, or from that one.

    Imports, functions and classes are no data.
    """
    passed_on = [e for e in page_edges(graph) if e.definition.kind not in _NO_DATA]
    own = {cell, *upstream(passed_on, cell)}
    return any(not own.isdisjoint((other, *upstream(passed_on, other))) for other in others)


def readers_of_same(
    graph: Graph, cell: int, makers: Collection[int]
) -> dict[tuple[int, str], frozenset[int]]:
    """Return for each value of these makers that a cell reads the other cells that read it."""
    edges = [e for e in page_edges(graph) if e.definition.kind not in _NO_DATA]
    readers: dict[tuple[int, str], set[int]] = {}
    for edge in edges:
        readers.setdefault((edge.definer, edge.name), set()).add(edge.reader)
    return {
        value: frozenset(reading - {cell})
        for value, reading in readers.items()
        if cell in reading and value[0] in makers
    }
