"""Which order of cells keeps to what must run before what, and moves the fewest of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

Before = Mapping[int, frozenset[int]]
"""For each cell those that must run before it; a cell that is not there may run anywhere."""
_MOST_CELLS = 600
"""Of more cells that are bound to an order none is sought: it takes time with their square."""


def arranged(number: int, before: Before) -> tuple[int, ...] | None:
    """Return the cells from 1 to `number` in an order that keeps to `before`, most in place.

    Where a reader and its definer may each move, the definer does. None where there is no order,
    or there are too many cells to look for one.

    Departs from a longest increasing subsequence, which needs a whole order: the cells that may
    stay are a largest antichain of those pairs that stand the wrong way round (Dilworth 1950,
    found by matching, after König 1931).
    """
    above = _all_before(before)
    if above is None:
        return None
    wrong = {cell: frozenset(n for n in cells if n > cell) for cell, cells in above.items()}
    moved = _fewest(wrong)
    return tuple(_placed(number, above, moved))


def moved(order: Sequence[int]) -> frozenset[int]:
    """Return the fewest cells whose move turns 1, 2, 3 ... into this order."""
    before = {cell: frozenset(order[:at]) for at, cell in enumerate(order)}
    return _fewest(
        {cell: frozenset(n for n in cells if n > cell) for cell, cells in before.items()}
    )


def _all_before(before: Before) -> Before | None:
    """Return for each cell all that must run before it, by way of others too."""
    if len(before) > _MOST_CELLS:
        return None
    above: dict[int, frozenset[int]] = {}
    try:
        for cell in TopologicalSorter(before).static_order():
            direct = before.get(cell, frozenset())
            above[cell] = direct.union(*(above[other] for other in direct))
    except CycleError:
        return None
    return above


def _fewest(wrong: Before) -> frozenset[int]:
    """Return the fewest cells without which nothing stands the wrong way round.

    `wrong` has for each reader all its definers that stand below it, by way of others too.
    """
    readers: dict[int, list[int]] = {}
    for reader in sorted(wrong):
        for definer in sorted(wrong[reader]):
            readers.setdefault(definer, []).append(reader)
    definer_of: dict[int, int] = {}
    for definer in sorted(readers):
        _match(definer, readers, definer_of)
    matched = frozenset(definer_of.values())
    reached_definers = {cell for cell in readers if cell not in matched}
    reached_readers: set[int] = set()
    waiting = list(reached_definers)
    while waiting:
        for reader in readers.get(waiting.pop(), ()):
            if reader not in reached_readers:
                reached_readers.add(reader)
                definer = definer_of[reader]
                reached_definers.add(definer)
                waiting.append(definer)
    return frozenset(readers.keys() - reached_definers) | reached_readers


def _match(definer: int, readers: Mapping[int, list[int]], definer_of: dict[int, int]) -> None:
    """Match a definer with one of its readers, along the shortest way that frees one."""
    came_from: dict[int, int] = {}
    waiting = [definer]
    for asking in waiting:
        for reader in readers.get(asking, ()):
            if reader in came_from:
                continue
            came_from[reader] = asking
            if reader in definer_of:
                waiting.append(definer_of[reader])
                continue
            free: int | None = reader
            while free is not None:
                taker = came_from[free]
                left = next((r for r, d in definer_of.items() if d == taker), None)
                definer_of[free], free = taker, left
            return


def _placed(number: int, above: Before, moved: frozenset[int]) -> Iterator[int]:
    """Yield all cells: what stays in its order, each moved one where it is needed or can run."""
    placed: set[int] = set()
    waiting = sorted(moved)
    for cell in range(1, number + 1):
        if cell in moved:
            continue
        needed = [m for m in _in_order(waiting, above) if m in above.get(cell, ())]
        for each in (*needed, cell):
            placed.add(each)
            yield each
        due = [m for m in _in_order(waiting, above) if m not in placed]
        for each in due:
            if each < cell and above.get(each, frozenset()) <= placed:
                placed.add(each)
                yield each
        waiting = [m for m in waiting if m not in placed]
    yield from _in_order(waiting, above)


def _in_order(cells: Sequence[int], above: Before) -> list[int]:
    """Return cells so that each stands behind those that must run before it."""
    return sorted(cells, key=lambda cell: (len(above.get(cell, ())), cell))
