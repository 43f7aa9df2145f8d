"""Which names of the notebook share objects, and so are kept and restored together.

Source: Li et al., Kishu, section 4. Departs: tables that are copied before they are written to
(pandas) do not tie names together, and library objects that all share never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..adapters import of_class
from .counted_references import Holders, sharing
from .reachable import BYTE_S, OBJECT_S, Reached, Surface

_CONTAINERS = frozenset({list, dict, set, tuple, frozenset})


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
    holders: Holders, asked: Iterable[str], surface: Surface, worth_s: Mapping[str, float]
) -> Iterator[Group]:
    """Yield the co-variables of the names: first those that are soon kept, by what it is worth.

    Each is found by counting references, which looks at no other; what is left at last by
    following all names.
    """
    home, done, left = holders.home, set[str](), []
    for name in sorted(asked, key=lambda n: _guess_s(home.get(n)) / (worth_s.get(n) or 1.0)):
        if name in done or name not in holders.own:
            continue
        others = sharing(name, holders)
        if others is None:
            left.append(name)
            continue
        done.update((name, *others))
        yield Group({each: Reached(home[each], surface) for each in sorted((name, *others))})
    if left:
        yield from groups(home, holders.own, left, surface)


def _guess_s(value: object) -> float:
    """Return about how many seconds it takes at least to keep a value, without following it."""
    kind = type(value)
    if kind in _CONTAINERS:
        return len(value) * OBJECT_S  # type: ignore[arg-type]  # it is one
    adapter = of_class(kind)
    parts = adapter.lazily_copied(value) if hasattr(adapter, "lazily_copied") else None
    sizes = [getattr(part, "nbytes", 0) for part in (parts or [value] if adapter else [])]
    return sum(size for size in sizes if type(size) is int) * BYTE_S


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
