"""Functions that keep their results, as those of `functools.lru_cache`: which they gave or kept.

What such a function keeps is no part of what it is: it gives the same. But it may show it
(`cache_info`), does not print again what it printed, and gives the very list that somebody has
changed since.
"""

from __future__ import annotations

import functools
import gc
import itertools
import weakref
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from ..functions.reach import fields, kept_by
from ..hashing.instances import HOME_MODULE

KEEPS: Any = getattr(functools, "_lru_cache_wrapper", None)
"""The class of such functions."""
_LINK = "_lru_list_elem"
"""The class of what holds a key and a result together, where there is a limit to them."""
_FEW = 64
_WRAPPERS = (staticmethod, classmethod)


class KeptResults:
    """What the functions of a namespace, and those in its classes, had kept when a run began."""

    def __init__(self, home: dict[str, Any]) -> None:
        self._home = home
        self._began: list[tuple[str, weakref.ref[Any], Any]] = []

    def start(self) -> None:
        """Take note that a run begins."""
        told = self._now()
        self._began = [(name, weakref.ref(function), info) for name, function, info in told]

    def changed(self) -> list[str]:
        """Return the names of functions and classes that have kept, given or forgotten results."""
        began = {(name, id(ref())): info for name, ref, info in self._began}
        return sorted(
            {
                name
                for name, function, info in self._now()
                if info != began.get((name, id(function)), (0, 0, info.maxsize, 0))
            }
        )

    def _now(self) -> Iterator[tuple[str, Any, Any]]:
        """Yield each function that keeps results, with the name that leads to it, and how many."""
        for name, value in list(self._home.items()):
            for held in _held_by(value):
                function: Any = held.__func__ if isinstance(held, _WRAPPERS) else held
                if type(function) is KEEPS:
                    yield name, function, KEEPS.cache_info(function)


def results_of(function: Any) -> list[Any]:
    """Return what such a function shows of itself, and the results that it keeps, oldest first."""
    own = vars(function)
    held = [*KEEPS.cache_info(function)]
    for part in gc.get_referents(function):
        kind = type(part)
        is_code = issubclass(kind, type) or part is own.get("__wrapped__")
        is_by_links = kind is dict and any(type(each).__name__ == _LINK for each in part.values())
        if not (is_code or is_by_links or kind is object or part is own):
            held.append(part)
    return held


def _held_by(value: Any) -> Iterable[Any]:
    """Return a value itself, or what a class, an object of one, a function or a list holds."""
    kind = type(value)
    if kind is KEEPS:
        return (value,)
    if kind is FunctionType:
        return kept_by(value)
    if kind in (list, tuple, dict):
        return list(itertools.islice(value.values() if kind is dict else value, _FEW))
    if kind is type and value.__module__ == HOME_MODULE:
        return list(vars(value).values())
    return list((fields(value) or {}).values()) if kind.__module__ == HOME_MODULE else ()
