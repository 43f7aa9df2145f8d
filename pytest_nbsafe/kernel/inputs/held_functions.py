"""Functions that a value holds, or that are handed over: `acts[0](1)`, `apply(sys.settrace, f)`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ..functions.reach import fields, is_own

_MOST = 20
_DEEP = 3
_COMPILED = "cython_function_or_method"
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)


def functions_read(
    nodes: Collection[ast.AST], home: Mapping[str, Any]
) -> Iterator[tuple[int, Any]]:
    """Yield the functions that values hold which a text reads, each with its line.

    And those that it reads and does not call itself.
    """
    names = [node for node in nodes if isinstance(node, ast.Name)]
    values = {name: home[name] for name in {node.id for node in names} if name in home}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    held = {name: [*functions_in(value)] for name, value in values.items()}
    for name in names if any(held.values()) else ():
        is_known = id(name) in called and type(values.get(name.id)) in _FUNCTIONS
        if isinstance(name.ctx, ast.Load) and not is_known:
            yield from ((name.lineno, function) for function in held.get(name.id, ()))
    leading = {name for name, value in values.items() if _leads_on(value)}
    for node in nodes if leading else ():
        below = _below(node)
        if below is None or _root(below) not in leading:
            continue
        is_path = isinstance(node, ast.Attribute) and type(value_of(below, values)) is ModuleType
        if not (is_path and id(node) in called):
            line = node.lineno  # type: ignore[attr-defined]  # an expression
            found = functions_in(value_of(node, values))
            yield from ((line, function) for function in found)


def value_of(node: ast.AST, home: Mapping[str, Any]) -> Any:
    """Return what a name stands for, or a path of names: in modules, in objects of cells."""
    if isinstance(node, ast.Name):
        return home.get(node.id)
    below = _below(node)
    if below is None:
        return None
    outer, name = value_of(below, home), _attribute(node, home)
    if type(outer) is ModuleType:
        return vars(outer).get(name)
    if not _leads_on(outer):
        return None
    is_class = type(outer) is type
    own = {} if is_class else fields(outer) or {}
    holders = (own, *map(vars, (outer if is_class else type(outer)).__mro__))
    return next((held[name] for held in holders if name in held), None)


def _below(node: ast.AST) -> ast.expr | None:
    """Return of what an expression gives an attribute, `getattr` too; None for any other."""
    if isinstance(node, ast.Attribute):
        return node.value
    asks = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1
    return node.args[0] if asks and node.func.id == "getattr" else None  # type: ignore[attr-defined]  # a call


def _attribute(node: Any, home: Mapping[str, Any]) -> str:
    """Return which attribute an expression gives, "" where nothing tells."""
    if isinstance(node, ast.Attribute):
        return node.attr
    said = node.args[1]
    name = said.value if isinstance(said, ast.Constant) else value_of(said, home)
    return name if type(name) is str else ""


def _leads_on(value: Any) -> bool:
    kind = type(value)
    return kind is ModuleType or is_own(value if kind is type else kind)


def _root(node: ast.AST) -> str:
    below = _below(node)
    while below is not None:
        node, below = below, _below(below)
    return node.id if isinstance(node, ast.Name) else ""


def is_function(value: Any) -> bool:
    """Return whether a value is a function or a method, compiled ones too."""
    return type(value) in _FUNCTIONS or type(value).__name__ == _COMPILED


def functions_in(value: Any, depth: int = _DEEP) -> Iterator[Any]:
    """Yield the function that a value is, or those that it holds where it is none of a library."""
    kind = type(value)
    parts: Sequence[Any] = ()
    if is_function(value):
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
        yield from functions_in(part, depth - 1)
