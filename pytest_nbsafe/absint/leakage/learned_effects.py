"""What is learned of the rows of a table, and what looks at other rows of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import (
    deferred,
    named_columns,
    neighbouring_rows,
    scores,
    subscripts,
    tabular,
)
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    AnyValue,
    Better,
    Bound,
    Closure,
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Dictionary,
    Form,
    Lib,
    Partial,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.memory import joined
from pytest_nbsafe.absint.leakage.row_effects import called, filtered, learned_by, rowwise
from pytest_nbsafe.libraries.keys import GENERAL
from pytest_nbsafe.values import replace

_DATE = patterns.compile(r"(?i)date|time|timestamp|^day$|^month$|^year$")


def _axis(call: TableCall, place: int) -> Hashable:
    """Return the axis that a call names, None for none; `place` is its own among the arguments."""
    axis = call.arguments.constant("axis", "dim")
    if axis is None and len(call.arguments.args) > place:
        second = call.arguments.get(place)
        return 1 if isinstance(second, Const) and second.value == 1 else None
    return axis if isinstance(axis, int | str) else None


def _by_row(call: TableCall, place: int | None = None) -> bool:
    """Return whether a call looks at each row alone, or at what stands under its label."""
    if "level" in call.arguments.keywords:
        return True
    axis = _axis(call, call.first if place is None else place)
    return axis in {1, "columns", -1, "index_columns"} or call.data.form == "row"


def extreme(call: TableCall, wanted: Better) -> Value:
    """Return the highest ("more") or lowest value, or where it is: of scores, a choice by them."""
    if call.data.scores:
        scores.note_choice(call.data, call.arguments, wanted)
    return statistic(call)


def extreme_rows(call: TableCall, wanted: Better) -> Value:
    """Return the rows with the highest ("more") or lowest values."""
    result = extreme(call, wanted)
    is_table = call.data.form == "frame" and not call.data.judged
    return filtered(call) if is_table else result


def value_counts(call: TableCall) -> Value:
    """Return how many rows each value has: who counts the rows of each group has several."""
    if call.data.form == "series":
        call.machine.mark_groups_of(call.data)
    return statistic(call)


def crossed(arguments: Arguments) -> Value:
    """Return how often values go together: of predictions and the truth a score."""
    score = scores.metric(arguments)
    data = arguments.table()
    if isinstance(score, Data) or data is None:
        return score
    return statistic(TableCall(data, arguments))


def pivoted(call: TableCall) -> Value:
    """Return a statistic of groups, of the columns that `values` names."""
    names = call.arguments.names(call.first, "values") or ()
    return statistic(call, names=names, grouped=True)


def aggregated(call: TableCall) -> Value:
    """Return the statistics that expressions, or functions by their names, make of groups."""
    plain = call.data.judged or call.data.form == "window" or _by_row(call)
    table = None if plain else deferred.aggregated(call)
    return table if table is not None else statistic(call)


NOWHERE = 99
"""A place that no argument has."""


def statistic(
    call: TableCall,
    kind: DepKind = "statistic",
    names: Iterable[str] = (),
    axis_at: int | None = None,
    *,
    grouped: bool = False,
) -> Value:
    """Return what is taken of all rows, or of each row; of differences from the truth, a score.

    `names` are the columns that it is of, `axis_at` is the place of the axis among the arguments.
    """
    data = call.data
    if data.judged:
        return scores.judged(data, call.arguments)
    if _by_row(call, axis_at):
        return tabular.mix([data])
    if data.form == "window":
        return replace(data, form="any")
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    deps = data.mixed_deps().union(*(v.mixed_deps() for v in others))
    if data.rows:
        known = [*names, *_aggregated_names(call)]
        columns = (tabular.column(data, name).origins for name in known)
        dep = learned_by(call, kind)
        of = data.origins.union(*(v.origins for v in others), *columns)
        table = None
        if kind == "correlation" and not others:
            own = data.base, data.columns or Columns(but=True)
            table = data.former if data.former and not data.named else own
        deps |= {replace(dep, of=of, grouped=dep.grouped or grouped, table=table)}
    form: Form = "frame" if data.form == "group" else "stat"
    base = data.base if data.form in {"group", "frame"} else None
    columns_of = data.columns if data.form == "series" else None
    return Data(
        deps=deps, form=form, scores=data.scores, vague=data.vague, base=base, columns=columns_of
    )


def _aggregated_names(call: TableCall) -> set[str]:
    """Return the columns that a call names: `agg({"y": "mean"})`, `agg(rate=("y", "mean"))`."""
    names: set[str] = set()
    for value in (*call.arguments.args, *call.arguments.keywords.values()):
        state = call.machine.get(value)
        if isinstance(state, Dictionary):
            names |= {name for name, _ in state.items if isinstance(name, str)}
        elif isinstance(state, Seq) and state.items:
            names |= set(tabular.names_in(call.machine.get(state.items[0])) or ())
    return names


def selection(call: TableCall) -> Value:
    """Return scores of the features: what is chosen by them depends on the target."""
    dep = replace(learned_by(call, "selection"), kind="selection")
    return Data(deps=call.data.all_deps() | {dep}, form="stat", vague=call.data.vague)


def fitted(call: TableCall) -> Value:
    """Return rows changed by what was learned of all of them."""
    data = call.data
    if _by_row(call) or not data.rows:
        return tabular.mix([data])
    dep = learned_by(call, "fitted" if call.owner is None else "statistic")
    return tabular.with_deps(replace(data, mask=None), (dep,))


def fitted_or_given(call: TableCall) -> Value:
    """Return rows changed by a number that was learned before, or is learned of all of them."""
    given = call.find(0, "lmbda")
    if given is None or given == Const(None):
        return fitted(call)
    number = [replace(given, rows=sets.NONE)] if isinstance(given, Data) else []
    return tabular.mix([call.data, *number])


def designed(arguments: Arguments, *, several: bool = False) -> Value:
    """Return the columns that a formula makes of a table, with `several` the target before them.

    A part of the formula may learn of all rows: `standardize(age)`.
    """
    data = next((v for v in arguments.every() if isinstance(v, Data) and v.rows), None)
    if data is None:
        return arguments.unknown()
    formula = arguments.find(0, "formula_like")
    text = str(formula.value) if isinstance(formula, Const) else ""
    words = set(_WORD.findall(text)) or {name for name, _ in data.named}
    deps = data.deps.union(*(column.deps for name, column in data.named if name in words))
    if _STATEFUL.search(text):
        deps |= {learned_by(TableCall(data, arguments), "fitted")}
    made = Data(data.rows, deps, "frame", vague=data.vague)
    return Seq((made, made)) if several else made


_STATEFUL = patterns.compile(r"\b(?:standardize|scale|center|bs|cr|cc|te)\(")
"""What a formula says where it learns of the rows."""
_WORD = patterns.compile(r"\w+")


def normalized(call: TableCall) -> Value:
    """Return each row divided by its own length; with `axis=0` each column, which is learned."""
    by_column = call.arguments.constant("axis") == 0
    return fitted(call) if by_column else rowwise(call)


def filled(call: TableCall) -> Value:
    """Return rows with gaps filled: they depend on what the gaps are filled with."""
    strategy = call.arguments.constant("strategy")
    if call.arguments.constant("method") in {"bfill", "backfill"} or strategy == "backward":
        return backfill(call)
    if strategy in {"mean", "min", "max"}:
        return tabular.with_deps(call.data, (learned_by(call, "statistic"),))
    value = call.find(0, "value")
    data = call.data
    if isinstance(value, Data):
        return tabular.with_deps(data, value.mixed_deps())
    if isinstance(value, Dictionary):
        for name, part in value.items:
            filling = call.machine.get(part)
            if isinstance(filling, Data) and isinstance(name, str):
                data = tabular.with_column(
                    data, name, replace(filling, rows=data.rows), partly=True
                )
        return data
    return tabular.together(data)


def backfill(call: TableCall) -> Value:
    """Return rows with gaps filled from later rows, which matters where rows are a series."""
    if any(dep.is_time for dep in call.data.all_deps()):
        return neighbouring_rows.ahead(call, call.what)
    return call.data


def sorted_rows(call: TableCall) -> Value:
    """Return the rows sorted: in order of time where they are sorted by a date."""
    names = call.arguments.names(0, "by") or ()
    data = replace(call.data, ranked=True) if call.data.scores else call.data
    if len(names) > 1:  # the rows of a patient, by their dates
        call.machine.mark_groups_of(tabular.column(data, names[0]), weakly=True)
    for name in names:
        key_column = tabular.column(data, name)
        if chosen := subscripts.selecting(key_column):  # which names come first depends on it
            return tabular.with_deps(data, chosen)
        if any(dep.is_time for dep in key_column.deps) or _DATE.search(name):
            dep = Dep("sorted", data.rows, call.what, call.arguments.site)
            return tabular.with_deps(data, (dep,))
    return data


def places_in_order(call: TableCall) -> Value:
    """Return the places of values from the lowest to the highest: all of them choose nothing."""
    result = sorted_rows(call)
    if isinstance(result, Data) and result.form == "stat" and not result.scores:
        return replace(result, ranked=True)
    return result


def grouped(call: TableCall) -> Value:
    """Return rows in groups."""
    names = call.arguments.names(0, "by") or ()
    for name in names:
        call.machine.mark_group(call.data.base, name)
    return replace(call.data, form="group", by=frozenset(names) or _keys(call))


def _keys(call: TableCall) -> frozenset[str]:
    """Return the columns that groups are told by: `s.groupby(df["day"])`, `groupby(keys)`."""
    given = call.find(0, "by")
    origins = given.origins if isinstance(given, Data) else ()
    return frozenset(str(origin[-1]) for origin in origins if isinstance(origin, tuple))


def piped(call: TableCall) -> Value:
    """Return what a given function makes of the whole table."""
    given = call.find(0, "func")
    if not isinstance(given, Closure | Partial | Bound) and not _is_known(call, given):
        return each(call)
    assert given is not None, "it is one of these"
    form = _WITHIN.get(call.data.form, call.data.form)
    result = call.machine.get(called(call, given, replace(call.data, form=form, mask=None)))
    return replace(result, by=frozenset()) if isinstance(result, Data) else result


_WITHIN: Mapping[Form, Form] = {"group": "frame", "series": "row"}
"""What a function is given of groups, and of a column."""


def _is_known(call: TableCall, given: Value | None) -> bool:
    return isinstance(given, Lib) and call.machine.roles.effect_of(given.name) is not None


def _named(call: TableCall, what: str) -> Value:
    """Return what a method makes of columns or groups that is given by its name."""
    data = call.data
    inner = replace(call, arguments=replace(call.arguments, what=what))
    kind = GENERAL.get(call.machine.roles.effect_on(data.form, what) or "")
    if kind == "shift":
        return neighbouring_rows.timed(inner)
    if kind in {"fitted", "window", "fill", "backfill"}:
        return replace(tabular.without_origins(tabular.together(data)), form="any")
    if data.form == "group":
        kept = tabular.without_origins(tabular.together(data))
        return tabular.with_deps(kept, (learned_by(inner, "statistic"),))
    return statistic(inner)


def each(call: TableCall, *, whole: bool = False) -> Value:
    """Return what a given function makes of columns (as a whole, or value by value) or groups."""
    data = call.data
    given = call.find(0, "func")
    if isinstance(given, Const) and isinstance(given.value, str):
        return _named(call, given.value)
    if not isinstance(given, Closure | Partial | Bound | Lib | AnyValue):
        return tabular.mix([data])
    if isinstance(given, AnyValue) or (isinstance(given, Lib) and not _is_known(call, given)):
        return tabular.without_origins(tabular.mix([data]))
    by_row = _by_row(call) or (data.form == "series" and not whole)
    form: Form = "row" if by_row else "frame" if data.form == "group" else data.form
    part = replace(data, form=form, mask=None)
    result = call.machine.get(called(call, given, part))
    form = "any" if data.form in {"group", "row"} else data.form
    kept = replace(tabular.without_origins(tabular.together(data)), form=form)
    own = isinstance(result, Data) and result.base == data.base and result.form == "row"
    if by_row and data.form != "series" and not own:
        kept = named_columns.nameless(kept)
        kept = replace(kept, deps=NO_DEPS) if isinstance(result, Data) else kept
    if not isinstance(result, Data):
        return replace(
            tabular.mix([kept]),
            origins=data.origins if by_row and len(data.origins) == 1 else frozenset(),
        )
    if by_row:
        kept = replace(kept, origins=result.origins, uses=result.uses)
    elif data.form == "group" and result.rows and sets.within(result.rows, data.rows):
        kept = replace(kept, rows=result.rows)  # a part of each group
    elif data.form == "group" and not whole:
        known = result.all_deps()
        deps = frozenset(replace(d, grouped=True) if d.is_statistic else d for d in known)
        table = replace(result, rows=sets.NONE, deps=deps, named=())
        return replace(table, form="frame", base=data.base, columns=Columns(but=True))
    return tabular.with_deps(kept, result.mixed_deps())


def mapped(call: TableCall) -> Value:
    """Return values by a given table or function, on which they then depend."""
    given = call.find(0, "arg", "func")
    if isinstance(given, Closure):
        return each(replace(call, data=replace(call.data, form="series")))
    if isinstance(given, Dictionary):
        values = map(call.machine.get, given.parts())
        any_value = joined(value for value in values if isinstance(value, Data))
        given = any_value if any_value is not None else given
    if isinstance(given, Data):
        mixed = tabular.mix([call.data, replace(given, rows=sets.NONE)])
        return replace(tabular.without_origins(mixed), form="series")
    by_row = tabular.mix([call.data])
    is_known = isinstance(given, Dictionary) and given.each is None and given.items
    return by_row if is_known or isinstance(given, Lib) else tabular.without_origins(by_row)
