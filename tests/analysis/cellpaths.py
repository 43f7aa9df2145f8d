"""The oracle between cells: what reaches a read in any order, by every path through every cell."""

from __future__ import annotations

from collections.abc import Sequence

from paths import Event, Path, live

Value = frozenset[int]
"""The cells that made what a name holds: the one that bound it, those that changed it since."""


def reaching(cells: Sequence[Sequence[Path]], order: Sequence[int]) -> set[tuple[int, int, str]]:
    """Return (reader, maker, name) for every read that some way through the cells gives.

    For each name all values are kept that any choice of paths in the runs so far may have left;
    a run leaves something when it ends normally, and reads whatever its outcome.
    """
    edges: set[tuple[int, int, str]] = set()
    held: dict[str, set[Value]] = {}
    for cell in order:
        walked = cells[cell - 1]
        for name in live(walked):
            edges |= {(cell, maker, name) for value in held.get(name, ()) for maker in value}
        ends = {events for events, outcome in walked if outcome == "normal"}
        for name in {event[1] for events in ends for event in events if len(event) > 1}:
            before = held.get(name, {frozenset()})
            held[name] = {after(events, name, cell, value) for events in ends for value in before}
    return edges


def after(events: tuple[Event, ...], name: str, cell: int, value: Value) -> Value:
    """Return who made what the name holds after a path of a cell."""
    for what, *rest in events:
        if what != "r" and rest == [name]:
            value = value | {cell} if what == "m" else frozenset({cell} if what == "b" else ())
    return value


def unbound(cells: Sequence[Sequence[Path]], order: Sequence[int]) -> set[tuple[int, str]]:
    """Return (place in the order, name) for every read of what no choice of paths has bound."""
    found: set[tuple[int, str]] = set()
    held: dict[str, set[bool]] = {}
    for index, cell in enumerate(order):
        walked = cells[cell - 1]
        found |= {(index, name) for name in live(walked) if True not in held.get(name, ())}
        ends = {events for events, outcome in walked if outcome == "normal"}
        for name in {event[1] for events in ends for event in events if event[0] in ("b", "d")}:
            before = held.get(name, {False})
            held[name] = {is_bound(events, name, now=now) for events in ends for now in before}
    return found


def is_bound(events: tuple[Event, ...], name: str, *, now: bool) -> bool:
    """Tell whether a name is bound after a path, `now` before it."""
    marks = [event[0] for event in events if event[1:] == (name,) and event[0] in ("b", "d")]
    return marks[-1] == "b" if marks else now
