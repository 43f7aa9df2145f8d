"""What lineage suspects: stale reads, outdated results, names read from a cell below."""

from __future__ import annotations

from collections.abc import Collection

from pytest_nbsafe.trace.results import Timestamp
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a symbol is stale: `parent` was written at `parent_cell` after `symbol` was made."""

    symbol: str
    cell: int
    line: int
    at: Timestamp
    parent: str
    parent_cell: int
    parent_line: int
    parent_at: Timestamp


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A run that read a stale symbol (nbsafety, Def. 4 and 7).

    `chain` goes from the symbol that was read back to the one with the newer parent.
    `refreshers` are the cells that would rebind it (Def. 10), nearest first, `rest` those to run
    after the first of them, since they change what it makes.
    """

    step: int
    cell: int
    line: int
    name: str
    chain: tuple[Cause, ...]
    refreshers: tuple[int, ...]
    rest: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OutdatedResult:
    """A cell whose input `name` was made again, by `definer` at `definer_at`, after it last ran.

    `through` is empty where the cell reads `name` itself; else the cells that stand between,
    the one whose work it reads first, the one that reads `name` last; `line` is then where the
    cell reads the work of the first.
    """

    step: int
    cell: int
    line: int
    name: str
    definer: int
    definer_line: int
    definer_at: Timestamp
    through: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadFromBelow:
    """A cell that ran after a cell below it, `definer`, had made `name` another than above."""

    step: int
    cell: int
    line: int
    name: str
    definer: int
    definer_line: int


@dataclass(frozen=True, slots=True)
class Suspicions:
    """What lineage suspects of one plan, beyond what a top-down run shows as well."""

    stale_reads: tuple[StaleRead, ...] = ()
    outdated: tuple[OutdatedResult, ...] = ()
    from_below: tuple[ReadFromBelow, ...] = ()

    @property
    def cells(self) -> frozenset[int]:
        """The cells that any suspicion names."""
        stale = {read.cell for read in self.stale_reads} | {old.cell for old in self.outdated}
        return frozenset(stale.union(read.cell for read in self.from_below))

    def of(self, cells: Collection[int]) -> Suspicions:
        """Return those of these cells."""
        return Suspicions(
            tuple(read for read in self.stale_reads if read.cell in cells),
            tuple(old for old in self.outdated if old.cell in cells),
            tuple(read for read in self.from_below if read.cell in cells),
        )

    def joined(self, others: Suspicions) -> Suspicions:
        """Return these, and then the others."""
        return Suspicions(
            self.stale_reads + others.stale_reads,
            self.outdated + others.outdated,
            self.from_below + others.from_below,
        )
