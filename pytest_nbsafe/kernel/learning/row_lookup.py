"""Known rows, in which others are looked up by a hash of each."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .table_rows import Rows

_REPEATED = 0.3  # of a table's rows repeat others: they tell nothing


class Numbers(Protocol):
    """What gives the rows of all tables their numbers."""

    def roots(self, origins: Any) -> Any:
        """Return what origins are copies of."""

    def group_number(self, count: int) -> int:
        """Return the first of so many new numbers of groups."""


class KnownRows:
    """Rows in which others are looked up, by a hash of each; sorted when it is first asked."""

    __slots__ = (
        "chance", "first", "grouped", "groups", "hashes", "known", "past", "rows", "sizes",
        "sorted", "width",
    )  # fmt: skip

    def __init__(self, hashes: Any, rows: Rows, past: frozenset[int], width: int) -> None:
        self.hashes, self.rows, self.past, self.width = hashes, rows, past, width
        self.sorted: Any = None
        self.chance = 0.0
        self.known: Any = None
        self.first = 0
        self.sizes: Any = None
        self.grouped: Any = None
        self.groups: Any = None

    def share(self, some: Any, numbers: Numbers) -> float:
        """Return the share of some hashes that are found."""
        self._sort(numbers)
        return float(np.mean(within(some, self.sorted))) if len(some) else 0.0

    def find(self, hashes: Any) -> Any:
        """Return the origin or group of each hash, 0 where it is not found."""
        at = np.minimum(np.searchsorted(self.sorted, hashes), len(self.sorted) - 1)
        return np.where(self.sorted[at] == hashes, self.known[at], 0)

    def _sort(self, numbers: Numbers) -> None:
        if self.sorted is not None:
            return
        order = np.argsort(self.hashes, kind="stable")
        ordered, origins = self.hashes[order], self.rows.origins[order]
        self.hashes = None
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        least, most = np.minimum.reduceat(origins, starts), np.maximum.reduceat(origins, starts)
        sizes: Any = np.diff(np.append(starts, len(ordered)))
        alone = least == most
        roots = numbers.roots(origins)
        one_root = np.minimum.reduceat(roots, starts) == np.maximum.reduceat(roots, starts)
        native = int(np.count_nonzero(~one_root)) + int((sizes[~one_root] - 2).sum())
        self.chance = by_chance(native, len(ordered))
        if native > _REPEATED * len(ordered):  # the kind of rows that repeats anyway
            self.sorted, self.known = ordered[:0], origins[:0]
            return
        self.sorted, self.known = ordered[starts], least
        many = np.flatnonzero(~alone & (least > 0))
        mixed = ~alone & (least < 0)
        self.first = numbers.group_number(len(many))
        self.known[many] = -(self.first + np.arange(len(many)))
        self.sizes = sizes[many]
        inside: Any = np.repeat(np.isin(np.arange(len(starts)), many), sizes)
        self.grouped = origins[inside]
        self.groups = np.repeat(np.arange(len(many)), self.sizes)
        if mixed.any():
            self.sorted, self.known = self.sorted[~mixed], self.known[~mixed]

    def surely_shared(self, groups: Any, theirs: Any, members: Any) -> int:
        """Return how many rows of this table's groups must be among others of them."""
        if self.sizes is None or not len(self.sizes):
            return 0
        count = len(self.sizes)
        mine = self._counted(groups)
        if not mine.any():
            return 0
        held = members[np.maximum(self.grouped, 0)]
        known = np.bincount(self.groups[held], minlength=count)
        others = np.minimum(known + self._counted(theirs), self.sizes)
        sure = np.clip(mine + others - self.sizes, 0, mine)
        return int(sure.sum())

    def _counted(self, groups: Any) -> Any:
        count = len(self.sizes)
        inside = groups[(groups >= self.first) & (groups < self.first + count)] - self.first
        return np.bincount(inside, minlength=count)


def by_chance(repeated: int, n: int) -> float:
    """Return the share of other rows that equal one of n rows, of which some repeat others.

    Source: the birthday problem. Rows drawn from D kinds repeat n / 2D of themselves, and hold the
    kind of a new row with n / D. Departs: kinds are not equally likely; hence `_CHANCE`.
    """
    return 2 * repeated / n if n else 0.0


def within(values: Any, ordered: Any) -> Any:
    """Return for each value whether it stands among sorted ones."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[at] == values
