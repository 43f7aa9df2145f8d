"""In which places of its table a set keeps its elements: where later ones come hangs on that.

Two sets may give their elements in one order, and no longer do so when each is given another, or
gives one away (`pop`). No method tells of the table.
"""

from __future__ import annotations

import struct
import sys
from typing import Any

_WORD = struct.calcsize("n")
_FIELDS = struct.Struct("6n")
"""How many places are or were taken, and are; the last place; the table, a hash, the next place."""
_WAS_TAKEN = -1
"""Stands where an element was, and is no element's hash."""


def table_of(value: Any) -> bytes:
    """Return what tells the table of a set from others of equal elements, empty if nothing does."""
    return _table(value) if _CAN_BE_READ else b""


def _table(value: Any) -> bytes:
    import ctypes

    head = ctypes.string_at(id(value) + object.__basicsize__, _FIELDS.size)
    _, used, last, table, _, finger = _FIELDS.unpack(head)
    memory: Any = memoryview(ctypes.string_at(table, 2 * _WORD * (last + 1)))
    entries = memory.cast("n")
    hashes = entries[1::2].tolist()
    zeros: list[int] = []
    if last + 1 - hashes.count(0) - hashes.count(_WAS_TAKEN) < used:  # 0 says where nothing is, too
        zeros += (place for place, key in enumerate(entries[::2].tolist()) if key)
        zeros = [place for place in zeros if not hashes[place]]
    places: bytes = entries[1::2].tobytes()
    return b"%d %r " % (finger, zeros) + places


def _can_be_read() -> bool:
    """Return whether tables lie in the memory as they are read here, in this interpreter."""
    if sys.implementation.name != "cpython":
        return False
    try:
        found = _table({0, 3, 5})
    except Exception:  # it has other fields
        return False
    hashes = struct.pack("8n", 0, 0, 0, 3, 0, 5, 0, 0)
    return found == b"0 [0] " + hashes


_CAN_BE_READ = _can_be_read()
