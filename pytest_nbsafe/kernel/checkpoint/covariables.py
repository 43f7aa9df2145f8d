"""Which names of the notebook share objects, and so are kept and restored together.

Source: Li et al., Kishu, section 4. Departs: tables that are copied before they are written to
(pandas) do not tie names together, and library objects that all share never do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .reachable import Reached, Surface


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
