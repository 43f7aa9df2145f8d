"""What a call that changes an object in place comes to when the cell is run a second time."""

from __future__ import annotations

import ast

from pytest_nbsafe.analysis import effects
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.rerun_hazards.object_classes import class_at
from pytest_nbsafe.analysis.rerun_hazards.repeated_methods import UNKNOWN, Kind, Second
from pytest_nbsafe.analysis.rerun_hazards.symbol_paths import labels
from pytest_nbsafe.libraries import inplace

_MAPPINGS = frozenset({
    "dict", "collections.Counter", "collections.defaultdict", "collections.OrderedDict",
})  # fmt: skip
_NO_KEY = Second("raises", "raises KeyError: {it} has no such key any more")
_DOES = {
    "append": "appends to {it} again",
    "appendleft": "appends to {it} again",
    "extend": "extends {it} again",
    "extendleft": "extends {it} again",
    "insert": "inserts into {it} again",
    "remove": "raises, or removes another element of {it}",
    "pop": "takes another element out of {it}",
    "popleft": "takes another element out of {it}",
    "popitem": "takes another element out of {it}",
    "reverse": "reverses {it} again",
    "rotate": "rotates {it} again",
    "update": "counts into {it} again",
    "subtract": "subtracts from {it} again",
    "read": "reads nothing, since {it} is at its end",
    "readlines": "reads nothing, since {it} is at its end",
    "readline": "reads the next line of {it}",
    "write": "writes to {it} again",
    "writelines": "writes to {it} again",
    "shuffle": "shuffles {it}, which is shuffled already",
    "heappush": "puts the element into {it} again",
    "heappop": "takes another element out of {it}",
    "insort": "puts the element into {it} again",
    "insort_left": "puts the element into {it} again",
    "insort_right": "puts the element into {it} again",
    "next": "takes the next element from {it}",
}
_GROW = frozenset({"append", "appendleft", "extend", "extendleft", "insert"})


def method(graph: Graph, cell: int, call: ast.Call, func: ast.Attribute) -> Second:
    """Return what `x.method(...)` comes to when a cell is run again, in place.

    The class decides: `append` grows a list, and makes a new DataFrame. Where it is not known,
    nothing is said.
    """
    called, known = func.attr, inplace.load(graph.notebook.libraries)
    if called not in known.lasting:
        return UNKNOWN
    key = labels(call.args[0]) if len(call.args) == 1 else []
    if called == "pop" and key and isinstance(key[0], str):
        return _NO_KEY  # of whatever class it is
    kind = class_at(graph, func.value, cell)
    methods = known.classes.get(kind)
    if methods is None or called not in inplace.lasting(methods):
        return UNKNOWN
    if called == "pop" and kind in _MAPPINGS:
        return _NO_KEY if len(call.args) == 1 else UNKNOWN
    does = known.second_calls.get(f"{kind}.{called}")
    if does:
        return Second("raises" if does.startswith("raises ") else "shifts", does)
    return Second(_kind(called), _DOES.get(called, "changes {it} again"))


def function(call: ast.Call, libraries: str) -> tuple[str, Second]:
    """Return the last word of a function, and what calling it again does to its argument."""
    path = effects.dotted(call.func, libraries)
    last = path.rpartition(".")[2]
    known = inplace.load(libraries).functions.idempotent
    if last not in _DOES or path in known or f".{last}" in known:
        return last, UNKNOWN
    return last, Second(_kind(last), _DOES[last])


def _kind(called: str) -> Kind:
    return "grows" if called in _GROW else "turns" if called == "reverse" else "shifts"
