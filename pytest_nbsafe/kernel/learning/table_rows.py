"""The rows of one table: their numbers, what some tell at first sight, how others are found."""

from __future__ import annotations

import functools
from typing import Any, Protocol

import numpy as np

from ..adapters import Table
from . import row_hashes

ENOUGH = 16  # rows, below which nothing can be told apart
MOSTLY = 0.9
_VARIED = 8  # values among the sampled ones, below which a column may look like any other
_REPEATED = 0.3  # of a table's rows repeat others: they tell nothing
_FEW = 1_000  # labels, which show whether they are evenly spaced
_EXACT = 2.0**53


class Past(frozenset):  # type: ignore[type-arg]  # Python 3.8 cannot be told of what
    """What values were learned by, as numbers of fits: pickled in order, so equal ones alike."""

    __slots__ = ()

    def __or__(self, others: Any) -> Past:
        """Return these numbers and others."""
        return Past(frozenset.__or__(self, others))

    __ror__ = __or__

    def __reduce__(self) -> Any:
        """Return what makes it again."""
        return Past, (sorted(self),)


_SALTS = row_hashes.mix(np.arange(1, row_hashes.SAMPLE + 1, dtype=np.uint64))[:, None]


class Rows:
    """The rows of one table.

    `origins`: a number for each row; below zero, where equal rows of the source cannot be told
    apart, it names their group. `hashes` is None where content says nothing. `marks` are
    fingerprints of the columns, `pasts` what each column's values were learned by, as numbers of
    fits. `part` is that of a split, from 0. `copied`: some are copies of others, made at the
    place of the number `copied_at`.
    """

    def __init__(self, number: int, origins: Any) -> None:
        self.number = number
        self.n = len(origins)
        self.origins = origins
        self.hashes: Any = None
        self.marks: list[int] = []
        self.pasts: list[Past] = []
        self.part: int | None = None
        self.copied = False
        self.copied_at = 0

    @property
    def past(self) -> Past:
        """What the values of any column were learned by."""
        return Past(frozenset().union(*set(self.pasts)))

    def size_bytes(self) -> int:
        """Return what the arrays of this table occupy, the parts of others included."""
        arrays = (self.origins, self.hashes)
        return sum(array.nbytes for array in arrays if array is not None)

    def forget(self) -> None:
        """Give the memory back; nothing can be told of these rows any more."""
        self.origins = np.empty(0, np.int64)
        self.hashes = None

    @property
    def forgotten(self) -> bool:
        """Whether nothing can be told any more."""
        return len(self.origins) != self.n


class Glimpse:
    """A table at first sight: some of its rows, and what can be told by them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.words = row_hashes.sampled(table)
        mixed = row_hashes.mix(self.words) ^ _SALTS[: len(self.words)]
        self.marks: list[int] = np.add.reduce(row_hashes.mix(mixed), axis=0).tolist()

    @functools.cached_property
    def whole(self) -> int:
        """A fingerprint of all columns together."""
        return hash(tuple(self.marks))

    @functools.cached_property
    def label(self) -> int:
        """A fingerprint of pandas' labels in their order, 0 when they could be anybody's."""
        return _label(self.table)

    @functools.cached_property
    def varied(self) -> list[bool]:
        """Whether each column has enough values to be told from others."""
        return [bool(varied) for varied in self._distinct >= _VARIED]

    @functools.cached_property
    def strong(self) -> list[bool]:
        """Whether the values of each column occur in no other table: they are fractions."""
        if self.table.n < ENOUGH:
            return [False] * len(self.marks)
        whole, fractions = self._shares
        many = self._distinct >= MOSTLY * len(self.words)
        return [bool(is_strong) for is_strong in many & (fractions >= 0.5) & (whole < 0.5)]

    @functools.cached_property
    def telling(self) -> bool:
        """Whether the rows tell themselves apart, and this table from others."""
        if self.table.n < ENOUGH:
            return False
        rows = np.add.reduce(row_hashes.mix(self.words * np.uint64(3)), axis=1)
        if len(np.unique(rows)) < MOSTLY * len(rows):
            return False
        return len(self.marks) > 2 or any(self.strong) or bool((self._shares[0] < 0.5).any())

    @functools.cached_property
    def _distinct(self) -> Any:
        ordered = np.sort(self.words, axis=0)
        return 1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)

    @functools.cached_property
    def _shares(self) -> tuple[Any, Any]:
        """The share of each column's words that are whole numbers, and of fractions."""
        with np.errstate(all="ignore"):
            numbers = self.words.view(np.float64)
            size, is_whole = np.abs(numbers), numbers == np.floor(numbers)
            whole = np.mean(is_whole & (size < _EXACT), axis=0)
            return whole, np.mean(~is_whole & (size > 1e-9), axis=0)


def _label(table: Table) -> int:
    index = table.index
    if index is None or type(index).__name__ != "Index" or index.dtype.kind not in "iu":
        return 0
    labels = np.asarray(index)
    if len(labels) < ENOUGH or len(np.unique(np.diff(labels[:_FEW]))) < 3:
        return 0
    return row_hashes.fingerprint(row_hashes.words(labels, slice(None)))


# ------------------------------------------------------------------ others are looked up


class Numbers(Protocol):
    """What gives the rows of all tables their numbers."""

    def roots(self, origins: Any) -> Any:
        """Return what origins are copies of."""

    def group_number(self, count: int) -> int:
        """Return the first of so many new numbers of groups."""


class KnownRows:
    """Rows in which others are looked up, by a hash of each; sorted when it is first asked."""

    def __init__(self, hashes: Any, rows: Rows, past: Past, width: int) -> None:
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
