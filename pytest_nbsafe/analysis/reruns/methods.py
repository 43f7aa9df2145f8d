"""What methods come to when they are called a second time, on their own result or in place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Literal

from pytest_nbsafe.analysis import knowledge
from pytest_nbsafe.analysis.reruns.symbols import dropped
from pytest_nbsafe.values import dataclass

Kind = Literal["repeats", "raises", "shifts", "unknown"]


@dataclass(frozen=True, slots=True)
class Second:
    """A second time gives the same (repeats), fails (raises), or something else (shifts).

    `does` continues "a second run of this cell ..." where it raises or shifts; `{it}` in it stands
    for what is changed. `because` tells what that hangs on: the kind of object that the symbol
    holds by then, or what such an object contains; "" for neither.
    """

    kind: Kind
    does: str = ""
    because: Literal["", "object", "contents"] = ""


UNKNOWN = Second("unknown")
REPEATS = Second("repeats")
CONVERTS = Second("repeats", because="object")
"""It may be done again, and gives the same kind of object whatever it is given."""

_PARTS_OF_DATES = frozenset({
    "year", "month", "day", "hour", "minute", "second", "date", "time", "dayofweek", "weekday",
    "days", "seconds", "quarter", "week", "weekofyear", "dayofyear", "day_name", "month_name",
    "strftime", "total_seconds", "day_of_week", "day_of_year", "isocalendar",
})  # fmt: skip
_OTHER_KIND = {
    "split": "AttributeError", "rsplit": "AttributeError", "splitlines": "AttributeError",
    "decode": "AttributeError", "encode": "AttributeError", "tolist": "AttributeError",
    "to_numpy": "AttributeError", "numpy": "AttributeError", "toarray": "AttributeError",
    "to_frame": "AttributeError", "toPandas": "AttributeError", "items": "AttributeError",
    "readlines": "AttributeError", "json": "AttributeError", "strftime": "AttributeError",
    "tz_localize": "TypeError", "to_list": "AttributeError", "read": "AttributeError",
}  # fmt: skip
"""Methods whose result has no such method any more (or refuses it)."""


NO_TEXT = Second("raises", "raises AttributeError: {it} holds no text any more", because="contents")
MEASURES = frozenset({
    "len", "contains", "startswith", "endswith", "count", "find", "match", "isdigit", "isnumeric",
})  # fmt: skip
"""Methods of `.str` that give numbers or truth values."""


def is_number(node: ast.Call) -> bool:
    """Tell whether `astype(...)` is told a kind of number."""
    told = node.args[0] if node.args else keyword_of(node, "dtype")
    word = told.value if isinstance(told, ast.Constant) else None
    if isinstance(told, ast.Name | ast.Attribute):
        word = told.id if isinstance(told, ast.Name) else told.attr
    return isinstance(word, str) and word.lower().startswith(("int", "float", "uint", "bool"))


def rebound(node: ast.Call, func: ast.Attribute) -> Second:
    """Return what `x = x.method(...)` comes to when it is done again; also with `inplace=True`."""
    known = knowledge.load().rebinding
    name = func.attr
    before = func.value.attr if isinstance(func.value, ast.Attribute) else ""
    if before == "dt":
        return of_dates(name)
    if before == "str":
        if name in {"split", "rsplit"} and keyword_of(node, "expand") is None:
            lists = "turns {it} into missing values: it holds lists by then"
            return Second("shifts", lists, "contents")
        return REPEATS if name in known.repeats or name == "replace" else UNKNOWN
    special = _SPECIAL.get(name)
    if special is not None:
        return special(node)
    if name in _OTHER_KIND:
        does = f"raises {_OTHER_KIND[name]}: {{it}} has no `{name}` any more"
        return Second("raises", does, "object")
    if name in known.converts:
        return CONVERTS
    if name in known.shifts:
        return Second("shifts", f"applies `{name}` to {{it}} once more")
    return REPEATS if name in known.repeats else UNKNOWN


def of_dates(name: str) -> Second:
    """Return what `.dt.name` comes to when it is done again."""
    if name in _PARTS_OF_DATES:
        return Second("raises", "raises AttributeError: {it} holds no dates any more", "contents")
    return REPEATS if name in {"normalize", "floor", "ceil", "round"} else UNKNOWN


def key_error(what: str) -> Second:
    """Return what taking labels out of a table comes to when it is done again."""
    if what == "rows":
        return Second("raises", "raises KeyError, or drops other rows of {it}")
    return Second("raises", f"raises KeyError: {{it}} has lost these {what}")


def keyword_of(node: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument, None when it is not given."""
    return next((k.value for k in node.keywords if k.arg == name), None)


def _is_constant(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def drop(node: ast.Call) -> Second:
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


def set_index(node: ast.Call) -> Second:
    """Return what `set_index('a')` does a second time: the column has become the index."""
    key = node.args[0] if node.args else keyword_of(node, "keys")
    texts = key.elts if isinstance(key, ast.List) else [key]
    plain = all(isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts)
    if keyword_of(node, "drop") is not None or keyword_of(node, "append") is not None or not plain:
        return UNKNOWN
    return key_error("columns")


def reset_index(node: ast.Call) -> Second:
    """Return what `reset_index()` does a second time: the new index becomes a column too."""
    gone = keyword_of(node, "drop")
    if _is_constant(gone, True):  # noqa: FBT003 - it is what is looked for
        return REPEATS
    if gone is not None or node.args or keyword_of(node, "level") is not None:
        return UNKNOWN
    return Second("shifts", "makes the index of {it} a column once more")


def _map(node: ast.Call) -> Second:
    """Return what `map({...})` does a second time, when its keys are gone then."""
    table = node.args[0] if node.args else None
    if not isinstance(table, ast.Dict) or not _are_constants((*table.keys, *table.values)):
        return UNKNOWN
    pairs: dict[object, object] = ast.literal_eval(table)
    if not set(pairs.values()) <= set(pairs):
        does = "turns {it} into missing values: what it holds by then is no key"
        return Second("shifts", does)
    changes = any(pairs[value] != value for value in pairs.values())
    return Second("shifts", "maps {it} once more") if changes else REPEATS


def _are_constants(nodes: Iterable[ast.expr | None]) -> bool:
    return all(isinstance(node, ast.Constant) for node in nodes)


def merge(node: ast.Call) -> Second:
    """Return what joining the same table by some columns comes to when it is done again.

    By all common columns, as it is without `on`, it comes to the same.
    """
    keys = {"on", "left_on", "right_on", "left_index", "right_index"}
    if keys.isdisjoint(keyword.arg for keyword in node.keywords):
        return UNKNOWN
    does = "merges into {it} once more: columns double as `_x` and `_y`, or rows grow"
    return Second("shifts", does)


def _join(node: ast.Call) -> Second:
    framed = any(k.arg in {"on", "how", "lsuffix", "rsuffix"} for k in node.keywords)
    if framed and not any(k.arg in {"lsuffix", "rsuffix"} for k in node.keywords):
        return Second("raises", "raises ValueError: {it} has these columns already")
    return UNKNOWN


def _replace(node: ast.Call) -> Second:
    """Return what `replace(old, new)` does: new for old once more if the new text holds the old."""
    words = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if len(words) == 2 and words[0] and words[0] in words[1] and words[0] != words[1]:
        return Second("shifts", "replaces in {it} once more: the new text holds the old")
    return REPEATS


def _sample(node: ast.Call) -> Second:
    fraction = keyword_of(node, "frac")
    less = isinstance(fraction, ast.Constant) and fraction.value != 1
    return (
        Second("shifts", "takes a sample of {it}, which is a sample already") if less else UNKNOWN
    )


_SPECIAL: dict[str, Callable[[ast.Call], Second]] = {
    "drop": drop,
    "set_index": set_index,
    "reset_index": reset_index,
    "map": _map,
    "pivot": lambda _: key_error("columns"),
    "pivot_table": lambda _: key_error("columns"),
    "melt": lambda _: Second("shifts", "melts {it} once more, or raises"),
    "droplevel": lambda _: Second("shifts", "drops another level of {it}, or raises"),
    "merge": merge,
    "join": _join,
    "replace": _replace,
    "sample": _sample,
    "add": lambda _: UNKNOWN,  # a set's, perhaps
    "describe": lambda _: UNKNOWN,
    "round": lambda _: REPEATS,
}
