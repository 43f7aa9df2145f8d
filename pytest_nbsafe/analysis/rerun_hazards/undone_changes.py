"""The changes that a cell makes to its inputs, and those that it undoes itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from pytest_nbsafe.analysis.rerun_hazards.repeated_calls import Kind
from pytest_nbsafe.values import dataclass

_GROW = frozenset({"append", "appendleft", "extend", "insert", "add", "heappush"})
_SHRINK = frozenset({"pop", "popleft", "popitem", "remove", "heappop"})
_PLACES = frozenset({"set_index", "reset_index"})
_UNIQUE = frozenset({"set", "fromkeys", "drop_duplicates", "unique", "Counter"})
_SORTS = frozenset({"sort", "sorted", "sort_values", "sort_index"})


@dataclass(frozen=True, slots=True)
class Change:
    """What a statement does to a name that comes from another cell.

    `does` continues "a second run of this cell ...". `method` is what is called to do it, "" for
    an assignment or `del`.
    """

    name: str
    node: ast.stmt
    does: str
    kind: Kind
    method: str


def lasting(found: Collection[Change], near: Mapping[str, set[str]]) -> Iterator[Change]:
    """Yield the changes that matter and that the cell does not undo itself.

    `near` are, for each name, the functions and methods in all statements that mention it.
    """
    for change in found:
        called = [c.method for c in found if c.name == change.name]
        beside = near.get(change.name, set())
        if not change.does or _is_undone(change.method, called, beside):
            continue
        if change.kind == "grows" and not beside.isdisjoint(_UNIQUE):
            continue
        turns = [c for c in found if (c.name, c.does) == (change.name, change.does)]
        if change.kind != "turns" or (len(turns) == 1 and beside.isdisjoint(_SORTS)):
            yield change


def _is_undone(method: str, called: list[str], near: set[str]) -> bool:
    """Tell whether a cell that calls all these puts back what one of them takes out."""
    if method in {"reset_index", "insert"} and "drop" in near:
        return True
    if method == "shuffle":
        return not near.isdisjoint(_SORTS)
    if method in _GROW | _SHRINK:
        return not _GROW.isdisjoint(called) and not _SHRINK.isdisjoint(called)
    if method in _PLACES:
        return _PLACES.issubset(called)
    return False
