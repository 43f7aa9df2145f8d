"""What stays suspected though the parts that were seen to be read and changed are apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_nbsafe.trace import verdicts
from pytest_nbsafe.trace.differences import made
from pytest_nbsafe.trace.model import CellResult, PlanResult, Suspicions
from pytest_nbsafe.trace.outputs import compare


def still_suspected(
    by_parts: Suspicions, by_name: Suspicions, differing: Collection[int]
) -> Suspicions:
    """Return what is suspected by parts, and by name of cells that differ and have nothing else.

    Something must be the reason for their difference. What changed the part that such a cell reads
    may be what nobody saw do it: an alias, or code that is not followed.
    """
    back = {*differing} - verdicts.suspects(by_parts)
    reads = (*by_parts.stale_reads, *(s for s in by_name.stale_reads if s.cell in back))
    old = (*by_parts.outdated, *(s for s in by_name.outdated if s.cell in back))
    below = (*by_parts.from_below, *(s for s in by_name.from_below if s.cell in back))
    return Suspicions(
        tuple(sorted(reads, key=lambda read: (read.step, read.line, read.name))),
        tuple(sorted(old, key=lambda one: one.cell)),
        tuple(sorted(below, key=lambda read: (read.cell, read.name))),
    )


def differing(replay: PlanResult, clean: PlanResult) -> Iterator[int]:
    """Yield the cells that make or show something else in a plan than in the page's order."""
    for cell in sorted({result.cell for result in replay.results}):
        first, second = replay.last(cell), clean.last(cell)
        if first is not None and second is not None and _differ(first, second):
            yield cell


def _differ(first: CellResult, second: CellResult) -> bool:
    """Return whether two runs of a cell are known to have made or shown different things."""
    for name in made(first) | made(second):
        old, new = first.after.get(name), second.after.get(name)
        if old is not None and new is not None and old.hash and new.hash and old.hash != new.hash:
            return True
    return compare(first.outputs, second.outputs).result == "differs"
