"""Which class the object of a name has, where the text of the cells above plainly shows it.

The text is read by itself: to ask astroid about single cells has told nothing more on 203 real
notebooks.
"""

from __future__ import annotations

import ast

from pytest_nbsafe.analysis import syntax, trees
from pytest_nbsafe.analysis.model import Definition, Graph
from pytest_nbsafe.libraries import inplace

_DEPTH = 12
"""How many names and calls are followed one after another."""
_LITERALS: dict[type[ast.expr], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
    ast.GeneratorExp: "iterator",
}
_KEEPING = frozenset({"mutation", "augmented"})
_Place = tuple[int, int]
"""A cell, and the line that something stands above."""


def class_at(graph: Graph, node: ast.expr, cell: int) -> str:
    """Return the class of what a name, or a key under it, holds when a cell starts, "" if unknown.

    A class of Python is named as there ("list"), one of a library in full ("pandas.DataFrame").
    A name that another cell may bind on the way, and a value that a function of the notebook
    returns, are not known.
    """
    try:
        return _of_value(graph, node, (cell, 0), _DEPTH)
    except RecursionError:
        return ""


def _of_value(graph: Graph, node: ast.expr | None, at: _Place, depth: int) -> str:
    if node is None or depth <= 0:
        return ""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.Name):
        value, place = _bound(graph, node.id, at)
        return _of_value(graph, value, place, depth - 1)
    if isinstance(node, ast.Call):
        return _of_call(graph, node, at, depth - 1)
    if isinstance(node, ast.BinOp):
        left, right = (_of_value(graph, n, at, depth - 1) for n in (node.left, node.right))
        repeats = isinstance(node.op, ast.Mult) and left in {"list", "str"} and right in {"", "int"}
        return left if repeats or left == right else ""
    if isinstance(node, ast.Subscript):
        return _of_element(graph, node, at, depth - 1)
    return _LITERALS.get(type(node), "")


def _of_call(graph: Graph, node: ast.Call, at: _Place, depth: int) -> str:
    path = syntax.full_name(graph, node.func, at[0])
    known = inplace.load(graph.notebook.libraries)
    returns = known.functions.returns.get(path, "")
    if returns == "same" and node.args:
        return _of_value(graph, node.args[0], at, depth)
    if returns or path or not isinstance(node.func, ast.Attribute):
        return returns
    methods = known.classes.get(_of_value(graph, node.func.value, at, depth))
    return (methods.returns or {}).get(node.func.attr, "") if methods else ""


def _of_element(graph: Graph, node: ast.Subscript, at: _Place, depth: int) -> str:
    """Return the class of all that a list or dict holds as it was made: `d = {'k': []}`.

    Not when something else is stored there later.
    """
    if not isinstance(node.value, ast.Name):
        return ""
    name = node.value.id
    value, place = _bound(graph, name, at)
    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [])
    kinds = {_of_value(graph, part, place, depth) for part in parts}
    cells = [cell for cell in graph.changers.get(name, ()) if cell <= at[0]]
    stored = any(_stores(trees.of(graph, cell), name) for cell in cells)
    return kinds.pop() if len(kinds) == 1 and not stored else ""


def _stores(tree: ast.Module, name: str) -> bool:
    """Tell whether a cell stores anything right under a name: `d[k] = ...`."""
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == name
        for part in ast.walk(tree)
    )


def _bound(graph: Graph, name: str, at: _Place) -> tuple[ast.expr | None, _Place]:
    """Return what a name was surely bound to last above a line of a cell, and where."""
    for cell in (at[0], *reversed([c for c in graph.binders.get(name, ()) if c < at[0]])):
        places = [
            definition
            for definition in graph.cells[cell].definitions
            if definition.name == name
            and definition.kind not in _KEEPING
            and (cell < at[0] or definition.span.line < at[1])
        ]
        if places:
            last = max(places, key=lambda definition: definition.span.line)
            return _value(graph, cell, last), (cell, last.span.line)
    return None, at


def _value(graph: Graph, cell: int, definition: Definition) -> ast.expr | None:
    """Return what a definition on every path binds its name to, None for a part of something."""
    for node in trees.of(graph, cell).body:
        if not node.lineno <= definition.span.line <= (node.end_lineno or 0):
            continue
        pairs: list[tuple[ast.expr | None, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.With):
            pairs = [(item.optional_vars, item.context_expr) for item in node.items]
        for target, value in pairs:
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs.extend(zip(target.elts, value.elts, strict=False))
            elif isinstance(target, ast.Name) and target.id == definition.name:
                return value
    return None
