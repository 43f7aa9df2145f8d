"""What a pass holds: memory that branches copy, frames of calls, notes, events for the judge."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from copy import copy

from pytest_nbsafe.absint.leakage.abstract_values import CodeSite, Eval, ModelFit, Value
from pytest_nbsafe.absint.leakage.rows import Atom
from pytest_nbsafe.values import dataclass, field

Scope = dict[str, Value]


@dataclass(slots=True)
class Memory:
    """What names and objects hold: `scopes` are the names, the notebook's own first."""

    scopes: list[Scope] = field(default_factory=lambda: [{}])
    heap: dict[int, Value] = field(default_factory=dict)

    def copy(self) -> Memory:
        """Return a memory that changes apart from this one."""
        return Memory([dict(scope) for scope in self.scopes], dict(self.heap))


@dataclass(slots=True)
class Frame:
    """One call that is under way: of which function, from where, and what it has given so far.

    `outer` are the names that it declares global.
    """

    cell: int
    function: ast.AST | None = None
    callers: tuple[tuple[int, int, int], ...] = ()
    outer: set[str] = field(default_factory=set)
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Notes:
    """What a pass has noted so far, on whatever branch; it only grows.

    `events` are what the judge is told of, in the order in which it happened. `groups` and
    `markers` are columns that say of rows to which group or table they belong, `splits` the
    divisions by functions and folds; `places` says where any other was made, and where the
    rows of a source come from, each with the name that it was given; `times` says when a place was
    last run.
    `saved` is what files hold, `stars` are the modules of `from x import *`, `runs` counts those
    of each cell, `tokens` are small numbers that stand for values.
    """

    events: list[Event] = field(default_factory=list)
    groups: dict[object, str] = field(default_factory=dict)
    markers: dict[tuple[str, Atom], object] = field(default_factory=dict)
    splits: dict[object, tuple[CodeSite, str, bool, str | None]] = field(default_factory=dict)
    places: dict[Hashable, tuple[CodeSite, str]] = field(default_factory=dict)
    times: dict[CodeSite, int] = field(default_factory=dict)
    saved: dict[object, Value] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    runs: dict[int, int] = field(default_factory=dict)
    tokens: dict[object, int] = field(default_factory=dict)
    objects: int = 0

    def copy(self) -> Notes:
        """Return notes that grow apart from these."""
        return Notes(*(copy(getattr(self, name)) for name in self.__match_args__))


@dataclass(frozen=True, slots=True)
class Choice:
    """Something is chosen by scores."""

    site: CodeSite
    scores: frozenset[Eval]


@dataclass(frozen=True, slots=True)
class BestScore:
    """The best score of a search is given as a result."""

    site: CodeSite
    fit: ModelFit


@dataclass(frozen=True, slots=True)
class RowsSplit:
    """Rows are divided into train and test."""

    site: CodeSite


@dataclass(frozen=True, slots=True)
class Ungrouped:
    """Rows of one `group` are cross-validated in different folds."""

    site: CodeSite
    group: str


Event = Eval | Choice | BestScore | RowsSplit | Ungrouped
