"""Other names of a library: what it is usually imported as, and old places of its modules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Spellings:
    """What names stand for: `aliases` by the usual import (`np`), `moved` by a module's old name.

    `roots` are the first words of what has moved.
    """

    aliases: Mapping[str, str]
    moved: Mapping[str, str]
    roots: frozenset[str]

    def canonical(self, name: str) -> str:
        """Return the name under which the tables know a dotted name, its module's newest place."""
        if name.partition(".")[0] not in self.roots:
            return name
        end = len(name)
        while end > 0:  # the longest prefix first
            if name[:end] in self.moved:
                return self.moved[name[:end]] + name[end:]
            end = name.rfind(".", 0, end)
        return name


@cache
def load(extra: str = "") -> Spellings:
    """Return everything known; `extra` is what the user says of libraries, as JSON text."""
    moved = _pairs("moved", extra)
    roots = frozenset(prefix.partition(".")[0] for prefix in moved)
    return Spellings(_pairs("aliases", extra), moved, roots)


def _pairs(key: str, extra: str) -> dict[str, str]:
    pairs = (word.partition(":") for word in words("library", key, extra))
    return {name: stands_for for name, _, stands_for in pairs}
