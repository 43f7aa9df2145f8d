"""How attributes and subscripts lead from an object to a part of it, as far as that is certain.

What a class does by itself when it is asked for an item (`__getitem__`, a property) is not known;
of a frame a column is, by name or with `.loc` and the like.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..adapter_lookup import of_module
from ..functions.reach import is_own
from .access_sites import is_followed
from .aliases import DICTS, LISTS, fields, static

STUCK: Any = object()
"""It leads to something that is no part of the object, or to no telling where."""
CALLED: Any = object()
"""It calls code of a cell, which is followed."""
_USUAL = vars(object)
_BY_LABEL = frozenset({"loc", "at"})
_BY_NUMBER = frozenset({"iloc", "iat"})


class Kind:
    """What an object is, without the object: `word` says it, `size` and `columns` what it has.

    `changing` are the methods that change it, None where that is not known.
    """

    __slots__ = ("changing", "columns", "is_table", "size", "word")

    def __init__(
        self, word: str, size: int = 0, columns: Any = None, changing: Collection[str] | None = None
    ) -> None:
        self.changing = changing
        self.word = word
        self.size = size
        self.columns = columns
        self.is_table = word in {"frame", "loc", "iloc", "array"}


def kind_of(value: Any) -> Kind:
    """Return what kind of thing an object is, as far as access to parts of it goes."""
    kind = type(value)
    if kind in DICTS:
        return Kind("dict")
    if kind in LISTS:
        return Kind("list", len(value))
    if kind in (set, frozenset):
        return Kind("set")
    adapter = of_module(type.__getattribute__(kind, "__module__"))
    if hasattr(adapter, "access_kind"):
        return adapter.access_kind(value)  # type: ignore[no-any-return]  # as it promises
    if is_own(kind) and is_followed(static(kind, "__getitem__")):
        return Kind("own")
    return Kind("object")


def attribute(value: Any, kind: Kind, name: str) -> Any:
    """Return the keys that an attribute adds to the object's path: several ways, or none to tell.

    `()` stays at the object itself, as `df.loc` does.
    """
    if kind.word == "frame":
        if name in _BY_LABEL | _BY_NUMBER:
            return [()]
        known = static(type(value), name) is None and _is_column(kind, name)
        return [(name,)] if known else STUCK
    if kind.word not in {"object", "own"} or name.startswith("__"):
        return STUCK
    cls = type(value)
    found = static(cls, name)
    if type(found) is property and all(map(is_followed, filter(None, _accessors(found)))):
        return CALLED
    is_data = found is not None and static(type(found), "__set__") is not None
    held = fields(value)
    if is_data or held is None or not _is_usual(cls):
        return STUCK
    if name in held:
        return [(name,)]
    missing = found is None and static(cls, "__getattr__") is None
    return [(name,)] if missing and is_own(cls) else STUCK


def _accessors(found: property) -> tuple[Any, ...]:
    return found.fget, found.fset, found.fdel


def _is_usual(cls: type) -> bool:
    """Return whether a class finds and sets attributes in the usual way."""
    return (
        static(cls, "__getattribute__") is _USUAL["__getattribute__"]
        and static(cls, "__setattr__") is _USUAL["__setattr__"]
        and static(cls, "__delattr__") is _USUAL["__delattr__"]
    )


def item(kind: Kind, keys: list[Any], *, many: bool) -> Any:
    """Return the keys that a subscript adds to the object's path: several ways, or none to tell.

    `keys` are texts, numbers, lists of texts, and None for all that is none of these.
    """
    if kind.word == "own":
        return CALLED
    if kind.word in {"loc", "iloc"}:
        return _cells(kind, keys) if many and len(keys) == 2 else STUCK
    if many or len(keys) != 1 or keys[0] is None:
        return STUCK
    key = keys[0]
    if kind.word == "frame":
        return _columns(kind, key)
    if kind.word == "dict" and type(key) is not list:
        return [(key,)]
    if kind.word == "list" and type(key) is int:
        return [(key if key >= 0 else key + kind.size,)]
    return STUCK


def _cells(kind: Kind, keys: list[Any]) -> Any:
    """Return the columns of `df.loc[rows, columns]`, or `.iloc`."""
    key = keys[1]
    if kind.word == "loc":
        return _columns(kind, key)
    if type(key) is not int or not -len(kind.columns) <= key < len(kind.columns):
        return STUCK
    name = kind.columns[key]
    return _columns(kind, name if type(name) in (str, int) else None)


def _columns(kind: Kind, key: Any) -> Any:
    """Return the columns of a frame that a key names; one that is not there may come to be."""
    if key is None or type(kind.columns).__name__ == "MultiIndex":
        return STUCK
    if type(key) is list:
        return [(name,) for name in key]
    return [(key,)]


def _is_column(kind: Kind, name: str) -> bool:
    return type(kind.columns).__name__ != "MultiIndex" and name in kind.columns
