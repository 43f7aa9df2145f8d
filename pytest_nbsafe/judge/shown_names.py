"""Which names a cell shows wholly: what its output says of them leaves nothing open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.model import Graph

_SHOWING = frozenset({"print", "display", "pprint"})
_KEEPING = frozenset(
    {"dict", "list", "repr", "round", "set", "sorted", "str", "tuple"}
    | {"copy", "items", "to_dict", "to_list", "to_string", "tolist"}
)
"""Functions and methods whose result tells all, or nearly all, of what they are given."""
_ELLIPSES = ("...", "…")


def names(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names whose whole value stands in the cell's saved output.

    `len(words)` and `df.head()` do not show all of `words` and `df`, nor does an output that is
    cut short.
    """
    tree = trees.of(graph, cell)
    outputs = graph.notebook.cell(cell).outputs
    is_cut = any(mark in output.text for output in outputs for mark in _ELLIPSES)
    if tree is None or is_cut:
        return frozenset()
    return frozenset(
        name
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Expr)
        for name in _whole(statement.value)
    )


def _whole(node: ast.expr) -> Iterator[str]:
    """Yield the names that a value tells all of."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _SHOWING | _KEEPING:
            for argument in node.args:
                yield from _whole(argument)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
            yield from _whole(node.func.value)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _whole(element)
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _whole(part.value)
