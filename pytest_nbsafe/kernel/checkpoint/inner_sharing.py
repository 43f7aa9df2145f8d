"""Whether a value leads to one object in two ways: what is done to one part then shows in another.

`[[0] * 3] * 3` and `[[0] * 3 for _ in range(3)]` give equal values, and only one of them does.
"""

from __future__ import annotations

import enum
import types
import typing
from typing import Any

from ..functions.reach import fields, is_own
from ..identity import identity
from .reachable import CONSTANTS, FIXED

_ENDS = frozenset(map(identity, (*CONSTANTS, types.FunctionType, types.BuiltinFunctionType)))
_SEQUENCES = frozenset(map(identity, (list, tuple, set, frozenset)))
_MOST = 5000


def leads_twice(value: object) -> typing.Optional[bool]:  # noqa: UP045  # Python 3.8 has no other
    """Return whether it does, None where that takes too long to tell.

    Followed are containers and objects of the notebook's classes; of all else only that it is met.
    """
    level: list[Any] = [value]
    met: set[int] = set()
    left = _MOST
    while level:
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if identity(kind) in _ENDS or issubclass(kind, (type, enum.Enum)):
                continue
            if identity(kind) not in FIXED:
                if identity(item) in met:
                    return True
                met.add(identity(item))
            held = _held(item, kind)
            left -= 1 + len(held)
            if left < 0:
                return None
            below += held
        level = below
    return False


def _held(item: Any, kind: type) -> list[Any]:
    if identity(kind) in _SEQUENCES:
        return [*item]
    if kind is dict:
        return [*item.values()]
    attributes = fields(item) if is_own(kind) else None
    return [*attributes.values()] if attributes is not None else []
