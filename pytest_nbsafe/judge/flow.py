"""Which cells something reaches that begins on some lines: by the names that pass it on."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.dependencies import page_edges, upstream
from pytest_nbsafe.analysis.model import Edge, Graph, Span

_DEFINITIONS = frozenset({"function", "class"})
_NO_DATA = _DEFINITIONS | {"import"}
_READ_NOTHING = frozenset({"len", "print", "range"})
"""Functions that look at nothing but what they are given."""


class Touched(NamedTuple):
    """What something reaches of a cell: the lines that it begins on, the names that bring it."""

    lines: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()


def reached(graph: Graph, origins: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """Return the cells that hold one of these lines, or read what was made of them, however far.

    A function or class passes on what its cell reads, for its body may use it.
    """
    return frozenset(inherited(graph, origins))


def inherited(graph: Graph, origins: Mapping[int, frozenset[int]]) -> dict[int, frozenset[str]]:
    """Return the cells that are `reached`, each with what it reads that cells above passed on."""
    reaching: dict[int, set[str]] = {}
    cells: dict[int, frozenset[str]] = {}
    for number, edges in read_above(graph):
        names = {edge.name for edge in edges if edge.name in reaching.get(edge.definer, ())}
        lines = origins.get(number, frozenset())
        if names or lines:
            cells[number] = frozenset(names)
            reaching[number] = _passed_on(graph, number, lines, names)
    return cells


def only_binds(graph: Graph, cell: int, calls: Collection[Span]) -> bool:
    """Return whether all that a cell does with what these calls give is to bind it to names.

    Nothing else of the cell reads the names, nor calls what may, while they hold it.
    """
    if cell not in graph.cells:
        return False
    span = syntax.span_of(graph, cell)
    binding = {
        span(node).line
        for node in trees.of(graph, cell).body
        if isinstance(node, ast.Assign) and span(node.value) in calls
    }
    if len(binding) < len(calls):
        return False
    held: set[str] = set()
    for statement in graph.cells[cell].statements:
        may_read = bool(held) and (
            statement.kind in _DEFINITIONS or statement.calls - _READ_NOTHING
        )
        if may_read or not statement.reads.isdisjoint(held):
            return False
        if statement.span.line in binding:
            held |= statement.writes.keys()
        elif statement.span.column == 1:  # what stands in a branch may not run
            held -= statement.writes.keys()
    return True


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
