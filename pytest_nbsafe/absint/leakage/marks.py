"""Marks of values of which nothing is known but how they came about."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe.absint.leakage.abstract_values import Deps
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Length:
    """How many rows there are, or how long a list is."""

    of: Hashable


@dataclass(frozen=True, slots=True)
class Shape:
    """How many rows and columns there are."""

    of: Hashable


@dataclass(frozen=True, slots=True)
class RoundItem:
    """What a loop runs over, another in each round; `consecutive` are places one after another."""

    run: Hashable
    line: Hashable
    of: Hashable
    consecutive: bool = False


@dataclass(frozen=True, slots=True)
class RoundPart:
    """A part of what a loop runs over."""

    place: int
    of: Hashable


@dataclass(frozen=True, slots=True)
class Repeated:
    """Values that are there more than once."""

    made: Hashable


@dataclass(frozen=True, slots=True)
class Stopper:
    """A callback that stops a training early, or keeps its best model in the file `path`."""

    made: Hashable
    path: Hashable = None


@dataclass(frozen=True, slots=True)
class Sorted:
    """A list of scores, the best or the worst of them first."""

    made: Hashable


@dataclass(frozen=True, slots=True)
class Ranked:
    """A list of names that is sorted by what `deps` say of them; `cut`: only some of it."""

    deps: Deps
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Meeting:
    """One of several values of which nothing more is known: that of the path that was taken."""

    values: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class EitherBase:
    """What the columns of a table belong to that is one of several: that of the path taken."""

    bases: frozenset[Hashable]
