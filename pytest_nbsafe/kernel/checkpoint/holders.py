"""Where in the names of the notebook certain objects are found, and found again elsewhere."""

from __future__ import annotations

import gc
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from ..adapters import of_class
from ..functions.reach import kept_by

MOST = 2_000
"""How many objects are looked at for one name."""
_ENDS = frozenset(
    {int, float, complex, bool, str, bytes, type(None), range, slice, type(...), types.ModuleType}
    | {types.BuiltinFunctionType, types.CodeType}
)
"""Kinds of values that lead to nothing that is of interest."""
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
Path = typing.Optional[typing.List[Any]]  # noqa: UP006, UP045  # Python 3.8 has no other
"""Steps from the value of a name: `[attribute]`, or the number of an element; None where they
cannot be told."""


class Holdings:
    """What one name leads to: paths to objects, by identity; `is_cut` where not all was seen.

    `seen` are all objects that could be of interest, by identity.
    """

    __slots__ = ("is_cut", "paths", "seen")

    def __init__(self) -> None:
        self.paths: dict[int, Path] = {}
        self.is_cut = False
        self.seen: set[int] = set()


def held_by(value: Any, wanted: Collection[int]) -> Holdings:
    """Return where the objects of these identities are in a value."""
    holdings = Holdings()
    within = _within(value)
    if within is not None and within.isdisjoint(wanted):
        holdings.seen = within
        return holdings
    seen = holdings.seen
    level: list[tuple[Any, Path]] = [(value, [])]
    while level:
        below: list[tuple[Any, Path]] = []
        for item, path in level:
            key = id(item)
            if type(item) in _ENDS or key in seen:
                continue
            seen.add(key)
            if key in wanted:
                holdings.paths[key] = path
            is_long = type(item) in _CONTAINERS and len(item) > MOST
            if len(seen) > MOST or (is_long and not _leads_nowhere(item)):
                holdings.is_cut = True
                return holdings
            if is_long:
                continue
            if hasattr(of_class(type(item)), "TANGLED"):
                holdings.is_cut = True
                continue
            below += _parts(item, path)
        level = below
    return holdings


def _within(value: Any) -> set[int] | None:
    """Return by identity all that a value leads to; None where that is much, or not told at once.

    It is what `held_by` sees, without the paths: most names hold nothing that is looked for.
    """
    seen: set[int] = set()
    level = [value]
    while level:
        fresh = {id(item): item for item in level if type(item) not in _ENDS}
        for key in fresh.keys() & seen:
            del fresh[key]
        seen.update(fresh)
        ways = {kind: _way(kind) for kind in {*map(type, fresh.values())}}
        if len(seen) > MOST or None in ways.values():
            return None
        long = [i for i in fresh.values() if type(i) in _CONTAINERS and len(i) > MOST]
        if not all(map(_leads_nowhere, long)):
            return None
        for item in long:
            del fresh[id(item)]
        at_once = [item for item in fresh.values() if ways[type(item)] is gc.get_referents]
        level = gc.get_referents(*at_once)
        if len(at_once) < len(fresh):
            for item in fresh.values():
                if ways[type(item)] is not gc.get_referents:
                    level += ways[type(item)](item)  # type: ignore[misc]  # none is None
    return seen


def _way(kind: type) -> Callable[[Any], Iterable[Any]] | None:
    """Return what tells what a value of a class holds, None where not all of that is looked at."""
    adapter = of_class(kind)
    if hasattr(adapter, "TANGLED"):
        return None
    is_asked = hasattr(adapter, "items_of") or hasattr(adapter, "lazily_copied")
    if is_asked or issubclass(kind, (type, types.FunctionType)):
        return _without_paths
    return gc.get_referents


def _without_paths(item: Any) -> Iterator[Any]:
    return (each for each, _ in _parts(item, None))


def at(value: Any, path: list[Any]) -> Any:
    """Return what is found on a path.

    Raises:
        Exception: nothing is found there.

    """
    for step in path:
        if isinstance(step, list):
            held = getattr(value, "__dict__", None)
            value = held[step[0]] if held is not None and step[0] in held else value.base
        elif type(value) is dict:
            value = list(value.values())[step]
        else:
            value = value[step]
    return value


def _leads_nowhere(container: Any) -> bool:
    """Return whether nothing in a container is of interest."""
    held = container.values() if type(container) is dict else container
    return _ENDS.issuperset(map(type, held))


def _parts(item: Any, path: Path) -> Iterator[tuple[Any, Path]]:
    """Yield what a value holds, each with its path."""
    kind = type(item)
    if kind is list or kind is tuple or kind is dict:
        if not _leads_nowhere(item):
            for number, each in enumerate(list(item.values()) if kind is dict else item):
                yield each, None if path is None else [*path, number]
        return
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(item, numpy.ndarray):
        if item.base is not None:
            yield item.base, None if path is None else [*path, ["base"]]
        yield from ((each, None) for each in of_class(numpy.ndarray).items_of(item))
        return
    if not gc.is_tracked(item) or kind is type:
        return
    if kind is types.FunctionType:
        if item.__module__ == "__main__":
            yield from ((each, None) for each in kept_by(item))
        return
    if isinstance(item, type):
        if item.__module__ == "__main__":
            yield from ((each, None) for each in vars(item).values())
        return
    adapter = of_class(kind)
    parts = adapter.lazily_copied(item) if hasattr(adapter, "lazily_copied") else None
    if parts is not None:
        yield from ((each, None) for each in parts)
        return
    own = getattr(item, "__dict__", None)
    if type(own) is dict:
        for name, each in own.items():
            yield each, None if path is None or type(name) is not str else [*path, [name]]
    yield from ((each, None) for each in gc.get_referents(item) if each is not own)
