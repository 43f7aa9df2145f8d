"""What is suspected of a plan that has run: by its trace, and by the text where it has none."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.trace import lineage, staleness
from pytest_nbsafe.trace.comparison import compared
from pytest_nbsafe.trace.output_text import compare
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.trace.seen_parts import SeenParts
from pytest_nbsafe.trace.suspicions import Suspicions


def suspicions(
    graph: Graph,
    by_text: Suspicions,
    runs: tuple[PlanResult, PlanResult],
    seen: SeenParts,
    refreshed: Collection[int],
) -> Suspicions:
    """Return what the trace suspects of the cells that were traced, and the text of the others.

    `runs` are the replayed plan and the clean run. Where cells were followed below the names, parts
    count as they were `seen`. `refreshed` are the cells that made something else when they ran
    again after what refreshes them.
    """
    replay, clean = runs
    records = lineage.records(replay.results), lineage.records(clean.results)
    by_trace = staleness.suspicions(graph, replay.plan, *records, seen)
    if seen.runs:
        by_name = staleness.suspicions(graph, replay.plan, *records)
        by_trace = still_suspected(by_trace, by_name, {*differing(replay, clean), *refreshed})
    traced = _traced(replay) & _traced(clean)
    return by_trace.of(traced).joined(by_text.of(by_text.cells - traced))


def _traced(result: PlanResult) -> frozenset[int]:
    """Return the cells whose last run succeeded under the tracer."""
    last = {step.cell: step for step in result.results}
    return frozenset(c for c, step in last.items() if step.status == "ok" and step.records)


def still_suspected(
    by_parts: Suspicions, by_name: Suspicions, differing: Collection[int]
) -> Suspicions:
    """Return what is suspected by parts, and by name of cells that differ and have nothing else.

    Something must be the reason for their difference. What changed the part that such a cell reads
    may be what nobody saw do it: an alias, or code that is not followed.
    """
    both = by_parts.joined(by_name.of({*differing} - by_parts.cells))
    return Suspicions(
        tuple(sorted(both.stale_reads, key=lambda read: (read.step, read.line, read.name))),
        tuple(sorted(both.outdated, key=lambda old: old.cell)),
        tuple(sorted(both.from_below, key=lambda read: (read.cell, read.name))),
    )


def differing(replay: PlanResult, clean: PlanResult) -> Iterator[int]:
    """Yield the cells that make or show something else in a plan than in the page's order."""
    for cell in sorted({result.cell for result in replay.results}):
        first, second = replay.last(cell), clean.last(cell)
        if first is not None and second is not None and _differ(first, second):
            yield cell


def _differ(first: CellResult, second: CellResult) -> bool:
    """Return whether two runs of a cell are known to have made or shown different things."""
    made = first.kept | second.kept
    if any(compared(name, first.after, second.after) == "differs" for name in made):
        return True
    return compare(first.outputs, second.outputs).result == "differs"
