"""The class of a name as the text plainly shows it: literals, constructors, known methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import knowledge, trees
from pytest_nbsafe.analysis.inference.bindings import Part, Value, bindings
from pytest_nbsafe.analysis.inference.origins import callee, is_class, is_foreign, is_readable

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

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
    ast.Lambda: "function",
}
_HOLDING = frozenset({"list", "dict", "collections.defaultdict", "collections.OrderedDict"})
_ARRAYS = ("pandas.DataFrame", "pandas.Series", "pandas.Index", "numpy.ndarray")
"""What arithmetic with such an object gives is of its class; the first goes before the others."""


class UnknownError(Exception):
    """The text does not show the class; the message says why.

    `deeper` tells that the code which decides may be in the notebook or in Python's own library,
    so that looking deeper may help; what other libraries do is not there to be read.
    """

    def __init__(self, cause: str, *, deeper: bool = False) -> None:
        super().__init__(cause)
        self.deeper = deeper


def shown(graph: Graph, node: ast.expr, cell: int) -> tuple[str, ...]:
    """Return the classes that a name (or a symbol under it) may have when a cell starts.

    Raises:
        UnknownError: the text does not show them all.

    """
    try:
        return tuple(sorted(set(_of_value(graph, node, cell, 0, _DEPTH))))
    except RecursionError as error:
        raise UnknownError("the code is nested too deeply") from error


# -- where a name was bound ----------------------------------------------------------------------


def _of_name(graph: Graph, name: str, cell: int, before: int | None, depth: int) -> Iterator[str]:
    """Yield the classes of a name at a line of a cell (None: at its start)."""
    if depth == 0:
        raise UnknownError("too many steps")
    for value, number, line in _reaching(graph, name, cell, before):
        yield from _of_binding(graph, value, name, number, line, depth)


def _reaching(
    graph: Graph, name: str, cell: int, before: int | None
) -> Iterator[tuple[Value, int, int]]:
    """Yield what a name may be bound to, with the cell and line: back to what surely binds it."""
    if before is not None:
        found, sure = bindings(trees.of(graph, cell).body, name, before)
        yield from ((value, cell, line) for value, line in found)
        if sure:
            return
    for number in reversed([c for c in graph.binders.get(name, ()) if c < cell]):
        found, _ = bindings(trees.of(graph, number).body, name, None)
        if not found:
            raise UnknownError(f"cell {number} binds `{name}` in a way that is not followed")
        yield from ((value, number, line) for value, line in found)
        if name in graph.cells[number].sure:
            return
    raise UnknownError(f"no cell above surely binds `{name}`")


def _of_binding(
    graph: Graph, value: Value, name: str, cell: int, line: int, depth: int
) -> Iterator[str]:
    if isinstance(value, Part):
        cause = f"`{name}` is {value.what} in cell {cell} (line {line})"
        raise UnknownError(cause, deeper=not is_foreign(graph, value.value, cell))
    if isinstance(value, str):
        yield value
        return
    yield from _of_value(graph, value, cell, line, depth - 1)


# -- what an expression gives --------------------------------------------------------------------


def _of_value(graph: Graph, node: ast.expr, cell: int, line: int, depth: int) -> Iterator[str]:
    """Yield the classes of an expression's value, at a line of a cell."""
    if depth <= 0:
        raise UnknownError("too many steps")
    kind = _LITERALS.get(type(node))
    if kind is not None:
        yield kind
    elif isinstance(node, ast.Constant):
        yield type(node.value).__name__
    elif isinstance(node, ast.Name):
        yield from _of_name(graph, node.id, cell, line, depth)
    elif isinstance(node, ast.Call):
        yield from _of_call(graph, node, cell, line, depth)
    elif isinstance(node, ast.BinOp):
        yield _of_operation(graph, node, cell, line, depth)
    elif isinstance(node, ast.Subscript):
        yield from _of_subscript(graph, node, cell, line, depth)
    elif isinstance(node, ast.IfExp):
        yield from _of_value(graph, node.body, cell, line, depth - 1)
        yield from _of_value(graph, node.orelse, cell, line, depth - 1)
    elif isinstance(node, ast.Attribute) and node.attr == "values":
        yield _one(
            graph,
            node.value,
            cell,
            line,
            depth,
            {
                "pandas.DataFrame": "numpy.ndarray",
                "pandas.Series": "numpy.ndarray",
                "pandas.Index": "numpy.ndarray",
            },
        )
    else:
        raise _not_followed(graph, node, cell, line)


def _not_followed(graph: Graph, node: ast.expr, cell: int, line: int) -> UnknownError:
    cause = f"`{_short(node)}` in cell {cell} (line {line}) is not followed"
    return UnknownError(cause, deeper=not is_foreign(graph, node, cell))


def _one(
    graph: Graph, node: ast.expr, cell: int, line: int, depth: int, becomes: dict[str, str]
) -> str:
    """Return what the one class of an expression becomes."""
    found = set(_of_value(graph, node, cell, line, depth - 1))
    if len(found) == 1 and (kind := found.pop()) in becomes:
        return becomes[kind]
    raise _not_followed(graph, node, cell, line)


def _of_call(graph: Graph, node: ast.Call, cell: int, line: int, depth: int) -> Iterator[str]:
    path = callee(graph, node.func, cell)
    returns = knowledge.load().functions.returns.get(path)
    if returns == "same" and node.args:
        yield from _of_value(graph, node.args[0], cell, line, depth - 1)
        return
    if returns is not None:
        yield returns
        return
    if isinstance(node.func, ast.Name) and is_class(graph, node.func.id, cell):
        yield node.func.id
        return
    if isinstance(node.func, ast.Attribute) and not path:
        for kind in _of_value(graph, node.func.value, cell, line, depth - 1):
            known = knowledge.load().classes.get(kind)
            found = (known.returns or {}).get(node.func.attr) if known else None
            if found is None:
                library = kind.partition(".")[0] if "." in kind else ""
                raise _unknown_result(node, deeper=is_readable(library))
            yield found
        return
    raise _unknown_result(node, deeper=not is_foreign(graph, node, cell))


def _unknown_result(node: ast.Call, *, deeper: bool) -> UnknownError:
    return UnknownError(f"what `{_short(node.func)}()` returns is not known", deeper=deeper)


def _of_operation(graph: Graph, node: ast.BinOp, cell: int, line: int, depth: int) -> str:
    left = set(_of_value(graph, node.left, cell, line, depth - 1))
    if isinstance(node.op, ast.Mod) and left == {"str"}:
        return "str"
    try:
        right = set(_of_value(graph, node.right, cell, line, depth - 1))
    except UnknownError:
        right = left if isinstance(node.op, ast.Mult) and left <= {"list", "str"} else set()
    for array in _ARRAYS:
        if left == {array} or right == {array}:
            return array
    if left == right and len(left) == 1:
        return left.pop()
    if isinstance(node.op, ast.Mult) and right == {"int"} and len(left) == 1:
        return left.pop()
    raise _not_followed(graph, node, cell, line)


def _of_subscript(
    graph: Graph, node: ast.Subscript, cell: int, line: int, depth: int
) -> Iterator[str]:
    inside = node.slice
    if isinstance(inside, ast.Slice):
        slices = ("list", "str", "tuple", "bytes", *_ARRAYS)
        yield _one(graph, node.value, cell, line, depth, {kind: kind for kind in slices})
        return
    if isinstance(inside, ast.List | ast.Compare):
        yield _one(graph, node.value, cell, line, depth, {kind: kind for kind in _ARRAYS})
        return
    kinds = set(_of_value(graph, node.value, cell, line, depth - 1))
    if kinds <= _HOLDING and isinstance(node.value, ast.Name):
        yield from _of_element(graph, node, node.value.id, cell, line, depth)
    elif kinds == {"pandas.DataFrame"} and _text(inside) is not None:
        yield "pandas.Series"
    elif kinds == {"str"}:
        yield "str"
    else:
        raise _not_followed(graph, node, cell, line)


def _of_element(
    graph: Graph, node: ast.Subscript, name: str, cell: int, line: int, depth: int
) -> Iterator[str]:
    """Yield the classes of what a list or dict holds, as it was made: `d = {'k': []}`.

    Not when something else is stored there later.
    """
    for number in graph.changers.get(name, ()):
        if number <= cell and _stores(trees.of(graph, number), name):
            raise _not_followed(graph, node, cell, line)
    for value, number, at in _reaching(graph, name, cell, line):
        parts = _parts(value, _text(node.slice)) if isinstance(value, ast.expr) else []
        if not parts:
            raise _not_followed(graph, node, cell, line)
        for part in parts:
            yield from _of_value(graph, part, number, at, depth - 1)


def _stores(tree: ast.Module, name: str) -> bool:
    """Tell whether a cell stores anything right under a name: `d[k] = ...`."""
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.ctx, ast.Store)
        and isinstance(part.value, ast.Name)
        and part.value.id == name
        for part in ast.walk(tree)
    )


def _parts(value: ast.expr, key: str | None) -> list[ast.expr]:
    """Return what may stand under a key of a container as it was made, empty when unknown."""
    if isinstance(value, ast.Dict):
        items = zip(value.keys, value.values, strict=True)
        return [v for k, v in items if key is None or (k is not None and _text(k) == key)]
    if isinstance(value, ast.List):
        return list(value.elts)
    if isinstance(value, ast.ListComp):
        return [value.elt]
    if isinstance(value, ast.DictComp):
        return [value.value]
    made = isinstance(value, ast.Call) and value.args and value.args[0]
    if isinstance(made, ast.Name) and "defaultdict" in _short(value):
        return [ast.Call(made, [], [])]
    return []


def _text(node: ast.expr) -> str | None:
    """Return a text that is written out, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else text[:37] + "..."
