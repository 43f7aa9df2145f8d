"""Functions that set something and that a value holds: `acts[0](1)`, `apply(sys.settrace, f)`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..functions.reach import fields, is_own

_MOST = 20
_DEEP = 3
_FUNCTIONS = (FunctionType, BuiltinFunctionType)


def functions_at(node: ast.expr, home: Mapping[str, Any], *, is_called: bool) -> Iterator[Any]:
    """Yield the functions that a name or a path stands for, or what it stands for holds.

    Of what is called itself by a name that a module gives it others know.
    """
    value = value_of(node, home)
    through_module = isinstance(node, ast.Name) or type(value_of(node.value, home)) is ModuleType  # type: ignore[attr-defined]  # a path
    if not (is_called and through_module and type(value) in _FUNCTIONS):
        yield from _functions_in(value, _DEEP)


def value_of(node: ast.expr, home: Mapping[str, Any]) -> Any:
    """Return what a name stands for, or a path of names: in modules, in objects of cells."""
    if isinstance(node, ast.Name):
        return home.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    outer = value_of(node.value, home)
    if type(outer) is ModuleType:
        return vars(outer).get(node.attr)
    is_class = type(outer) is type
    kind = outer if is_class else type(outer)
    if not is_own(kind):
        return None
    own = {} if is_class else fields(outer) or {}
    holders = (own, *map(vars, kind.__mro__))
    return next((held[node.attr] for held in holders if node.attr in held), None)


def _functions_in(value: Any, depth: int) -> Iterator[Any]:
    kind, parts = type(value), []
    if kind in _FUNCTIONS:
        yield value
    elif kind is functools.partial:
        parts = [value.func]
    elif kind is staticmethod:
        parts = [value.__func__]
    elif kind is list or kind is tuple:
        parts = value[:_MOST]
    elif kind is dict:
        parts = [*value.values()][:_MOST]
    elif is_own(kind):
        parts = [*(fields(value) or {}).values()][:_MOST]
    for part in parts if depth else ():
        yield from _functions_in(part, depth - 1)
