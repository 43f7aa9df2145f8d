"""What values refer to, by their classes, as far as anybody tells."""

from __future__ import annotations

import enum
import gc
import types
import typing
import weakref
from typing import Any

from ..adapters import of_class
from ..functions.reach import is_own
from ..identity import identity
from .reachable import CONSTANTS, FIXED, PROXIES, is_constant, is_importable
from .unseen_memory import libraries_of

_ENDS = frozenset(map(identity, CONSTANTS))
_DEPTH = 5
Look = typing.Callable[[Any], typing.Optional[typing.List[Any]]]  # noqa: UP006, UP045  # Python 3.8 has no other
"""Tells what a value refers to, each as often as it does; None of one that cannot change."""


class UnknownError(Exception):
    """Nobody tells what a value refers to."""


def look_at(kind: type) -> Look | None:
    """Return what tells what values of a class refer to, None where they cannot change.

    Raises:
        UnknownError: nobody tells.

    """
    if identity(kind) in _ENDS or issubclass(kind, (type, enum.Enum)):
        return None
    if kind is types.FunctionType:
        return _held_by_function
    if issubclass(kind, weakref.ref):
        return _held_beside
    if identity(kind) in PROXIES:  # nobody tells of what without asking that
        raise UnknownError
    if identity(kind) in FIXED:
        return _held_for_ever
    adapter = of_class(kind)
    if is_constant(kind, adapter):
        return None
    if hasattr(adapter, "TANGLED") or libraries_of(kind):
        raise UnknownError
    if hasattr(adapter, "references_of"):
        return _held_by(adapter)
    if hasattr(adapter, "never_written"):
        return _held_but_constants(adapter)
    return _held_beside if hasattr(adapter, "lazily_copied") else gc.get_referents


def refers_to(value: object, wanted: set[int]) -> bool:
    """Return whether a value itself refers to one of the objects."""
    try:
        look = look_at(type(value))
        held = look(value) if look is not None else None
    except UnknownError:
        return False
    return not wanted.isdisjoint(map(identity, held or ()))


def _held_beside(item: Any) -> list[Any]:
    """Return what a value refers to that has to be looked at one by one, for more is told of it."""
    return gc.get_referents(item)


def _held_but_constants(adapter: Any) -> Look:
    def held(item: Any) -> list[Any]:
        referents = gc.get_referents(item)
        constants = {*map(identity, adapter.never_written(item))}
        for fields in [each for each in referents if constants and type(each) is dict]:
            if not constants.isdisjoint(map(identity, fields.values())):  # an object has its own
                referents = [each for each in (*referents, *fields.values()) if each is not fields]
        return [each for each in referents if identity(each) not in constants]

    return held


def _held_by(adapter: Any) -> Look:
    def held(item: Any) -> list[Any]:
        references: list[Any] | None = adapter.references_of(item)
        if references is None:
            raise UnknownError
        return references

    return held


def _held_by_function(function: Any) -> list[Any] | None:
    """Return what a function keeps, None of one of a library, which all share."""
    if function.__module__ != "__main__" and is_importable(function):
        return None
    held = function.__closure__, function.__defaults__, function.__kwdefaults__, function.__dict__
    return [each for each in held if each] or None  # what keeps nothing is known by its name


def _held_for_ever(items: Any) -> list[Any] | None:
    """Return what a value refers to that stays as it is, None where nothing of it can change."""
    return None if _leads_nowhere(items, _DEPTH) else gc.get_referents(items)


def _leads_nowhere(items: Any, depth: int) -> bool:
    if not depth:
        return False
    kinds = {identity(kind): kind for kind in map(type, items)}
    if not all(key in FIXED or look_at(kind) is None for key, kind in kinds.items()):
        return False
    classes = [item for item in items if issubclass(type(item), type)]
    if any(map(is_own, [*classes, *kinds.values()])):  # what they hold can change
        return False
    return all(_leads_nowhere(item, depth - 1) for item in items if identity(type(item)) in FIXED)
