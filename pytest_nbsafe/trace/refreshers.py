"""Which cells to run again, in which order, so that a stale cell reads what the page gives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_nbsafe.trace.results import Record
from pytest_nbsafe.trace.staleness import refreshing
from pytest_nbsafe.trace.suspicions import StaleRead


def of_reads(reads: Sequence[StaleRead], records: Iterable[Record]) -> tuple[int, ...]:
    """Return the cells that would refresh all that one run read, with those that change it."""
    known = tuple(records)
    found = [with_changers(refreshing(read), read.cell, known) for read in reads]
    cells = dict.fromkeys(cell for some in found for cell in some)
    return tuple(cells) if len(found) == 1 else tuple(sorted(cells))


def with_changers(again: Sequence[int], reader: int, records: Iterable[Record]) -> tuple[int, ...]:
    """Return cells that run again, and those that change what these make before the reader reads.

    `records` tell what was changed: `for a in accounts: a.deposit(50)` says nothing of `accounts`
    in its text. They run where they stand on the page.
    """
    cells, known = list(again), tuple(records)
    made = {name for record in known if record.cell in again for name in record.writes}
    changers = {record.cell for record in known if not made.isdisjoint(record.mutates)}
    for cell in sorted(changers.difference(again)):
        above = [place for place, other in enumerate(cells) if other < cell]
        if above and cell < reader:
            cells.insert(above[-1] + 1, cell)
    return tuple(cells)
