"""One worklist solver for every dataflow problem; facts are bits of an integer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


def reverse(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the predecessors of each node of a graph given by successors."""
    result: list[list[int]] = [[] for _ in edges]
    for node, targets in enumerate(edges):
        for target in targets:
            result[target].append(node)
    return result


def solve(
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    gen: Sequence[int],
    kill: Sequence[int],
    *,
    order: Iterable[int],
    start: int,
    top: int | None = None,
) -> list[int]:
    """Return the facts that hold where the flow enters each node.

    `sources[n]` are the nodes whose facts flow into `n`, `targets[n]` those that `n` flows to;
    swap the two for a backward problem. `order` are the nodes to solve for, best with sources
    before targets: then code without loops takes one round. A
    node turns the facts `x` into `gen | (x & ~kill)`.

    With `top` (all facts) it is a *must* problem: meet is intersection, and nothing holds at
    `start`; without, it is a *may* problem: meet is union.

    Source: Macke et al. 2021, Alg. 1 and 2, which differ in direction, start value and meet only.
    """
    must = top is not None
    entry = [top or 0] * len(gen)
    leave = list(entry) if must else list(gen)
    queue = deque(order)
    queued = bytearray(len(gen))
    for node in queue:
        queued[node] = 1
    while queue:
        node = queue.popleft()
        queued[node] = 0
        facts = _meet(sources[node], leave, top) if must else _join(sources[node], leave)
        if must and node == start:
            facts = 0
        entry[node] = facts
        facts = gen[node] | (facts & ~kill[node])
        if facts != leave[node]:
            leave[node] = facts
            for target in targets[node]:
                if not queued[target]:
                    queued[target] = 1
                    queue.append(target)
    return entry


def _meet(sources: Sequence[int], leave: Sequence[int], top: int | None) -> int:
    facts = top or 0
    for source in sources:
        facts &= leave[source]
    return facts


def _join(sources: Sequence[int], leave: Sequence[int]) -> int:
    facts = 0
    for source in sources:
        facts |= leave[source]
    return facts
