"""Which names of the notebook share objects, and so are kept and restored together.

Source: Li et al., Kishu, section 4. Departs: tables that are copied before they are written to
(pandas) do not tie names together, and library objects that all share never do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..adapters import of_class
from .counted_references import Holders, sharing
from .reachable import BYTE_S, CONSTANTS, OBJECT_S, Reached, Surface

_CONTAINERS = frozenset({list, dict, set, tuple, frozenset})
_UNKNOWN_S = 0.02
"""What may be anything comes after what is surely small."""


class Group:
    """A co-variable: its names in order, with what each leads to."""

    __slots__ = ("reached",)

    def __init__(self, reached: dict[str, Reached]) -> None:
        self.reached = reached

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self.reached)

    def cost_s(self) -> float:
        """Return about how many seconds it takes to keep the values."""
        return sum(reached.cost_s() for reached in self.reached.values())


def found_one_by_one(
    holders: Holders,
    asked: Iterable[str],
    surface: Surface,
    worth_s: Mapping[str, float],
    left_s: Callable[[], float],
) -> Iterator[Group]:
    """Yield the co-variables of the names: first those that are soon kept, by what it is worth.

    Each is found by counting references, which looks at no other; then those for which others have
    to be followed; what is left at last by following all names. `left_s` tells how long may be
    computed yet: those are left where it is less than it takes to follow all names.
    """
    home = holders.home
    done: set[str] = set()
    asked = [name for name in asked if name in holders.own]
    left = sorted(asked, key=lambda name: _guess_s(home[name]) / (worth_s.get(name) or 1.0))
    follow_s = sum(_guess_s(home[name]) for name in holders.own) / 2
    for soon in (True, False):
        waiting, left = left, []
        for name in waiting if soon or left_s() > follow_s else ():
            others = sharing(name, holders, soon=soon) if name not in done else None
            if others is not None:
                names = sorted((name, *others))
                done.update(names)
                yield Group({each: Reached(home[each], surface) for each in names})
            elif name not in done:
                left.append(name)
    if left and left_s() > follow_s:
        yield from groups(home, holders.own, left, surface)


def _guess_s(value: object) -> float:
    """Return about how many seconds it takes to keep a value, without following it."""
    kind = type(value)
    if kind in CONSTANTS:
        return OBJECT_S
    if kind in _CONTAINERS:
        return (1 + len(value)) * OBJECT_S  # type: ignore[arg-type]  # it is one
    adapter = of_class(kind)
    parts = adapter.lazily_copied(value) if hasattr(adapter, "lazily_copied") else None
    sizes = [getattr(part, "nbytes", None) for part in (parts or [value] if adapter else [])]
    known = [size for size in sizes if type(size) is int]
    return sum(known) * BYTE_S + OBJECT_S if known else _UNKNOWN_S


def groups(
    home: dict[str, Any], own: Iterable[str], asked: Iterable[str], surface: Surface
) -> list[Group]:
    """Return the co-variables that some of the names belong to, as those names stand in order."""
    reached = {name: Reached(home[name], surface) for name in sorted(own) if name in home}
    leader = {name: name for name in reached}
    holders: dict[int, str] = {}
    for name, value in reached.items():
        shared = value.shared()
        for key in shared & holders.keys():
            _join(leader, name, holders[key])
        holders.update(dict.fromkeys(shared, name))
    for name, value in reached.items():
        for key in value.lazily_shared() & holders.keys():
            _join(leader, name, holders[key])
    named = {id(home[name]): name for name in reached}
    for name, value in reached.items():
        for key in value.borrowed & named.keys():
            _join(leader, name, named[key])
    parts: dict[str, dict[str, Reached]] = {}
    for name, value in reached.items():
        parts.setdefault(_first(leader, name), {})[name] = value
    order = dict.fromkeys(_first(leader, name) for name in asked if name in reached)
    return [Group(parts[first]) for first in order]


def _first(leader: dict[str, str], name: str) -> str:
    while leader[name] != name:
        leader[name] = name = leader[leader[name]]
    return name


def _join(leader: dict[str, str], name: str, other: str) -> None:
    leader[_first(leader, other)] = _first(leader, name)
