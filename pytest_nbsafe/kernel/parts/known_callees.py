"""What is known of something that a cell calls: it is followed, it changes nothing, or neither."""

from __future__ import annotations

import builtins
import functools
import types
from typing import Any

from ..adapter_lookup import of_module
from ..functions.reach import is_own
from .access_sites import is_followed
from .access_steps import Kind
from .aliases import static

FOLLOWED, PURE, UNKNOWN = "followed", "pure", "unknown"
_LOOKS = (
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float "
    "format frozenset hasattr hash hex id int isinstance issubclass iter len list map max min oct "
    "ord pow print range repr reversed round set slice sorted str sum tuple type zip"
)
_PURE = tuple(getattr(builtins, name) for name in _LOOKS.split())
_ALL = tuple(getattr(builtins, name) for name in ("eval", "exec", "globals", "locals", "vars"))
_STANDARD = frozenset({"math", "statistics", "json", "copy", "cmath"})
_METHODS = {
    "dict": frozenset({"copy", "get", "items", "keys", "most_common", "values"}),
    "list": frozenset({"copy", "count", "index"}),
    "set": frozenset({"copy", "difference", "intersection", "isdisjoint", "issubset", "union"}),
}
_CODE = frozenset({types.FunctionType, types.MethodType, functools.partial, list, tuple, dict})


def known(value: Any, method: str, kind: Kind | None) -> str:
    """Return what is known of a callee; `method` is its name if it is one of such a `kind`."""
    if type(value) is types.MethodType:
        if is_followed(value.__func__):
            return FOLLOWED
    elif is_followed(value) or _is_followed_class(value):
        return FOLLOWED
    if method and kind is not None:
        if kind.changing is not None:
            return UNKNOWN if method in kind.changing else PURE
        return PURE if method in _METHODS.get(kind.word, ()) else UNKNOWN
    if any(value is function for function in _PURE):
        return PURE
    if type(value) in (types.FunctionType, types.BuiltinFunctionType) or _is_class(value):
        module = getattr(value, "__module__", None)
        if type(module) is str and module.partition(".")[0] in _STANDARD:
            return PURE
        changed_by = getattr(of_module(module), "CHANGING", None)
        if changed_by is not None and value.__name__ not in changed_by:
            return PURE
    return UNKNOWN


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
