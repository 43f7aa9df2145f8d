"""What a call that changes an object in place comes to when the cell is run a second time."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import effects, inference, knowledge
from pytest_nbsafe.analysis.reruns.methods import UNKNOWN, Second
from pytest_nbsafe.analysis.reruns.symbols import labels

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

_MAPPINGS = frozenset({
    "dict", "collections.Counter", "collections.defaultdict", "collections.OrderedDict",
})  # fmt: skip
_NO_KEY = Second("raises", "raises KeyError: {it} has no such key any more")
_DOES = {
    "append": "appends to {it} once more",
    "appendleft": "appends to {it} once more",
    "extend": "extends {it} once more",
    "extendleft": "extends {it} once more",
    "insert": "inserts into {it} once more",
    "remove": "raises, or removes another element of {it}",
    "pop": "takes another element out of {it}",
    "popleft": "takes another element out of {it}",
    "popitem": "takes another element out of {it}",
    "reverse": "turns {it} round again",
    "rotate": "rotates {it} once more",
    "update": "counts into {it} once more",
    "subtract": "subtracts from {it} once more",
    "read": "reads nothing: {it} stands at its end",
    "readlines": "reads nothing: {it} stands at its end",
    "readline": "reads the next line of {it}",
    "write": "writes to {it} once more",
    "writelines": "writes to {it} once more",
    "shuffle": "shuffles {it}, which is shuffled already",
    "heappush": "puts the element into {it} once more",
    "heappop": "takes another element out of {it}",
    "insort": "puts the element into {it} once more",
    "insort_left": "puts the element into {it} once more",
    "insort_right": "puts the element into {it} once more",
    "next": "takes the next element from {it}",
}


def method(graph: Graph, cell: int, call: ast.Call, func: ast.Attribute) -> Second:
    """Return what `x.method(...)` comes to when a cell is run again, in place.

    The class decides: `append` grows a list, and makes a new DataFrame. Where it is not known,
    nothing is said.
    """
    called = func.attr
    if called not in _that_matter():
        return UNKNOWN
    key = labels(call.args[0]) if len(call.args) == 1 else []
    if called == "pop" and key and isinstance(key[0], str):
        return _NO_KEY  # of whatever class it is
    classes = inference.class_at(graph, func.value, cell).names
    known = knowledge.load().classes
    for kind in classes:
        entry = known.get(kind)
        if entry is None or called in entry.again or called not in entry.changes | entry.takes:
            return UNKNOWN
    return _by_class(call, classes, called) if classes else UNKNOWN


@cache
def _that_matter() -> frozenset[str]:
    """Return the methods whose second call changes something in any class."""
    classes = knowledge.load().classes.values()
    return frozenset(m for c in classes for m in c.changes | c.takes if m not in c.again)


def _by_class(call: ast.Call, classes: tuple[str, ...], called: str) -> Second:
    if called == "pop" and not _MAPPINGS.isdisjoint(classes):
        return _NO_KEY if len(call.args) == 1 and len(classes) == 1 else UNKNOWN
    if classes == ("pandas.DataFrame",) and called == "insert":
        return Second("raises", "raises ValueError: {it} has this column already")
    if classes == ("keras.Sequential",) and called == "add":
        return Second("shifts", "adds the layer to {it} once more")
    return Second("shifts", _DOES.get(called, "changes {it} once more"))


def function(call: ast.Call) -> tuple[str, Second]:
    """Return the last word of a function, and what calling it again does to its argument."""
    path = effects.dotted(call.func)
    last = path.rpartition(".")[2]
    known = knowledge.load().functions.again
    if last not in _DOES or path in known or f".{last}" in known:
        return last, UNKNOWN
    return last, Second("shifts", _DOES[last])
