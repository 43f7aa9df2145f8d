"""What is known of something that a cell calls: it is followed, it changes nothing, or neither."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Iterator
from typing import Any

from .functions import closure_of
from .hooks import code_of
from .monitor import inside
from .rewrite import HOOKS
from .symbols import is_own, static

FOLLOWED, PURE, UNKNOWN = "followed", "pure", "unknown"
_HOOKS = frozenset(HOOKS)
_LOOKS = (
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float "
    "format frozenset hasattr hash hex id int isinstance issubclass iter len list map max min oct "
    "ord pow print range repr reversed round set slice sorted str sum tuple type zip"
)
_PURE = tuple(getattr(builtins, name) for name in _LOOKS.split())
_ALL = tuple(getattr(builtins, name) for name in ("eval", "exec", "globals", "locals", "vars"))
_LIBRARIES = frozenset({"numpy", "pandas", "math", "statistics", "json", "copy", "cmath"})
_CHANGING = frozenset(
    {
        "byteswap", "copyto", "fill", "fill_diagonal", "insert", "itemset", "partition",
        "permutation", "place", "pop", "put", "put_along_axis", "putmask", "resize", "setfield",
        "setflags", "shuffle", "sort", "update",
    }
)  # fmt: skip
_METHODS = {
    "dict": frozenset({"copy", "get", "items", "keys", "most_common", "values"}),
    "list": frozenset({"copy", "count", "index"}),
    "set": frozenset({"copy", "difference", "intersection", "isdisjoint", "issubset", "union"}),
}
_CODE = frozenset({types.FunctionType, types.MethodType, functools.partial, list, tuple, dict})
_FEW = 100


def known(value: Any, method: str, kind: str) -> str:
    """Return what is known of a callee; `method` is its name if it is one of such a `kind`."""
    if type(value) is types.MethodType:
        if is_followed(value.__func__):
            return FOLLOWED
    elif is_followed(value) or _is_followed_class(value):
        return FOLLOWED
    if method:
        if kind in {"frame", "array"}:
            return UNKNOWN if method in _CHANGING else PURE
        return PURE if method in _METHODS.get(kind, ()) else UNKNOWN
    if any(value is function for function in _PURE):
        return PURE
    if type(value) in (types.FunctionType, types.BuiltinFunctionType) or _is_class(value):
        module = getattr(value, "__module__", None)
        library = module.split(".")[0] if type(module) is str else ""
        if library in _LIBRARIES and value.__name__ not in _CHANGING:
            return PURE
    return UNKNOWN


def is_followed(value: Any) -> bool:
    """Return whether a function tells of all that it accesses."""
    if type(value) is not types.FunctionType:
        return False
    return not _HOOKS.isdisjoint(value.__code__.co_names)


def may_call(value: Any) -> bool:
    """Return whether a value is code of some kind, or may be a collection of such."""
    return type(value) in _CODE


def sees_all(value: Any) -> bool:
    """Return whether a callee may look at any name."""
    return any(value is function for function in _ALL)


def _is_class(value: Any) -> bool:
    return issubclass(type(value), type)


def _is_followed_class(value: Any) -> bool:
    """Return whether making an object of a class calls nothing but what is followed."""
    if type(value) is not type or not is_own(value):
        return False
    return static(value, "__new__") is object.__new__ and is_followed(static(value, "__init__"))


def names_in(value: Any, home: dict[str, Any]) -> set[str]:
    """Return the names that code of a cell may access which is not followed, if a value is such."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting = [value]
    while waiting and len(seen) < _FEW:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if type(one) is types.FunctionType:
            if one.__globals__ is home and not is_followed(one):
                found.update(name for name in words(code_of(one)) if name in home)
            waiting += held(one)
        elif type(one) is types.MethodType:
            waiting += [one.__func__, one.__self__]
        elif type(one) is functools.partial:
            waiting += [one.func, *one.args]
        elif type(one) in (list, tuple):
            waiting += one[:_FEW]
        elif type(one) is dict:
            waiting += list(one.values())[:_FEW]
    return found


def words(code: types.CodeType) -> Iterator[str]:
    """Yield the names that a code object mentions, and the code inside it."""
    for each in (code, *inside(code)):
        yield from each.co_names


def held(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function keeps of the places it was made in, and what it wraps."""
    yield from closure_of(function)
    if "__wrapped__" in function.__dict__:
        yield function.__dict__["__wrapped__"]
