"""The class of a name as the text plainly shows it: literals, constructors, known methods."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import knowledge, syntax, trees
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.values import dataclass

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
_SHELL = frozenset({"get_ipython", "In", "Out", "_", "__", "___"})
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A name gets a part of a value: `what` says which."""

    what: str
    value: ast.expr


def shown(graph: Graph, name: str, cell: int) -> tuple[str, ...]:
    """Return the classes that a name may have when a cell starts.

    Raises:
        UnknownError: the text does not show them all.

    """
    try:
        return tuple(sorted(set(_of_name(graph, name, cell, None, _DEPTH))))
    except RecursionError as error:
        raise UnknownError("the code is nested too deeply") from error


# -- where a name was bound ----------------------------------------------------------------------


def _of_name(graph: Graph, name: str, cell: int, before: int | None, depth: int) -> Iterator[str]:
    """Yield the classes of a name at a line of a cell (None: at its start).

    The bindings that may reach there: backwards up to one that surely happened.
    """
    if depth == 0:
        raise UnknownError("too many steps")
    if before is not None:
        found, sure = _bindings(trees.of(graph, cell).body, name, before)
        for value, line in found:
            yield from _of_binding(graph, value, name, cell, line, depth)
        if sure:
            return
    for number in reversed([c for c in graph.binders.get(name, ()) if c < cell]):
        analysis = graph.cells[number]
        found, _ = _bindings(trees.of(graph, number).body, name, None)
        if not found:
            raise UnknownError(f"cell {number} binds `{name}` in a way that is not followed")
        for value, line in found:
            yield from _of_binding(graph, value, name, number, line, depth)
        if name in analysis.sure:
            return
    raise UnknownError(f"no cell above surely binds `{name}`")


_Value = ast.expr | str | _Part
"""What a name is bound to: an expression, the class itself, or a part of something."""
_Binding = tuple[_Value, int]
"""A value that a name is bound to, and the line."""


def _bindings(body: list[ast.stmt], name: str, before: int | None) -> tuple[list[_Binding], bool]:
    """Return the last bindings of a name in a body, and whether the last one surely happens."""
    found: list[_Binding] = []
    sure = False
    for statement in body:
        if before is not None and statement.lineno >= before:
            break
        value = _bound(statement, name)
        if value is not None:
            found, sure = [(value, statement.lineno)], True
            continue
        for inner in _bodies(statement):
            deeper, _ = _bindings(inner, name, before)
            found += deeper
            sure = sure or (bool(deeper) and isinstance(statement, ast.With))
    return found, sure


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the suites of a compound statement that stand in the same scope."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, None) or []
    for field in ("handlers", "cases"):
        for part in getattr(statement, field, None) or ():
            yield part.body


def _bound(statement: ast.stmt, name: str) -> _Value | None:
    """Return what a statement binds a name to, None when it does not (`+=` keeps the class)."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name) and target.id == name:
                return statement.value
            if isinstance(target, ast.Tuple | ast.List):
                found = _of_tuple(target, statement.value, name)
                if found is not None:
                    return found
    elif isinstance(statement, ast.AnnAssign) and _is(statement.target, name):
        return statement.value
    elif isinstance(statement, ast.With):
        for item in statement.items:
            if item.optional_vars is not None and _is(item.optional_vars, name):
                return item.context_expr
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
        return "function"
    elif isinstance(statement, ast.ClassDef) and statement.name == name:
        return "type"
    elif isinstance(statement, ast.For | ast.AsyncFor) and _mentions(statement.target, name):
        return _Part("the variable of a loop", statement.iter)
    return None


def _of_tuple(target: ast.Tuple | ast.List, value: ast.expr, name: str) -> _Value | None:
    places = [n for n, element in enumerate(target.elts) if _mentions(element, name)]
    if not places:
        return None
    starred = any(isinstance(element, ast.Starred) for element in target.elts)
    if (
        isinstance(value, ast.Tuple | ast.List)
        and len(value.elts) == len(target.elts)
        and _is(target.elts[places[-1]], name)
        and not starred
    ):
        return value.elts[places[-1]]
    return _Part("a part of what is unpacked", value)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(_is(part, name) for part in ast.walk(node))


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _of_binding(
    graph: Graph, value: _Value, name: str, cell: int, line: int, depth: int
) -> Iterator[str]:
    if isinstance(value, _Part):
        cause = f"`{name}` is {value.what} in cell {cell} (line {line})"
        raise UnknownError(cause, deeper=not _is_foreign(graph, value.value, cell))
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
        yield _of_subscript(graph, node, cell, line, depth)
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
    return UnknownError(cause, deeper=not _is_foreign(graph, node, cell))


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
    if isinstance(node.func, ast.Name) and _is_class(graph, node.func.id, cell):
        yield node.func.id
        return
    if isinstance(node.func, ast.Attribute) and not path:
        for kind in _of_value(graph, node.func.value, cell, line, depth - 1):
            known = knowledge.load().classes.get(kind)
            found = (known.returns or {}).get(node.func.attr) if known else None
            if found is None:
                library = kind.partition(".")[0] if "." in kind else ""
                raise _unknown_result(node, deeper=_is_readable(library))
            yield found
        return
    raise _unknown_result(node, deeper=not _is_foreign(graph, node, cell))


def _unknown_result(node: ast.Call, *, deeper: bool) -> UnknownError:
    return UnknownError(f"what `{_short(node.func)}()` returns is not known", deeper=deeper)


def _is_foreign(graph: Graph, node: ast.expr, cell: int) -> bool:
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
        return not _is_readable(target.partition(".")[0])
    builtin = is_known(node.id, graph.notebook.python_major) and node.id not in _SHELL
    return not builtin and not graph.binders.get(node.id)


def _is_readable(module: str) -> bool:
    return not module or module in sys.stdlib_module_names


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


def _is_class(graph: Graph, name: str, cell: int) -> bool:
    above = [c for c in graph.binders.get(name, ()) if c <= cell]
    definitions = graph.cells[above[-1]].definitions if above else ()
    return {d.kind for d in definitions if d.name == name} == {"class"}


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


def _of_subscript(graph: Graph, node: ast.Subscript, cell: int, line: int, depth: int) -> str:
    inside = node.slice
    if isinstance(inside, ast.Slice):
        slices = ("list", "str", "tuple", "bytes", *_ARRAYS)
        return _one(graph, node.value, cell, line, depth, {kind: kind for kind in slices})
    if isinstance(inside, ast.List | ast.Compare):
        return _one(graph, node.value, cell, line, depth, {kind: kind for kind in _ARRAYS})
    if isinstance(inside, ast.Constant) and isinstance(inside.value, str):
        columns = {"pandas.DataFrame": "pandas.Series", "str": "str"}
        return _one(graph, node.value, cell, line, depth, columns)
    raise _not_followed(graph, node, cell, line)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else text[:37] + "..."
