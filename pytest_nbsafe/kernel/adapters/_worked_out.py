"""What an object worked out and keeps: it counts only where it is no longer what would come again.

It is handed out, so it may be changed where it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..hashing.hasher import Hasher


def add_changed(
    hasher: Hasher, held: dict[str, Any], names: Iterable[str], again: Callable[[str], Any]
) -> None:
    """Write what is held under some names, but not what `again` gives of a name just so."""
    for name in names:
        if held.get(name) is not None:
            content = hasher.apart(held[name])
            if content != hasher.apart(again(name)):
                hasher.tag(name)
                hasher.raw(content)


def without(value: Any, kind: type, changes: dict[str, Any]) -> Any:
    """Return another object of a class with what a value holds, but for some changes."""
    other: Any = object.__new__(kind)
    vars(other).update({**vars(value), **changes})
    return other
