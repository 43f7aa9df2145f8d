"""Functions that set something and that a value holds: `acts[0](1)`, `apply(sys.settrace, f)`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..functions.reach import fields, is_own

_MOST = 20
_DEEP = 3
_FUNCTIONS = (FunctionType, BuiltinFunctionType)


def held_functions(
    nodes: Collection[ast.AST], home: Mapping[str, Any]
) -> Iterator[tuple[int, Any]]:
    """Yield the functions that values hold which a text reads, each with its line.

    And those that it reads and does not call itself.
    """
    paths = [node for node in nodes if isinstance(node, (ast.Name, ast.Attribute))]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = {node.id for node in paths if isinstance(node, ast.Name)}
    values = {name: home[name] for name in names if name in home}
    leading = {name for name, value in values.items() if _leads_on(value)}
    held = {name: [*_functions_in(value, _DEEP)] for name, value in values.items()}
    held = {name: found for name, found in held.items() if found}
    for node in paths if leading or held else ():
        found: Iterable[Any] = ()
        if isinstance(node, ast.Name):
            if not (id(node) in called and type(values.get(node.id)) in _FUNCTIONS):
                found = held.get(node.id, ())
        elif _root(node) in leading:
            is_known = id(node) in called and type(value_of(node.value, values)) is ModuleType
            found = () if is_known else _functions_in(value_of(node, values), _DEEP)
        if found and isinstance(node.ctx, ast.Load):
            yield from ((node.lineno, function) for function in found)


def value_of(node: ast.expr, home: Mapping[str, Any]) -> Any:
    """Return what a name stands for, or a path of names: in modules, in objects of cells."""
    if isinstance(node, ast.Name):
        return home.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    outer = value_of(node.value, home)
    if type(outer) is ModuleType:
        return vars(outer).get(node.attr)
    if not _leads_on(outer):
        return None
    is_class = type(outer) is type
    own = {} if is_class else fields(outer) or {}
    holders = (own, *map(vars, (outer if is_class else type(outer)).__mro__))
    return next((held[node.attr] for held in holders if node.attr in held), None)


def _leads_on(value: Any) -> bool:
    kind = type(value)
    return kind is ModuleType or is_own(value if kind is type else kind)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _functions_in(value: Any, depth: int) -> Iterator[Any]:
    kind = type(value)
    parts: Sequence[Any] = ()
    if kind in _FUNCTIONS:
        yield value
    elif kind is list or kind is tuple:
        parts = value[:_MOST]
    elif kind is dict:
        parts = [*value.values()][:_MOST]
    elif kind is functools.partial:
        parts = [value.func]
    elif kind is staticmethod:
        parts = [value.__func__]
    elif is_own(kind):
        parts = [*(fields(value) or {}).values()][:_MOST]
    for part in parts if depth else ():
        yield from _functions_in(part, depth - 1)
