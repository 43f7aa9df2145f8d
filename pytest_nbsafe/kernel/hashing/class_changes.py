"""Which classes of cells are no longer what they were when they were first looked at.

All objects of such a class share what it holds: what is done to it by one name shows by all.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from ..identity import identity
from .hasher import Context, Hasher


class _First:
    """A class as it was first looked at: how it was written, and its hash, empty if unknown."""

    __slots__ = ("context", "digest", "kind")

    def __init__(self, kind: type, context: Context) -> None:
        self.kind = weakref.ref(kind, _Forget(identity(kind)))
        self.context = Context(context.texts, context.home, context.handler_of)
        self.digest = b""


class _Forget:
    """Forgets a class that is gone."""

    def __init__(self, key: int) -> None:
        self._key = key

    def __call__(self, kind: Any) -> None:
        if self._key in _known and _known[self._key].kind is kind:
            del _known[self._key]


_known: dict[int, _First] = {}


def note(context: Context, cls: type) -> None:
    """Take note of what a class of a cell is, if it was not looked at before."""
    if identity(cls) not in _known:
        first = _known[identity(cls)] = _First(cls, context)  # a class may hold its own objects
        first.digest = _digest(first.context, cls)


def has_noted() -> bool:
    """Return whether any class of a cell was looked at."""
    return bool(_known)


def noted(keys: Iterable[int]) -> list[type]:
    """Return those of the classes of cells, given by identity, that were looked at."""
    found = (_known[key].kind() for key in _known.keys() & keys)
    return [cls for cls in found if cls is not None]


def has_changed(cls: type) -> bool:
    """Return whether a class is not, or may not be, what it was when it was first looked at."""
    first = _known.get(identity(cls))
    if first is None:
        return False
    return not first.digest or _digest(first.context, cls) != first.digest


def _digest(context: Context, cls: type) -> bytes:
    try:
        return Hasher(context).apart(cls)
    except Exception:  # it cannot be compared, whatever the cause
        return b""
