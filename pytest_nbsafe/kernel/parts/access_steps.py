"""What attributes, subscripts and calls do with an object, as far as that is certain.

What a class does by itself when it is asked for an item (`__getitem__`, a property) is not known;
of a frame a column is, by name or with `.loc` and the like.
"""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..adapters import of_module
from ..functions.reach import fields, is_own, static
from .access_sites import Site, is_followed
from .aliases import DICTS, LISTS

if TYPE_CHECKING:
    Paths = list[tuple[Any, ...]]

STUCK: Any = object()
"""It leads to something that is no part of the object, or to no telling where."""
CALLED: Any = object()
"""It calls code of a cell, which is followed."""
_ACCESS = ("__getattribute__", "__setattr__", "__delattr__")
_BY_LABEL = frozenset({"loc", "at"})
_BY_NUMBER = frozenset({"iloc", "iat"})


class Kind:
    """What an object is, without the object: `word` says it, `size` and `columns` what it has.

    `changing` are the methods that change it, None where that is not known.
    """

    def __init__(
        self, word: str, size: int = 0, columns: Any = None, changing: Collection[str] | None = None
    ) -> None:
        self.changing = changing
        self.word = word
        self.size = size
        self.columns = columns
        self.is_table = word in {"frame", "loc", "iloc", "array"}


class Track:
    """A chain under way: the symbols of what it has reached, and how it goes on from there.

    `line` is that of the statement: when it is known that the chain was left, another may be
    executing.
    """

    def __init__(self, site: Site, paths: Paths, kind: Kind, place: int, line: int) -> None:
        self.site = site
        self.line = line
        self.paths = paths
        self.kind = kind
        self.place = place
        self.keys: list[Any] = []
        self.next: Any = STUCK


def joined(some: Paths, others: Paths) -> Paths:
    """Return some symbols and those of others that are not among them."""
    return [*some, *(path for path in others if path not in some)] if others else some


def after(track: Track) -> Paths:
    """Return the symbols that a chain leads to by its next link: itself where that is not told."""
    if track.next is STUCK or track.next is CALLED:
        return track.paths
    return [(*path, *step) for path in track.paths for step in track.next]


def plain_key(value: Any) -> Any:
    """Return a key that names a part: a text, a number, a list of texts; None for all others."""
    if type(value) in (str, int):
        return value
    if type(value) is list and value and all(type(key) is str for key in value):
        return [*value]
    return None


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
        return Kind(**adapter.access_kind(value))
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
    member = static(cls, name)
    accessors = (member.fget, member.fset, member.fdel) if type(member) is property else ()
    if accessors and all(map(is_followed, filter(None, accessors))):
        return CALLED
    is_data = member is not None and static(type(member), "__set__") is not None
    held = fields(value)
    if is_data or held is None or not _is_usual(cls):
        return STUCK
    if name in held:
        return [(name,)]
    missing = member is None and static(cls, "__getattr__") is None
    return [(name,)] if missing and is_own(cls) else STUCK


def _is_usual(cls: type) -> bool:
    """Return whether a class finds and sets attributes in the usual way."""
    return all(static(cls, name) is vars(object)[name] for name in _ACCESS)


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


# ------------------------------------------------------------------ calls

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
    if type(value) in (types.FunctionType, types.BuiltinFunctionType) or issubclass(
        type(value), type
    ):
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


def _is_followed_class(value: Any) -> bool:
    """Return whether making an object of a class calls nothing but what is followed."""
    if type(value) is not type or not is_own(value):
        return False
    return static(value, "__new__") is object.__new__ and is_followed(static(value, "__init__"))
