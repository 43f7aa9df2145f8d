"""What functions and methods do to the rows of one table: keep, choose, change them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from pytest_nbsafe.absint.leakage import named_columns, tabular
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Closure,
    Const,
    Data,
    Dep,
    DepKind,
    Form,
    Index,
    Mask,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import TableCall, is_across
from pytest_nbsafe.absint.leakage.memory import Choice
from pytest_nbsafe.absint.leakage.rows import ByColumn, ByUnknown, Division, EachGroup
from pytest_nbsafe.values import replace

# -- the same rows ---------------------------------------------------------------------------------


def kept(call: TableCall) -> Value:
    """Return the same rows."""
    return call.data


def in_form(call: TableCall, form: Form) -> Value:
    """Return the same rows as an array or a table."""
    return replace(call.data, form=form)


def reset_index(call: TableCall) -> Value:
    """Return the same rows, numbered; the statistics of groups become a table."""
    return replace(call.data, form="frame") if call.data.form == "stat" else call.data


def reindexed(call: TableCall) -> Value:
    """Return the same rows under other labels, those of some labels, or some of the columns."""
    if "columns" not in call.arguments.keywords:
        labels = call.find(0, "labels", "index")
        if not isinstance(labels, Index) or not (labels.steps or labels.rows):
            return call.data
        return tabular.take_rows(call.machine, call.data, labels)
    columns = call.arguments.plain(-1, "columns")
    names = tabular.names_in(columns)
    if names is not None:
        return tabular.chosen(call.data, names)
    return named_columns.chosen_by(call.data, columns if isinstance(columns, Names) else Names())


def index_set(call: TableCall) -> Value:
    """Return a table whose rows have a column for their labels: by dates they are a series."""
    names = call.arguments.names(0, "keys") or ()
    dated = [d for n in names for d in tabular.column(call.data, n).deps if d.is_time]
    return tabular.with_deps(tabular.without(call.data, names), dated)


def items(call: TableCall) -> Value:
    """Return pairs of a label and a row, or a column."""
    row = replace(call.data, form="row")
    return Seq((), Seq((AnyValue(("row", call.machine.token(call.data.rows))), row)))


# -- each row from that row alone ------------------------------------------------------------------


def rowwise(call: TableCall) -> Value:
    """Return rows that were made each from that row alone."""
    data = call.data
    if data.form == "group":
        return tabular.together(data)
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    return tabular.mix([data, *others])


def is_in(call: TableCall) -> Value:
    """Return which rows have values that are among others: these may be those of a part."""
    others = call.arguments.get(call.first)
    key = "isin", call.machine.token(others)
    listed = call.machine.plain(others) if others is not None else None
    known = (
        isinstance(listed, Seq)
        and listed.each is None
        and all(isinstance(item, Const) for item in listed.items)
    )
    told = tabular.mix([call.data])
    if known:
        return replace(told, mask=Mask(key, ("is", True)))
    return replace(tabular.without_origins(told), mask=Mask(ByUnknown(key), ("is", True)))


def text_told(call: TableCall) -> Value:
    """Return which rows have a text in which something is found."""
    origins = call.data.origins
    key = call.what, origins, *map(call.machine.token, call.arguments.every())
    mask = Mask(key if origins else ByUnknown(key), ("is", True))
    return replace(tabular.without_origins(tabular.mix([call.data])), mask=mask)


_BOUNDS = ((0, "left"), (1, "right"))


def is_between(call: TableCall) -> Value:
    """Return which rows have values between two bounds."""
    if len(call.data.origins) != 1:
        return rowwise(call)
    low, high = (tabular.bound(call.machine, call.arguments.get(i, n)) for i, n in _BOUNDS)
    within: tuple[Hashable, ...] = ("range", (low, False), (high, True))
    (origin,) = call.data.origins
    return replace(tabular.mix([call.data]), mask=Mask(ByColumn(origin), within))


def is_missing(call: TableCall, part: tuple[Hashable, ...] = ("is", True)) -> Value:
    """Return which rows have no value; with another `part`, which have one."""
    origins = call.data.origins
    key = "null", *(origins or (call.machine.token(call.data),))
    is_made = not origins or any(ByColumn(origin).is_made for origin in origins)
    mask = Mask(ByUnknown(key) if is_made and call.data.form == "series" else key, part)
    return replace(tabular.mix([call.data]), mask=mask)


def evaluated_text(call: TableCall) -> Value:
    """Return a table with the column that `eval("x = x - @mean")` makes."""
    text = call.find(0, "expr")
    expression = text.value if isinstance(text, Const) and isinstance(text.value, str) else ""
    names = re.findall(r"@(\w+)", expression)
    used = [call.machine.get(call.machine.read(name)) for name in names]
    result = tabular.mix([call.data, *(value for value in used if isinstance(value, Data))])
    target = re.match(r"\s*(\w+)\s*=(?!=)", expression)
    if target is None:
        return result
    return tabular.with_column(call.data, target[1], result, site=call.arguments.site)


def assigned(call: TableCall) -> Value:
    """Return a table with the columns that keywords name."""
    data = call.data
    for name, value in call.arguments.keywords.items():
        given = call.machine.get(value)
        call.machine.mark_rows(data, name, given)
        if isinstance(given, Closure):
            given = call.machine.get(called(call, given, data))
        part = given if isinstance(given, Data) else Data()
        data = tabular.with_column(data, name, part, site=call.arguments.site)
    return data


# -- some of the rows ------------------------------------------------------------------------------


def filtered(call: TableCall) -> Data:
    """Return some of the rows, or of the columns."""
    if is_across(call.find(-1, "axis")):
        return named_columns.nameless(call.data)
    given = tuple(call.machine.token(value) for value in call.arguments.every())
    return tabular.part(call.data, Division((call.what, call.arguments.fresh, given), ("is", True)))


def one_each(call: TableCall) -> Value:
    """Return one row for each value of some columns: a table in which these are no groups."""
    if call.arguments.constant("keep") is False:  # those that are there once, of a part or not
        once = Division(ByUnknown((call.what, call.arguments.fresh)), ("is", True))
        data = replace(call.data, deps=frozenset(d for d in call.data.deps if d.kind != "resample"))
        return tabular.part(data, once)
    result = filtered(call)
    names = call.arguments.names(call.first, "subset")
    return replace(result, base=("one each", call.arguments.fresh)) if names else result


def aligned(call: TableCall) -> Value:
    """Return a table and the one that it is given, each with its own rows; columns may be gone."""
    other = call.arguments.data(call.first, "other")
    if other is None:
        return call.arguments.unknown()
    how = call.arguments.constant("join", default="outer")
    pair = [call.data, other]
    if how != "outer":
        pair = [named_columns.chosen_by(part, Names()) for part in pair]
    return Seq(tuple(call.machine.box(part) for part in pair))


def at_end(call: TableCall, *, first: bool) -> Value:
    """Return the first or the last rows, of each group where there are groups."""
    data, count = call.data, call.find(0, "n")
    value = count.value if isinstance(count, Const) else 5 if count is None else AnyValue(0)
    if data.form == "group":
        step = Division(ByUnknown((call.what, call.arguments.fresh)), ("is", value))
        some = replace(tabular.part(data, step, "frame"), by=frozenset())
        return replace(some, base=("one each", call.arguments.fresh)) if value == 1 else some
    if data.ranked and value == 1:
        site = call.machine.site(call.arguments.node)
        call.machine.note(Choice(site, data.scores))
    if first:
        return tabular.take_rows(call.machine, data, tabular.Slice(None, value))
    low = -value if isinstance(value, int) else value
    return tabular.take_rows(call.machine, data, tabular.Slice(low, None))


def by_count(call: TableCall, *, first: bool) -> Value:
    """Return the first rows, so many of them as a number says, or those after them."""
    count = call.find(0, "count")
    if isinstance(count, Const | AnyValue):
        end = tabular.bound(call.machine, count)
        part = tabular.Slice(None, end) if first else tabular.Slice(end, None)
        return tabular.take_rows(call.machine, call.data, part)
    return subset(call) if first else filtered(call)


def subset(call: TableCall) -> Value:
    """Return the rows at some positions."""
    index = call.find(0)
    if is_across(call.find(-1, "axis")):
        return named_columns.nameless(call.data)
    if isinstance(index, Index | Data):
        return tabular.take_rows(call.machine, call.data, index)
    return filtered(call)


def deleted(call: TableCall) -> Value:
    """Return the rows that are not at some positions."""
    index = call.find(0)
    if is_across(call.find(1, "axis")):
        return named_columns.nameless(call.data)
    if not isinstance(index, Index) or not index.steps:
        return filtered(call)
    return replace(call.data, rows=sets.divide(call.data.rows, index.steps[0].rest()))


def without_gaps(call: TableCall) -> Value:
    """Return the rows without gaps; the same rows where columns are left out."""
    by_column = call.arguments.constant("axis") in {1, "columns"}
    return call.data if by_column else filtered(call)


def queried(call: TableCall) -> Value:
    """Return the rows for which a condition in a text holds."""
    query = call.find(0)
    text = query.value if isinstance(query, Const) else call.arguments.fresh
    key = "query", text
    looks_up = not isinstance(text, str) or "@" in text  # a value of the page, perhaps of a part
    return tabular.part(call.data, Division(ByUnknown(key) if looks_up else key, ("is", True)))


def group_rows(call: TableCall) -> Value:
    """Return the rows of one group."""
    given = tuple(call.machine.token(value) for value in call.arguments.every())
    step = Division((call.what, call.machine.token(call.data.rows)), ("is", given))
    return tabular.part(call.data, step, "frame")


def dropped(call: TableCall) -> Value:
    """Return a table without some columns, or without some rows."""
    data, arguments = call.data, call.arguments
    axis = arguments.constant("axis")
    if axis is None and len(arguments.args) > 1:
        second = arguments.get(1)
        axis = second.value if isinstance(second, Const) else None
    labels = arguments.plain(0, "labels", "columns", "index")
    by_column = axis in {1, "columns"} or "columns" in arguments.keywords
    if by_column or (data.form == "frame" and tabular.names_in(labels) and axis is None):
        if "columns" in arguments.keywords:
            labels = arguments.plain(-1, "columns")
        return _without_columns(data, labels, ("some", arguments.fresh))
    if isinstance(labels, Index):
        left = sets.complement(data.rows, labels.rows) if labels.rows is not None else None
        if left is None and labels.steps:
            left = sets.divide(data.rows, labels.steps[0].rest())
        if left is not None:
            return replace(data, rows=left, mask=None)
    return filtered(call)


def _without_columns(data: Data, labels: Value, base: Hashable) -> Data:
    """Return a table without some columns, one of its own (`base`) if it is not known which."""
    names = tabular.names_in(labels)
    if names is not None:
        return tabular.without(data, names)
    deps = labels.all_deps() if isinstance(labels, Data) else frozenset()
    if isinstance(labels, Names):
        deps = labels.deps
    chosen = frozenset(dep for dep in deps if dep.kind == "selection")
    return named_columns.anew(named_columns.chosen_by(data, Names(None, chosen)), base)


def sized(call: TableCall) -> Value:
    """Return a number of rows or of values: nothing that is learned."""
    return AnyValue((call.what, call.machine.token(call.data)))


# -- what several effects need ---------------------------------------------------------------------


def learned_by(call: TableCall, kind: DepKind, rows: sets.Rows | None = None) -> Dep:
    """Return what it is that a value will depend on."""
    data = call.data
    rows = data.rows if rows is None else rows
    keys = [step.key for atom in rows for step in atom.steps]
    by_group = any(
        isinstance(key, EachGroup) or (isinstance(key, ByColumn) and key.in_turn) for key in keys
    )
    return Dep(
        kind,
        rows,
        call.what,
        call.arguments.site,
        call.name,
        frozenset(data.origins),
        grouped=by_group or data.form == "group",
        by=data.by,
    )


_OWN = frozenset({"axis", "args", "func"})
"""Keywords of a method that calls a function; the function is given the others."""


def called(call: TableCall, function: Value, part: Data) -> Value:
    """Return what a given function makes of a table."""
    extra = call.find(-1, "args")
    more: Sequence[Value] = extra.items if isinstance(extra, Seq) else ()
    keywords = {k: v for k, v in call.arguments.keywords.items() if k not in _OWN}
    args = [call.machine.box(part), *more]
    return call.machine.call(call.arguments.node, function, args, keywords)
