"""The orders of the Archaeology paper, which fill every free count: `base` and `archaeology`.

They are there to compare with. Much of what ran in a free count is no longer on the page, and what
fills it here is a guess by place alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order import chances, session_split
from pytest_nbsafe.order.plan import OrderName, Plan, Run, runnable

_LONGEST = 20_000
"""Counts beyond so many runs are not filled: nobody ran a notebook's cells so often by hand."""

_Filler = Callable[[Sequence[int], int, int, int], list[int]]
"""From the counts by place, the places before and after a gap and its length: places that ran."""


def base(graph: Graph) -> Plan:
    """Return the counts' own order; a gap is filled with runs of the cell that ended it.

    Source: Koop 2021, section 5.1.
    """
    return _plan(graph, "base", lambda _, __, after, gap: [after] * (gap - 1))


def archaeology(graph: Graph) -> Plan:
    """Return the plan of the informed algorithm, each session filled by itself.

    Source: Koop 2021, Algorithm 1. Departs: `m` ranges from `i + 1` on, and the cell that ends a
    gap is repeated (gap - 1) - before - after times: as printed the plan has the wrong length.
    The sessions are those of `session_split`.
    """
    return _plan(graph, "archaeology", _fill)


def _plan(graph: Graph, name: OrderName, fill: _Filler) -> Plan:
    cells = [cell for cell in runnable(graph) if cell.count is not None]
    split = session_split.split(graph, cells)
    runs: list[Run] = []
    for session in range(1, split.number + 1):
        own = [cell for cell in cells if split.of[cell.number] == session]
        counts = [0, *(cell.count or 0 for cell in own)]
        for place, count in _filled(counts, fill, _LONGEST - len(runs)):
            cell = own[place - 1]
            recorded = cell.count == count
            reason = f"recorded as [{count}]" if recorded else f"no cell has the count {count}"
            chance = split.chance[cell.number] if recorded else chances.filled()
            runs.append(Run(len(runs) + 1, cell.number, count, recorded, reason, session, chance))
    return Plan(name, tuple(runs))


def _filled(counts: Sequence[int], fill: _Filler, most: int) -> Iterator[tuple[int, int]]:
    """Yield the place and the count of every run; gaps that take more runs than `most` stay."""
    places = sorted(range(len(counts)), key=lambda place: (counts[place], place))
    for before, after in pairwise(places):
        gap = counts[after] - counts[before]
        if 1 < gap <= most:
            most -= gap
            yield from zip(
                fill(counts, before, after, gap),
                range(counts[before] + 1, counts[after]),
                strict=True,
            )
        yield after, counts[after]


def _fill(counts: Sequence[int], i: int, j: int, gap: int) -> list[int]:
    """Return the places of the runs between those at `i` and `j`, as Algorithm 1 names them."""
    n = j
    while n > 1 and counts[n - 1] >= counts[j]:
        n -= 1
    m = i
    while m + 1 < len(counts) and counts[m + 1] >= counts[j]:
        m += 1
    room = min(j - i - 1, gap - 1) if j > i else gap - 1
    before = min(room, j - n)
    after = min(room - before, m - i)
    repeats = (gap - 1) - before - after
    return [*range(i + 1, i + after + 1), *range(j - before, j), *[j] * repeats]
