"""What calls come to when they are made a second time, on their own result or in place."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Literal

from pytest_nbsafe.analysis import effects
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.rerun_hazards.object_classes import class_at
from pytest_nbsafe.analysis.rerun_hazards.symbol_paths import dropped, labels
from pytest_nbsafe.libraries import inplace
from pytest_nbsafe.values import dataclass

Kind = Literal["repeats", "raises", "grows", "turns", "shifts", "unknown"]


@dataclass(frozen=True, slots=True)
class Second:
    """A second time gives the same (repeats), fails (raises), or something else (shifts).

    What shifts may grow, or turn, so that a third time gives what the first gave. `does` continues
    "a second run of this cell ..."; `{it}` in it stands for what is changed. `because` tells what
    that hangs on: the kind of object that the symbol holds by then, or what such an object
    contains; "" for neither.
    """

    kind: Kind
    does: str = ""
    because: Literal["", "object", "contents"] = ""


UNKNOWN = Second("unknown")
REPEATS = Second("repeats")
CONVERTS = Second("repeats", because="object")
"""It may be done again, and gives the same kind of object whatever it is given."""


def rebound(node: ast.Call, func: ast.Attribute) -> Second:
    """Return what `x = x.method(...)` comes to when it is done again; also with `inplace=True`."""
    known = inplace.load().rebinding
    name = func.attr
    before = func.value.attr if isinstance(func.value, ast.Attribute) else ""
    if before == "str":
        if name in {"split", "rsplit"} and keyword_of(node, "expand") is None:
            lists = "turns {it} into missing values, since it then holds lists"
            return Second("shifts", lists, "contents")
        return REPEATS if name in known.repeats else UNKNOWN
    special = _SPECIAL.get(name)
    if special is not None:
        return special(node)
    if name in known.other_kind:
        return has_no(name)
    if name in known.converts:
        return CONVERTS
    if name in known.shifts:
        return Second("shifts", f"applies `{name}` to {{it}} again")
    return REPEATS if name in known.repeats else UNKNOWN


def has_no(name: str) -> Second:
    """Return what taking an attribute comes to that the result has not."""
    return Second("raises", f"raises AttributeError: {{it}} has no `{name}` any more", "object")


def key_error(what: str) -> Second:
    """Return what taking labels out of a table comes to when it is done again."""
    if what == "rows":
        return Second("raises", "raises KeyError, or drops other rows of {it}")
    return Second("raises", f"raises KeyError: {{it}} has lost these {what}")


def keyword_of(node: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument, None when it is not given."""
    return next((k.value for k in node.keywords if k.arg == name), None)


def _drop(node: ast.Call) -> Second:
    """Return what `drop(...)` does a second time: the labels are gone."""
    errors = keyword_of(node, "errors")
    if errors is not None or not (node.args or node.keywords):
        return UNKNOWN
    if not {"index", "level_0"}.isdisjoint(dropped(node)):
        return UNKNOWN  # what reset_index() makes
    axis = keyword_of(node, "axis") or (node.args[1] if len(node.args) > 1 else None)
    columns = keyword_of(node, "columns") is not None or (
        isinstance(axis, ast.Constant) and axis.value in {1, "columns"}
    )
    return key_error("columns" if columns else "rows")


def _set_index(node: ast.Call) -> Second:
    """Return what `set_index('a')` does a second time: the column has become the index."""
    if keyword_of(node, "drop") or keyword_of(node, "append") or not dropped(node):
        return UNKNOWN
    return key_error("columns")


def _reset_index(node: ast.Call) -> Second:
    """Return what `reset_index()` does a second time: the new index becomes a column too."""
    gone = keyword_of(node, "drop")
    if isinstance(gone, ast.Constant) and gone.value is True:
        return REPEATS
    if gone is not None or node.args or keyword_of(node, "level") is not None:
        return UNKNOWN
    return Second("shifts", "makes the index of {it} a column again")


def _map(node: ast.Call) -> Second:
    """Return what `map({...})` does a second time, when its keys are gone then."""
    table = node.args[0] if node.args else None
    if not isinstance(table, ast.Dict):
        return UNKNOWN
    keys, values = (labels(ast.List(list(filter(None, p)))) for p in (table.keys, table.values))
    pairs = dict(zip(keys, values, strict=False))
    if not pairs or len(keys) != len(values):
        return UNKNOWN
    if not set(values) <= set(keys):
        does = "turns {it} into missing values, since what it then holds is no key"
        return Second("shifts", does)
    changes = any(pairs[value] != value for value in pairs.values())
    return Second("shifts", "maps {it} again") if changes else REPEATS


def merge(node: ast.Call) -> Second:
    """Return what joining the same table by some columns comes to when it is done again.

    By all common columns, as it is without `on`, it comes to the same.
    """
    keys = {"on", "left_on", "right_on", "left_index", "right_index"}
    if keys.isdisjoint(keyword.arg for keyword in node.keywords):
        return UNKNOWN
    does = "merges into {it} again: columns double as `_x` and `_y`, or rows grow"
    return Second("shifts", does)


def _sample(node: ast.Call) -> Second:
    less = labels(keyword_of(node, "frac") or node) not in ([], [1])
    does = "takes a sample of {it}, which is a sample already"
    return Second("shifts", does) if less else UNKNOWN


_SPECIAL: dict[str, Callable[[ast.Call], Second]] = {
    "drop": _drop,
    "set_index": _set_index,
    "reset_index": _reset_index,
    "map": _map,
    "merge": merge,
    "sample": _sample,
    "pivot": lambda _: key_error("columns"),
    "pivot_table": lambda _: key_error("columns"),
    "melt": lambda _: Second("shifts", "melts {it} again, or raises"),
    "droplevel": lambda _: Second("shifts", "drops another level of {it}, or raises"),
}


# -- in place --------------------------------------------------------------------------------------

_MAPPINGS = frozenset({
    "dict", "collections.Counter", "collections.defaultdict", "collections.OrderedDict",
})  # fmt: skip
_NO_KEY = Second("raises", "raises KeyError: {it} has no such key any more")
_CALLED = {
    "appends to {it} again": "append appendleft",
    "extends {it} again": "extend extendleft",
    "inserts into {it} again": "insert",
    "raises, or removes another element of {it}": "remove",
    "takes another element out of {it}": "pop popleft popitem heappop",
    "reverses {it} again": "reverse",
    "rotates {it} again": "rotate",
    "counts into {it} again": "update",
    "subtracts from {it} again": "subtract",
    "reads nothing, since {it} is at its end": "read readlines",
    "reads the next line of {it}": "readline",
    "writes to {it} again": "write writelines",
    "shuffles {it}, which is shuffled already": "shuffle",
    "puts the element into {it} again": "heappush insort insort_left insort_right",
    "takes the next element from {it}": "next",
}
_DOES = {name: does for does, names in _CALLED.items() for name in names.split()}
_GROW = frozenset({"append", "appendleft", "extend", "extendleft", "insert"})


def in_place_method(graph: Graph, cell: int, call: ast.Call, func: ast.Attribute) -> Second:
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


def in_place_function(call: ast.Call, libraries: str) -> tuple[str, Second]:
    """Return the last word of a function, and what calling it again does to its argument."""
    path = effects.dotted(call.func, libraries)
    last = path.rpartition(".")[2]
    known = inplace.load(libraries).functions.idempotent
    if last not in _DOES or path in known or f".{last}" in known:
        return last, UNKNOWN
    return last, Second(_kind(last), _DOES[last])


def _kind(called: str) -> Kind:
    return "grows" if called in _GROW else "turns" if called == "reverse" else "shifts"
