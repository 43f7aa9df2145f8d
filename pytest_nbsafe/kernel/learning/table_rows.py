"""The rows of one table: their numbers, and what some of them tell at first sight."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import row_hashes
from .tables import Table

ENOUGH = 16  # rows, below which nothing can be told apart
MOSTLY = 0.9
_VARIED = 8  # values among the sampled ones, below which a column may look like any other
_FEW = 1_000  # labels, which show whether they are evenly spaced
_EXACT = 2.0**53


_SALTS = row_hashes.mix(np.arange(1, row_hashes.SAMPLE + 1, dtype=np.uint64))[:, None]


class Rows:
    """The rows of one table.

    `origins`: a number for each row; below zero, where equal rows of the source cannot be told
    apart, it names their group. `hashes` is None where content says nothing. `marks` are
    fingerprints of the columns, `pasts` what each column's values were learned by, as numbers of
    fits. `part` is (split, number). `copied`: some are copies of others, `made` where: (run, line).
    """

    __slots__ = (
        "copied", "hashes", "made", "marks", "n", "number", "origins", "part", "pasts",
    )  # fmt: skip

    def __init__(self, number: int, origins: Any) -> None:
        self.number = number
        self.n = len(origins)
        self.origins = origins
        self.hashes: Any = None
        self.marks: list[int] = []
        self.pasts: list[frozenset[int]] = []
        self.part: tuple[int, int] | None = None
        self.copied = False
        self.made: tuple[int, int] | None = None

    @property
    def past(self) -> frozenset[int]:
        """What the values of any column were learned by."""
        return frozenset().union(*set(self.pasts))

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
