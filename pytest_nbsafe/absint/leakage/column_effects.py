"""What functions and methods do to the columns of one table: take, choose, name, divide them."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage import named_columns, tabular
from pytest_nbsafe.absint.leakage.abstract_values import Const, Data, Dictionary, Names, Value
from pytest_nbsafe.absint.leakage.arguments import TableCall
from pytest_nbsafe.values import replace


def take_out(call: TableCall) -> Value:
    """Return a column, which the table loses."""
    names = call.arguments.names(0, "item")
    if call.owner is None or not names:
        return call.data
    call.machine.put(call.owner, tabular.without(call.data, names))
    return tabular.column(call.data, names[0])


def column_by_name(call: TableCall) -> Value:
    """Return the column of a given name, or some column."""
    names = call.arguments.names(0, "key")
    return tabular.column(call.data, names[0]) if names else some_columns(call)


def some_columns(call: TableCall) -> Value:
    """Return columns that nobody can tell."""
    some = named_columns.chosen_by(call.data, Names())
    return named_columns.anew(some, ("some", call.arguments.fresh))


def by_names(call: TableCall) -> Value:
    """Return the columns whose names are given, or hold or match a text."""
    names = call.arguments.names(0, "items")
    if names is not None:
        return tabular.chosen(call.data, names)
    for title, kind in (("like", "in"), ("regex", "matches")):
        text = call.arguments.constant(title)
        if isinstance(text, str):
            tests = ((kind, text, True),)
            return named_columns.chosen_by(call.data, Names(None, tests=tests, whole=True))
    return some_columns(call)


def columns_renamed(call: TableCall) -> Value:
    """Return a table whose columns have other names."""
    data = call.data
    if data.form != "frame":
        return data
    base = "renamed", call.arguments.fresh
    given = call.arguments.get(-1, "columns")
    if not isinstance(given, Dictionary) or given.each is not None:
        return named_columns.anew(replace(data, deps=data.mixed_deps(), named=()), base)
    others = dict(given.items)
    named = tuple((_text(others.get(name), name), column) for name, column in data.named)
    return named_columns.anew(replace(data, named=named), base)


def _text(value: Value | None, default: str) -> str:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else default


def inserted(call: TableCall) -> Value:
    """Give a table a column more."""
    names = call.arguments.names(1, "column")
    values = call.arguments.get(2, "value")
    if names and call.owner is not None:
        part = values if isinstance(values, Data) else Data()
        call.machine.put(call.owner, tabular.with_column(call.data, names[0], part))
    return Const(None)


def dummies(call: TableCall) -> Value:
    """Return a column for each category: of texts they have other names than the column had."""
    data = replace(call.data, mask=None)
    if data.form == "series":
        return replace(data, form="frame", base=None, columns=None)
    return named_columns.divided(
        data,
        call.arguments.names(-1, "columns") or (),
        ("dummies", call.arguments.fresh),
        renamed="prefix" in call.arguments.keywords,
    )
