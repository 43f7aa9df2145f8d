"""What functions and methods do to rows: one handler for each effect of the tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import estimators, joining, select, tables
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.absint.leakage.joins import join
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Bound,
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Eval,
    Form,
    Function,
    Index,
    Lib,
    Mask,
    Names,
    Partial,
    Seq,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine

_DATE = patterns.compile(r"(?i)date|time|timestamp|^day$|^month$|^year$")
_CLASSES: Mapping[str, tuple[str, ...]] = {
    "frame": ("pandas.DataFrame",),
    "series": ("pandas.Series", "numpy.ndarray"),
    "array": ("numpy.ndarray", "pandas.DataFrame"),
    "group": ("pandas.GroupBy",),
    "window": ("pandas.Window",),
    "stat": ("pandas.Series", "pandas.DataFrame", "numpy.ndarray"),
    "any": ("pandas.DataFrame", "pandas.Series", "numpy.ndarray"),
    "bunch": (),
    "row": ("pandas.Series", "numpy.ndarray"),
    "list": ("numpy.ndarray",),
}
"""The classes whose methods a value may have, by its form."""


@dataclass(frozen=True, slots=True)
class Call:
    """One effect on rows: `data` is the table, `args` what else is given, `place` where in them.

    `owner` is the object whose method it is, None for a function.
    """

    machine: Machine
    what: str
    data: Data
    arguments: Arguments
    first: int
    owner: Value | None = None

    def find(self, place: int, *names: str) -> Value | None:
        """Return an argument, the table itself not counted."""
        return self.arguments.find(place + self.first, *names)

    @property
    def name(self) -> str:
        """The name of the table in the code."""
        if self.owner is not None:
            return text(getattr(self.arguments.node.func, "value", None))
        return self.arguments.name()


def is_method(machine: Machine, data: Data, name: str) -> bool:
    """Return whether a name is a method of a table, not one of its columns."""
    return _effect(machine, data, name) is not None or (data.form != "frame" and name == "apply")


def _effect(machine: Machine, data: Data, name: str) -> str | None:
    for kind in _CLASSES[data.form]:
        found = machine.knowledge.method_of(kind, name)
        if found is not None:
            return found
    return None


def method(machine: Machine, bound: Bound, data: Data, arguments: Arguments) -> Value:
    """Return what a method of a table gives; with `inplace=True` the table itself is changed."""
    effect = _effect(machine, data, bound.name)
    if effect is None:
        effect = "rowwise" if data.rows or data.form == "stat" else None
        if effect is None or bound.name in {"fit", "predict", "transform"}:
            return arguments.unknown()
    call = Call(machine, bound.name, data, arguments, 0, bound.owner)
    result = _handle(effect, call)
    if arguments.constant("inplace") is True:
        from pytest_nbsafe.absint.leakage.expressions import store

        target = getattr(arguments.node.func, "value", None)
        if target is not None:
            machine.put(bound.owner, machine.get(result))
            store(machine, target, machine.get(result))
        return Const(None)
    return result


def apply(machine: Machine, effect: str, name: str, arguments: Arguments) -> Value:
    """Return what a function of a library gives."""
    what = name.rpartition(".")[2]
    special = _FUNCTIONS.get(effect)
    if special is not None:
        return special(machine, what, arguments)
    data = arguments.data(0, "x", "a", "data", "arr", "X", "frame")
    if isinstance(arguments.find(0), Unknown) and what in {"array", "asarray"}:
        return arguments.get(0)
    if isinstance(arguments.find(0), Index) and effect in {"identity", "sort", "rowwise"}:
        return arguments.get(0)
    if data is None or (isinstance(arguments.find(0), Unknown) and effect != "identity"):
        found = [value for value in arguments.every() if isinstance(value, Data)]
        if not found:
            return Unknown((what, *(machine.token(v) for v in arguments.every())))
        data = tables.mix(found)
    return _handle(effect, Call(machine, what, data, arguments, 1))


def _handle(effect: str, call: Call) -> Value:
    handler = _EFFECTS.get(effect)
    return handler(call) if handler is not None else call.arguments.unknown()


def make_table(machine: Machine, name: str, arguments: Arguments) -> Value:
    """Return a new table: `DataFrame(...)` of rows, of columns, or of what stands in the call."""
    first = arguments.find(0, "data")
    key = machine.fresh(arguments.node)
    form: Form = "series" if name.endswith("Series") else "frame" if "pandas" in name else "any"
    base = ("table", key)
    index = arguments.find(1, "index")
    time: frozenset[Dep] = frozenset()
    if isinstance(index, Data):
        time = frozenset(dep for dep in index.all_deps() if dep.kind == "time")
    if isinstance(first, Table):
        made = [(str(k), machine.get(v)) for k, v in first.items]
        having = [v for _, v in made if isinstance(v, Data) and v.rows and not v.random]
        rows = having[0].rows if having else sets.source(base)
        data = Data(rows, form="frame", base=base, columns=Columns(but=False))
        for title, value in made:
            part = value if isinstance(value, Data) else Data()
            machine.mark_group(base, title, value)
            data = tables.with_column(data, title, part)
        if first.each is not None:
            data = replace(data, columns=Columns(but=True))
        return tables.with_deps(replace(data, deps=frozenset()), time)
    if isinstance(first, Data):
        columns = tables.names_in(arguments.plain(9, "columns"))
        kept = replace(first, form=form, mask=None)
        if first.base is None or columns:
            known = Columns(but=False, names=frozenset(columns)) if columns else Columns(but=True)
            kept = replace(kept, base=base, columns=known if form == "frame" else None)
        return tables.with_deps(kept, time)
    rows = sets.source(("made", machine.token(first)) if first is not None else base)
    scores: frozenset[Eval] = frozenset()
    if first is not None:
        from pytest_nbsafe.absint.leakage.calls import scores_in

        scores = scores_in(machine, first)
    data = Data(rows, form=form, base=base, columns=Columns(but=True), scores=scores)
    return tables.with_deps(data, time)


# -- rows kept as they are -------------------------------------------------------------------------


def _identity(call: Call) -> Value:
    data, what = call.data, call.what
    if what == "pop" and call.owner is not None:
        names = tables.names_in(call.arguments.plain(0, "item"))
        if names:
            call.machine.put(call.owner, tables.without(data, names))
            return tables.column(data, names[0])
    if what == "get":
        names = tables.names_in(call.arguments.plain(0, "key"))
        return tables.column(data, names[0]) if names else tables.chosen_by(data, Names())
    if what in {"select_dtypes", "filter"}:
        return tables.chosen_by(data, Names())
    if what == "rename" and data.form == "frame":
        return replace(data, base=None, columns=None, deps=data.all_deps(), named=())
    if what == "set_index":
        names = tables.names_in(call.arguments.plain(0, "keys")) or ()
        dated = [d for n in names for d in tables.column(data, n).deps if d.kind == "time"]
        return tables.with_deps(tables.without(data, names), dated)
    if what in {"items", "iteritems", "iterrows", "itertuples"}:
        row = replace(data, form="row")
        return Seq((), Seq((Unknown(("row", call.machine.token(data.rows))), row)))
    form: Form = data.form
    if what in {"to_numpy", "values", "toarray", "array", "asarray", "reshape"}:
        form = "array"
    elif what == "to_frame" or (what == "reset_index" and form == "stat"):
        form = "frame"
    elif what == "DataLoader":
        form = "array"
    return replace(data, form=form)


def _rowwise(call: Call) -> Value:
    data, what = call.data, call.what
    if what == "assign":
        return _assign(call)
    if what == "astype":
        return data
    if what == "insert" and call.owner is not None:
        names = tables.names_in(call.arguments.plain(1, "column"))
        made = call.arguments.get(2, "value")
        if names:
            part = made if isinstance(made, Data) else Data()
            call.machine.put(call.owner, tables.with_column(data, names[0], part))
        return Const(None)
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    if what == "isin":
        other = call.arguments.get(call.first)
        return replace(
            tables.mix([data]),
            mask=Mask(("isin", call.machine.token(other)), ("is", True)),
        )
    if what in {"isna", "isnull", "notna", "notnull"}:
        key = ("null", *(data.origins or (call.machine.token(data),)))
        null: tuple[Hashable, ...] = ("is", True)
        rows = null if what in {"isna", "isnull"} else ("not", null)
        return replace(tables.mix([data]), mask=Mask(key, rows))
    if what == "get_dummies":
        kept = "columns" in call.arguments.keywords
        changed = data if kept else replace(data, base=None, columns=None)
        return replace(changed, form="frame", mask=None)
    if data.form == "group":
        return replace(data, form="any")
    return tables.mix([data, *others])


def _assign(call: Call) -> Value:
    data = call.data
    for name, value in call.arguments.keywords.items():
        made = call.machine.get(value)
        call.machine.mark_rows(data, name, made)
        if isinstance(made, Function):
            made = call.machine.get(_called(call, made, data))
        part = made if isinstance(made, Data) else Data()
        data = tables.with_column(data, name, part, site=call.arguments.site)
    return data


def _filter(call: Call) -> Value:
    data, what = call.data, call.what
    if what in {"head", "tail"}:
        count = call.find(0, "n")
        value = count.value if isinstance(count, Const) else 5 if count is None else Unknown(0)
        if data.form == "group":
            return replace(data, form="frame")
        if what == "head":
            return select.take_rows(call.machine, data, select.Slice(None, value))
        low = -value if isinstance(value, int) else value
        return select.take_rows(call.machine, data, select.Slice(low, None))
    if what == "dropna" and call.arguments.constant("axis") in {1, "columns"}:
        return data
    if what in {"take", "compress"} and call.first == 0:
        index = call.find(0)
        if isinstance(index, Index | Data):
            return select.take_rows(call.machine, data, index)
    if what == "delete":
        index = call.find(0)
        if isinstance(index, Index) and index.steps:
            last = index.steps[0]
            step = replace(last, part=sets.opposite(last.part))
            return replace(data, rows=sets.divide(data.rows, step))
    if what == "query":
        query = call.find(0)
        key = query.value if isinstance(query, Const) else call.machine.fresh(call.arguments.node)
        step = Step(("query", key), ("is", True))
        return replace(data, rows=sets.divide(data.rows, step), mask=None)
    step = Step((what, call.machine.fresh(call.arguments.node)), ("is", True))
    return replace(data, rows=sets.divide(data.rows, step), mask=None)


def _drop(call: Call) -> Value:
    data, arguments = call.data, call.arguments
    if call.what == "drop_duplicates":
        return _filter(call)
    axis = arguments.constant("axis")
    if axis is None and len(arguments.args) > 1:
        second = arguments.get(1)
        axis = second.value if isinstance(second, Const) else None
    labels = arguments.plain(0, "labels", "columns", "index")
    by_column = axis in {1, "columns"} or "columns" in arguments.keywords
    if by_column or (data.form == "frame" and tables.names_in(labels) and axis is None):
        if "columns" in arguments.keywords:
            labels = arguments.plain(9, "columns")
        names = tables.names_in(labels)
        if names is not None:
            return tables.without(data, names)
        deps = labels.all_deps() if isinstance(labels, Data) else frozenset()
        if isinstance(labels, Names):
            deps = labels.deps
        return tables.chosen_by(
            data, Names(None, frozenset(d for d in deps if d.kind == "selection"))
        )
    if isinstance(labels, Index):
        part = labels.rows if labels.rows is not None else None
        left = sets.complement(data.rows, part) if part is not None else None
        if left is None and labels.steps:
            step = replace(labels.steps[0], part=sets.opposite(labels.steps[0].part))
            left = sets.divide(data.rows, step)
        if left is not None:
            return replace(data, rows=left, mask=None)
    return _filter(call)


def _sample(call: Call) -> Value:
    data, arguments = call.data, call.arguments
    machine = call.machine
    again = arguments.constant("replace", default=call.what == "choice")
    seed = arguments.constant("random_state")
    size = tuple(machine.token(arguments.find(-1, name)) for name in ("frac", "n"))
    key = ("sample", seed, size) if seed is not None else ("sample", machine.fresh(arguments.node))
    if again is True:
        return _drawn(call, key)
    if arguments.constant("frac") == 1:
        return replace(data, mask=None)
    step = Step(key, ("is", True), "random")
    return replace(data, rows=sets.divide(data.rows, step), mask=None)


def _drawn(call: Call, key: Hashable) -> Data:
    """Return rows drawn with duplicates."""
    step = Step(key, ("is", True), "random")
    rows = sets.divide(call.data.rows, step)
    dep = _dep(call, "resample", rows)
    return tables.with_deps(replace(call.data, rows=rows, mask=None), (dep,))


def _resample(call: Call) -> Value:
    if call.arguments.constant("replace", default=True) is False:
        return _sample(call)
    key = ("resample", call.machine.fresh(call.arguments.node))
    if len(call.arguments.args) > 1 and call.what == "resample":
        parts = [call.arguments.data(i) for i in range(len(call.arguments.args))]
        return Seq(tuple(_drawn(replace(call, data=p), key) for p in parts if p is not None))
    return _drawn(call, key)


def _size(call: Call) -> Value:
    if call.data.pred is not None and call.what in {"bincount", "count"}:
        return Unknown((call.what, call.machine.token(call.data)))
    return Unknown((call.what, call.machine.token(call.data)))


# -- what is learned -------------------------------------------------------------------------------


def _dep(call: Call, kind: DepKind, rows: sets.Rows | None = None) -> Dep:
    data = call.data
    of = frozenset(data.origins)
    return Dep(
        kind, data.rows if rows is None else rows, call.what, call.arguments.site, call.name, of
    )


def _by_row(call: Call) -> bool:
    axis = call.arguments.constant("axis")
    if axis is None and call.first == 0 and call.arguments.args:
        first = call.arguments.get(0)
        axis = first.value if isinstance(first, Const) and first.value == 1 else None
    return axis in {1, "columns", -1, "index_columns"} or call.data.form == "row"


def _statistic(call: Call) -> Value:
    data = call.data
    if data.scores and call.what in {
        "max",
        "min",
        "argmax",
        "argmin",
        "idxmax",
        "idxmin",
        "nlargest",
        "nsmallest",
        "nanmax",
        "amax",
    }:
        call.machine.note("choice", call.arguments.node, data.scores)
    if data.judged:
        return estimators.judged(call.machine, data, call.arguments)
    if _by_row(call):
        return tables.mix([data])
    if data.form == "window":
        return replace(data, form="series")
    deps = data.all_deps()
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    deps = deps.union(*(v.all_deps() for v in others))
    if data.rows:
        of = call.data.origins.union(*(v.origins for v in others), _aggregated(call))
        deps |= {replace(_dep(call, "statistic"), of=of)}
    form: Form = "frame" if data.form == "group" else "stat"
    base = data.base if data.form in {"group", "frame"} else None
    return Data(deps=deps, form=form, scores=data.scores, vague=data.vague, base=base)


def _aggregated(call: Call) -> frozenset[Hashable]:
    """Return the columns that `agg` names: `agg({"y": "mean"})`, `agg(rate=("y", "mean"))`."""
    found = set()
    for value in (*map(call.machine.get, call.arguments.args), *call.arguments.keywords.values()):
        state = call.machine.get(value)
        if isinstance(state, Table):
            found |= {name for name, _ in state.items if isinstance(name, str)}
        elif isinstance(state, Seq) and state.items:
            first = call.machine.get(state.items[0])
            found |= set(tables.names_in(first) or ())
    return frozenset().union(*(tables.column(call.data, name).origins for name in found))


def _selection(call: Call) -> Value:
    dep = replace(_dep(call, "selection"), kind="selection")
    return Data(deps=call.data.all_deps() | {dep}, form="stat", vague=call.data.vague)


def _fitted(call: Call) -> Value:
    data = call.data
    if call.what == "interpolate":
        return _backfill(call)
    if _by_row(call) or not data.rows:
        return tables.mix([data])
    dep = _dep(call, "fitted" if call.owner is None else "statistic")
    return tables.with_deps(replace(data, mask=None), (dep,))


def _fill(call: Call) -> Value:
    if call.arguments.constant("method") in {"bfill", "backfill"}:
        return _backfill(call)
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


def _backfill(call: Call) -> Value:
    if any(dep.kind == "time" for dep in call.data.all_deps()):
        return _ahead(call, call.what)
    return call.data


def _ahead(call: Call, what: str) -> Data:
    dep = replace(_dep(call, "ahead"), what=what)
    data = replace(call.data, origins=frozenset(), mask=None)
    return tables.with_deps(data, (dep,))


def _timed(call: Call) -> Data:
    dep = replace(_dep(call, "time"), of=frozenset())
    form: Form = "any" if call.data.form == "group" else call.data.form
    return tables.with_deps(replace(call.data, origins=frozenset(), mask=None, form=form), (dep,))


def _shift(call: Call) -> Value:
    if call.what == "gradient":
        return tables.mix([call.data])
    count = call.find(0, "periods", "shift")
    if isinstance(count, Const) and isinstance(count.value, int | float) and count.value < 0:
        form: Form = "any" if call.data.form == "group" else call.data.form
        return replace(_ahead(call, f"{call.what}({count.value})"), form=form)
    return _timed(call)


def _rolling(call: Call) -> Value:
    if call.arguments.constant("center") is True:
        return replace(_ahead(call, "a centred window"), form="window")
    return replace(_timed(call), form="window")


def _window(call: Call) -> Value:
    form: Form = "window" if call.what in {"expanding", "ewm"} else "any"
    return replace(call.data, form=form, origins=frozenset(), mask=None)


def _sort(call: Call) -> Value:
    """Return the rows sorted: in order of time where they are sorted by a date."""
    names = tables.names_in(call.arguments.plain(0, "by")) or ()
    data = call.data
    for name in names:
        made = tables.column(data, name)
        if any(dep.kind == "time" for dep in made.deps) or _DATE.search(name):
            return tables.with_deps(
                data, (Dep("time", data.rows, "sort_values", call.arguments.site),)
            )
    return data


def _group(call: Call) -> Value:
    names = tables.names_in(call.arguments.plain(0, "by")) or ()
    for name in names:
        call.machine.mark_group(call.data.base, name)
    return replace(call.data, form="group")


def _each(call: Call) -> Value:
    data = call.data
    given = call.find(0, "func")
    if isinstance(given, Const) and isinstance(given.value, str):
        inner = replace(call, what=given.value)
        if given.value in {"rank", "cumsum", "cumcount", "shift", "diff", "ffill", "bfill"}:
            return replace(data, form="any")
        if data.form == "group":
            return tables.with_deps(
                replace(data, form="any", origins=frozenset()), (_dep(inner, "statistic"),)
            )
        return _statistic(inner)
    if not isinstance(given, Function | Partial | Bound | Lib):
        return tables.mix([data])
    if isinstance(given, Lib) and call.machine.knowledge.effect_of(given.name) is None:
        return replace(tables.mix([data]), origins=frozenset())
    by_row = _by_row(call) or (data.form == "series" and call.what != "transform")
    form: Form = "row" if by_row else "frame" if data.form == "group" else data.form
    part = replace(data, form=form, mask=None)
    result = call.machine.get(_called(call, given, part))
    if call.what == "pipe":
        return result
    kept = replace(
        data, form="any" if data.form in {"group", "row"} else data.form, origins=frozenset()
    )
    if not isinstance(result, Data):
        return replace(
            tables.mix([kept]),
            origins=data.origins if by_row and len(data.origins) == 1 else frozenset(),
        )
    return tables.with_deps(kept, result.all_deps())


def _called(call: Call, function: Value, part: Data) -> Value:
    from pytest_nbsafe.absint.leakage import calls

    extra = call.find(9, "args")
    more = list(extra.items) if isinstance(extra, Seq) else []
    keywords = {
        k: v for k, v in call.arguments.keywords.items() if k not in {"axis", "args", "func"}
    }
    return calls.call(
        call.machine, call.arguments.node, function, [call.machine.box(part), *more], keywords
    )


def _map(call: Call) -> Value:
    given = call.find(0, "arg", "func")
    if isinstance(given, Function):
        return _each(replace(call, data=replace(call.data, form="series")))
    if isinstance(given, Data):
        return replace(tables.mix([call.data, replace(given, rows=sets.NONE)]), form="series")
    return tables.mix([call.data])


def _draw(_call: Call) -> Value:
    return Const(None)


def _concat_method(call: Call) -> Value:
    others = [v for v in call.arguments.every() if isinstance(v, Data)]
    return joining.concat([call.data, *others], call.arguments.site, call.name)


def _merge_method(call: Call) -> Value:
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not call.data]
    return joining.merge([call.data, *others])


_EFFECTS: Mapping[str, Callable[[Call], Value]] = {
    "identity": _identity,
    "rowwise": _rowwise,
    "filter": _filter,
    "drop": _drop,
    "sample": _sample,
    "shuffle": lambda call: replace(call.data, mask=None),
    "sort": _sort,
    "size": _size,
    "statistic": _statistic,
    "selection": _selection,
    "fitted": _fitted,
    "fill": _fill,
    "backfill": _backfill,
    "shift": _shift,
    "rolling": _rolling,
    "window": _window,
    "group": _group,
    "each": _each,
    "map": _map,
    "concat": _concat_method,
    "merge": _merge_method,
    "resample": _resample,
    "draw": _draw,
}
"""What an effect makes of a table."""


# -- functions that are not of one table -----------------------------------------------------------


def _load(machine: Machine, what: str, arguments: Arguments) -> Value:
    if what in {"load", "load_model"} and not arguments.args:
        return arguments.unknown()
    values = [machine.get(v) for v in (*arguments.args[:1], *arguments.keywords.values())]
    plain = bool(arguments.args) and isinstance(values[0], Const)
    key = (
        (what, tuple(machine.token(v) for v in values))
        if plain
        else (what, machine.fresh(arguments.node))
    )
    if not arguments.args and what.startswith("load_"):
        key = (what, ())
    base = ("load", key)
    data = Data(sets.source(key), form="any", base=base, columns=Columns(but=True))
    if what.startswith(("load_", "fetch_")):
        if arguments.constant("return_X_y") is True or what == "load_svmlight_file":
            pair = replace(data, base=None, columns=None)
            return Seq((pair, pair))
        return (
            replace(data, form="bunch")
            if what != "load_data"
            else replace(data, base=None, columns=None)
        )
    if what.startswith("make_"):
        pair = replace(
            data, rows=sets.source((what, machine.fresh(arguments.node))), base=None, columns=None
        )
        return Seq((pair, pair))
    if what.startswith("read_"):
        data = replace(data, form="frame")
        dated = arguments.constant("parse_dates") not in {None, False}
        if dated and "index_col" in arguments.keywords:
            dep = Dep("time", data.rows, what, arguments.site)
            data = tables.with_deps(data, (dep,))
        return data
    return replace(data, form="array", base=None, columns=None)


def _random(machine: Machine, what: str, arguments: Arguments) -> Value:
    if what in {"seed", "set_state", "manual_seed"}:
        return Const(None)
    if what in {"default_rng", "RandomState", "Generator"}:
        return Lib("numpy.random.Generator")
    return Data(sets.source(("random", machine.fresh(arguments.node))), form="array", random=True)


def _dates(machine: Machine, what: str, arguments: Arguments) -> Value:
    data = next((v for v in arguments.every() if isinstance(v, Data)), None)
    if what in {"Timestamp", "Timedelta"}:
        return Unknown((what, *(machine.token(v) for v in arguments.every())))
    dep = Dep("time", sets.NONE, what, arguments.site)
    if data is None:
        return Data(deps=frozenset((dep,)), form="series")
    return tables.with_deps(replace(data, mask=None), (dep,))


def _concat(machine: Machine, what: str, arguments: Arguments) -> Value:
    values = _parts(machine, arguments)
    if not values:
        return arguments.unknown()
    if arguments.constant("axis") in {1, "columns", -1}:
        return joining.merge(values)
    del what
    return joining.concat(values, arguments.site, arguments.name())


def _parts(machine: Machine, arguments: Arguments) -> list[Data]:
    first = arguments.find(0, "objs", "tup", "arrays")
    values: list[Value] = []
    if isinstance(first, Seq):
        values = [v for v in (*first.items, first.each) if v is not None]
    elif first is not None:
        values = list(arguments.args)
    found = [select.as_data(machine, value) for value in values]
    return [value for value in found if value is not None]


def _merge(machine: Machine, what: str, arguments: Arguments) -> Value:
    values = _parts(machine, arguments)
    del what
    return joining.merge(values) if values else arguments.unknown()


def _split(machine: Machine, what: str, arguments: Arguments) -> Value:
    if what in {"split", "array_split"}:
        data = arguments.data(0)
        if data is None:
            return arguments.unknown()
        key = ("split", machine.fresh(arguments.node))
        parts = tuple(
            replace(data, rows=sets.divide(data.rows, Step(key, ("is", i)))) for i in range(9)
        )
        return Seq((), join(parts[0], parts[1]))
    return joining.train_test(machine, arguments)


def _shuffle(machine: Machine, what: str, arguments: Arguments) -> Value:
    first = arguments.find(0)
    if isinstance(first, Index | Unknown | Const):
        index = first if isinstance(first, Index) else Index()
        mixed = replace(index, order=machine.fresh(arguments.node))
        if what == "shuffle" and arguments.args:
            machine.put(arguments.args[0], mixed)
            name = text(arguments.node.args[0]) if arguments.node.args else ""
            if name and isinstance(first, Index):
                machine.bind(name, mixed)
        return mixed
    if len(arguments.args) > 1:
        parts = [arguments.data(i) for i in range(len(arguments.args))]
        return Seq(tuple(part if part is not None else Unknown() for part in parts))
    data = arguments.data(0)
    return data if data is not None else arguments.unknown()


def _choice(machine: Machine, what: str, arguments: Arguments) -> Value:
    first = arguments.find(0, "a")
    if isinstance(first, Data):
        again = arguments.constant("replace", default=True)
        if again is False:
            return _sample(Call(machine, what, first, arguments, 1))
        return Data(
            sets.source(("random", machine.fresh(arguments.node))), form="array", random=True
        )
    if arguments.constant("replace", default=True) is False:
        index = first if isinstance(first, Index) else Index()
        step = Step(("choice", machine.fresh(arguments.node)), ("is", True), "random")
        return replace(index, steps=(*index.steps, step))
    return Data(sets.source(("random", machine.fresh(arguments.node))), form="array", random=True)


def _setdiff(machine: Machine, what: str, arguments: Arguments) -> Value:
    from pytest_nbsafe.absint.leakage.calls import index_without

    one, two = arguments.find(0), arguments.find(1)
    if what == "setdiff1d" and isinstance(one, Index) and isinstance(two, Index):
        return index_without(one, two)
    if what in {"arange", "indices"}:
        return Index()
    if what in {"EarlyStopping", "early_stopping"} or (
        what == "ModelCheckpoint" and arguments.constant("save_best_only") is True
    ):
        return Unknown(("EarlyStopping", machine.fresh(arguments.node)))
    data = next((v for v in arguments.every() if isinstance(v, Data)), None)
    if what == "bincount" or data is None:
        return Unknown((what, *(machine.token(v) for v in arguments.every())))
    if what in {"nonzero", "argwhere", "flatnonzero"} and data.mask is not None:
        return Index((Step(data.mask.key, data.mask.part),))
    return Data(form="stat", deps=data.all_deps() if data.form == "stat" else frozenset())


def _repeat(machine: Machine, what: str, arguments: Arguments) -> Value:
    data = arguments.find(0)
    if isinstance(data, Data) and data.rows and not data.random:
        return _resample(Call(machine, what, data, arguments, 1))
    if what == "resample":
        rows = arguments.data(0)
        if rows is not None:
            return _resample(Call(machine, what, rows, arguments, 1))
    return Unknown(("repeated", machine.fresh(arguments.node)))


_FUNCTIONS: Mapping[str, Callable[[Machine, str, Arguments], Value]] = {
    "load": _load,
    "random": _random,
    "dates": _dates,
    "concat": _concat,
    "merge": _merge,
    "split": _split,
    "shuffle": _shuffle,
    "sample": _choice,
    "size": _setdiff,
    "resample": _repeat,
    "draw": lambda _machine, _what, _arguments: Const(None),
    "metric": estimators.metric,
    "cluster_metric": lambda _machine, _what, arguments: Unknown(
        ("metric", arguments.machine.fresh(arguments.node))
    ),
    "score": estimators.score_function,
    "cv": estimators.cross_validated,
    "cv_predict": estimators.cross_predicted,
    "cv_curve": lambda _machine, _what, arguments: Unknown(
        ("curve", arguments.machine.fresh(arguments.node))
    ),
    "fit": estimators.train_function,
    "make_pipeline": estimators.make_pipeline,
    "make_columns": estimators.make_columns,
    "clone": estimators.clone,
}
"""Functions that are not a change of one table."""
