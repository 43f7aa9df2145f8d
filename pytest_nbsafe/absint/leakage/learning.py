"""What is learned of the rows of a table, and what looks at other rows of it."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import containers, scores, select, tables
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.frames import Call, called, filtered, learned_by
from pytest_nbsafe.absint.leakage.joins import joined
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Const,
    Data,
    Dep,
    Form,
    Function,
    Lib,
    Partial,
    Seq,
    Table,
    Value,
)
from pytest_nbsafe.values import replace

_DATE = patterns.compile(r"(?i)date|time|timestamp|^day$|^month$|^year$")


_OF_A_SHARE = frozenset({"quantile", "percentile", "nanquantile", "nanpercentile"})
"""What takes a share before the axis."""


def _by_row(call: Call) -> bool:
    axis = call.arguments.constant("axis", "dim")
    if axis is None and len(call.arguments.args) > call.first and call.what not in _OF_A_SHARE:
        first = call.arguments.get(call.first)
        axis = first.value if isinstance(first, Const) and first.value == 1 else None
    return axis in {1, "columns", -1, "index_columns"} or call.data.form == "row"


def statistic(call: Call) -> Value:
    """Return what is learned of all rows; of the differences from the truth it is a score."""
    data = call.data
    if call.what == "value_counts" and data.form == "series":
        for origin in data.origins:  # who counts the rows of each has several
            base, name = origin if isinstance(origin, tuple) and len(origin) == 2 else (None, "")
            call.machine.mark_group(base, str(name))
    if data.scores and call.what in containers.PICKS:
        containers.note_choice(call.machine, data, call.arguments, containers.PICKS[call.what])
    if data.judged:
        return scores.judged(call.machine, data, call.arguments)
    if call.what in {"nlargest", "nsmallest"} and data.form == "frame":
        return filtered(call)
    if _by_row(call):
        return tables.mix([data])
    if data.form == "window":
        return replace(data, form="any")
    if call.what == "agg":
        from pytest_nbsafe.absint.leakage import deferred

        made = deferred.aggregated(call)
        if made is not None:
            return made
    deps = data.all_deps()
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    deps = deps.union(*(v.all_deps() for v in others))
    if data.rows:
        of = call.data.origins.union(*(v.origins for v in others), _aggregated(call))
        dep = learned_by(call, "statistic")
        deps |= {replace(dep, of=of, grouped=dep.grouped or call.what == "pivot_table")}
    form: Form = "frame" if data.form == "group" else "stat"
    base = data.base if data.form in {"group", "frame"} else None
    columns = data.columns if data.form == "series" else None
    return Data(
        deps=deps, form=form, scores=data.scores, vague=data.vague, base=base, columns=columns
    )


def _aggregated(call: Call) -> frozenset[Hashable]:
    """Return the columns that `agg` names: `agg({"y": "mean"})`, `agg(rate=("y", "mean"))`."""
    found = set()
    if call.what == "pivot_table":
        found |= set(tables.names_in(call.arguments.plain(call.first, "values")) or ())
    for value in (*map(call.machine.get, call.arguments.args), *call.arguments.keywords.values()):
        state = call.machine.get(value)
        if isinstance(state, Table):
            found |= {name for name, _ in state.items if isinstance(name, str)}
        elif isinstance(state, Seq) and state.items:
            first = call.machine.get(state.items[0])
            found |= set(tables.names_in(first) or ())
    return frozenset().union(*(tables.column(call.data, name).origins for name in found))


def selection(call: Call) -> Value:
    """Return scores of the features: what is chosen by them depends on the target."""
    dep = replace(learned_by(call, "selection"), kind="selection")
    return Data(deps=call.data.all_deps() | {dep}, form="stat", vague=call.data.vague)


def fitted(call: Call) -> Value:
    """Return rows changed by what was learned of all of them."""
    data = call.data
    if call.what == "interpolate":
        return backfill(call)
    if _by_row(call) or not data.rows:
        return tables.mix([data])
    dep = learned_by(call, "fitted" if call.owner is None else "statistic")
    return tables.with_deps(replace(data, mask=None), (dep,))


def filled(call: Call) -> Value:
    """Return rows with gaps filled: they depend on what the gaps are filled with."""
    if call.arguments.constant("method") in {"bfill", "backfill"}:
        return backfill(call)
    strategy = call.arguments.constant("strategy")  # that of polars
    if strategy == "backward":
        return backfill(call)
    if strategy in {"mean", "min", "max"}:
        return tables.with_deps(call.data, (learned_by(call, "statistic"),))
    value = call.find(0, "value")
    data = call.data
    if isinstance(value, Data):
        return tables.with_deps(data, value.all_deps())
    if isinstance(value, Table):
        for name, part in value.items:
            made = call.machine.get(part)
            if isinstance(made, Data) and isinstance(name, str):
                data = tables.with_column(data, name, replace(made, rows=data.rows), partly=True)
        return data
    return replace(data, form="any" if data.form == "group" else data.form)


def backfill(call: Call) -> Value:
    """Return rows with gaps filled from later rows, which matters where rows are a series."""
    if any(dep.kind == "time" for dep in call.data.all_deps()):
        return _ahead(call, call.what)
    return call.data


def _ahead(call: Call, what: str) -> Data:
    dep = replace(learned_by(call, "ahead"), what=what)
    data = replace(call.data, origins=frozenset(), uses=frozenset(), mask=None)
    return tables.with_deps(data, (dep,))


def _timed(call: Call) -> Data:
    dep = replace(learned_by(call, "time"), of=frozenset())
    form: Form = "any" if call.data.form == "group" else call.data.form
    return tables.with_deps(
        replace(call.data, origins=frozenset(), uses=frozenset(), mask=None, form=form), (dep,)
    )


def shifted(call: Call) -> Value:
    """Return rows moved: those from later ones look ahead, the others show a series."""
    if call.what == "gradient":
        return tables.mix([call.data])
    count = call.find(0, "periods", "shift")
    if isinstance(count, Const) and isinstance(count.value, int | float) and count.value < 0:
        form: Form = "any" if call.data.form == "group" else call.data.form
        return replace(_ahead(call, f"{call.what}({count.value})"), form=form)
    if call.what == "shift":
        back = count.value if isinstance(count, Const) else 1 if count is None else 0
        return _timed(replace(call, data=_back(call.data, back)))
    return _timed(call)


def _back(data: Data, count: Hashable) -> Data:
    """Return rows moved back as far as they were moved ahead before: they look ahead no more."""
    steps = count if isinstance(count, int) else 0
    undone = {f"shift({-step})" for step in range(1, min(steps, _FAR) + 1)}
    deps = frozenset(d for d in data.deps if d.kind != "ahead" or d.what not in undone)
    return replace(data, deps=deps)


_FAR = 400
"""More rows than anybody shifts by."""


def rolling(call: Call) -> Value:
    """Return a window over neighbouring rows; a centred one looks ahead."""
    if call.owner is None:  # what smooths is centred; of a table, it may smooth each row
        smooth = replace(_ahead(call, call.what), form="any")
        return smooth if call.data.form == "series" else call.data
    if call.arguments.constant("center") is True:
        return replace(_ahead(call, "a centred window"), form="window")
    return replace(_timed(call), form="window")


def window(call: Call) -> Value:
    """Return a window over all rows so far, or over those of an hour, a day and so on."""
    if call.what == "resample":
        return replace(_timed(call), form="window")
    form: Form = "window" if call.what in {"expanding", "ewm"} else "any"
    return replace(call.data, form=form, origins=frozenset(), uses=frozenset(), mask=None)


def sorted_rows(call: Call) -> Value:
    """Return the rows sorted: in order of time where they are sorted by a date."""
    names = tables.names_in(call.arguments.plain(0, "by")) or ()
    data = replace(call.data, ranked=True) if call.data.scores else call.data
    for name in names:
        made = tables.column(data, name)
        chosen = select.selecting(made)
        if chosen:  # which names come first depends on it
            return tables.with_deps(data, chosen)
        if any(dep.kind == "time" for dep in made.deps) or _DATE.search(name):
            return tables.with_deps(
                data, (Dep("time", data.rows, "sort_values", call.arguments.site),)
            )
    return data


def grouped(call: Call) -> Value:
    """Return rows in groups."""
    names = tables.names_in(call.arguments.plain(0, "by")) or ()
    for name in names:
        call.machine.mark_group(call.data.base, name)
    return replace(call.data, form="group")


def each(call: Call) -> Value:
    """Return what a given function makes of columns, rows or groups."""
    data = call.data
    given = call.find(0, "func")
    if isinstance(given, Const) and isinstance(given.value, str):
        inner = replace(call, what=given.value)
        if given.value in {"shift", "diff"}:
            return _timed(inner)
        if given.value in {"rank", "cumsum", "cumcount", "ffill", "bfill"}:
            return replace(data, form="any", origins=frozenset(), uses=frozenset())
        if data.form == "group":
            return tables.with_deps(
                replace(data, form="any", origins=frozenset(), uses=frozenset()),
                (learned_by(inner, "statistic"),),
            )
        return statistic(inner)
    if not isinstance(given, Function | Partial | Bound | Lib):
        return tables.mix([data])
    if isinstance(given, Lib) and call.machine.knowledge.effect_of(given.name) is None:
        return replace(tables.mix([data]), origins=frozenset(), uses=frozenset())
    by_row = _by_row(call) or (data.form == "series" and call.what != "transform")
    form: Form = "row" if by_row else "frame" if data.form == "group" else data.form
    part = replace(data, form=form, mask=None)
    result = call.machine.get(called(call, given, part))
    if call.what == "pipe":
        return result
    form = "any" if data.form in {"group", "row"} else data.form
    kept = replace(data, form=form, origins=frozenset(), uses=frozenset())
    if not isinstance(result, Data):
        return replace(
            tables.mix([kept]),
            origins=data.origins if by_row and len(data.origins) == 1 else frozenset(),
        )
    if by_row:
        kept = replace(kept, origins=result.origins, uses=result.uses)
    return tables.with_deps(kept, result.all_deps())


def mapped(call: Call) -> Value:
    """Return values by a given table or function, on which they then depend."""
    given = call.find(0, "arg", "func")
    if isinstance(given, Function):
        return each(replace(call, data=replace(call.data, form="series")))
    if isinstance(given, Table):
        values = [call.machine.get(v) for v in (*(v for _, v in given.items), given.each) if v]
        made = joined(value for value in values if isinstance(value, Data))
        given = made if made is not None else given
    if isinstance(given, Data):
        return replace(tables.mix([call.data, replace(given, rows=sets.NONE)]), form="series")
    return tables.mix([call.data])
