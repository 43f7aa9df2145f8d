"""The order that the dependencies of the cells ask for, whatever the counts say."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import Plan, Run, runnable
from pytest_nbsafe.order.readings import needed
from pytest_nbsafe.sentences import cells as in_words


def plan(graph: Graph) -> Plan:
    """Return the plan that runs every cell once, after those that define what it reads.

    A name comes from the nearest cell above that binds it, else the nearest below. Of the cells
    that may run, the first of the page does; cells that need one another start with the first of
    them, which says so.
    """
    cells = [cell.number for cell in runnable(graph)]
    waits_for = definers(graph, cells)
    readers: dict[int, list[int]] = {cell: [] for cell in cells}
    for reader, needed_cells in waits_for.items():
        for definer in needed_cells:
            readers[definer].append(reader)
    ready = [cell for cell in cells if not waits_for[cell]]
    heapq.heapify(ready)
    left = set(cells)
    runs: list[Run] = []
    while left:
        if ready:
            cell, reason = heapq.heappop(ready), "all that it reads is there"
        else:
            cell = min(left)
            reason = f"it and {in_words(sorted(waits_for[cell]))} need one another"
        if cell not in left:
            continue
        left.discard(cell)
        runs.append(Run(len(runs) + 1, cell, None, recorded=False, reason=reason))
        for reader in readers[cell]:
            waits_for[reader].discard(cell)
            if not waits_for[reader] and reader in left:
                heapq.heappush(ready, reader)
    return Plan("dependency", tuple(runs))


def definers(graph: Graph, cells: list[int]) -> Mapping[int, set[int]]:
    """Return for each cell those that must run before it."""
    there = set(cells)
    nearest_definers: dict[int, set[int]] = {}
    for cell in cells:
        nearest_definers[cell] = set()
        for name in needed(graph, cell):
            others = [n for n in graph.binders.get(name, ()) if n in there and n != cell]
            graph.budget.scan(len(others))
            above = max((n for n in others if n < cell), default=None)
            nearest = above if above is not None else min(others, default=None)
            if nearest is not None and not (above is None and cell in graph.binders[name]):
                nearest_definers[cell].add(nearest)
    return nearest_definers
