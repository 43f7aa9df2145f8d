"""What the statements of a cell bind a name to, the last of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A name gets a part of a value: `what` says which."""

    what: str
    value: ast.expr


Value = ast.expr | str | Part
"""What a name is bound to: an expression, the class itself, or a part of something."""
Binding = tuple[Value, int]
"""A value that a name is bound to, and the line."""


def bindings(body: list[ast.stmt], name: str, before: int | None) -> tuple[list[Binding], bool]:
    """Return the last bindings of a name in a body, and whether the last one surely happens.

    With `before`, only what stands above that line counts.
    """
    found: list[Binding] = []
    sure = False
    for statement in body:
        if before is not None and statement.lineno >= before:
            break
        value = _bound(statement, name)
        if value is not None:
            found, sure = [(value, statement.lineno)], True
            continue
        for inner in _bodies(statement):
            deeper, _ = bindings(inner, name, before)
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


def _bound(statement: ast.stmt, name: str) -> Value | None:
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
        return Part("the variable of a loop", statement.iter)
    return None


def _of_tuple(target: ast.Tuple | ast.List, value: ast.expr, name: str) -> Value | None:
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
    return Part("a part of what is unpacked", value)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(_is(part, name) for part in ast.walk(node))


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
