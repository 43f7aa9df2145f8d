"""Whether what is called is the notebook's, Python's, or another library's."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.scopes import is_known

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

_SHELL = frozenset({"get_ipython", "In", "Out", "_", "__", "___"})


def callee(graph: Graph, func: ast.expr, cell: int) -> str:
    """Return the full name of what is called, through the notebook's imports; "" if unknown."""
    words = []
    while isinstance(func, ast.Attribute):
        words.append(func.attr)
        func = func.value
    if not isinstance(func, ast.Name):
        return ""
    root = syntax.stands_for(graph, cell, func.id)
    if not root:
        builtin = not words and is_known(func.id, graph.notebook.python_major)
        return func.id if builtin and not graph.binders.get(func.id) else ""
    return ".".join((root, *reversed(words)))


def is_class(graph: Graph, name: str, cell: int) -> bool:
    """Tell whether a name is that of a class which the notebook defines."""
    above = [c for c in graph.binders.get(name, ()) if c <= cell]
    definitions = graph.cells[above[-1]].definitions if above else ()
    return {d.kind for d in definitions if d.name == name} == {"class"}


def is_foreign(graph: Graph, node: ast.expr, cell: int) -> bool:
    """Tell whether an expression starts from what only another library can tell."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return False
    target = syntax.stands_for(graph, cell, node.id)
    if target:
        return not is_readable(target.partition(".")[0])
    builtin = is_known(node.id, graph.notebook.python_major) and node.id not in _SHELL
    return not builtin and not graph.binders.get(node.id)


def is_readable(module: str) -> bool:
    """Tell whether a module is the notebook's own (no name) or of Python's library."""
    return not module or module in sys.stdlib_module_names
