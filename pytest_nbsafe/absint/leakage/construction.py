"""New objects: tables and random numbers, estimators and callbacks, and what files hold."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import scores, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Dictionary,
    Estimator,
    Form,
    Instance,
    ModelFit,
    Seq,
    Splitter,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.containers import counted
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Stopper
from pytest_nbsafe.libraries.leakroles import LibraryClass
from pytest_nbsafe.values import replace

# -- tables that are made --------------------------------------------------------------------------


def make_table(cls: LibraryClass, arguments: Arguments) -> Value:
    """Return a new table: `DataFrame(...)` of rows, of columns, or of what stands in the call."""
    machine = arguments.machine
    first, index = arguments.find(0, "data"), arguments.find(1, "index")
    time = [dep for dep in index.all_deps() if dep.is_time] if isinstance(index, Data) else []
    base = ("table", arguments.fresh)
    if isinstance(first, Dictionary):
        return tabular.with_deps(_of_columns(machine, first, base), time)
    if isinstance(first, Data):
        return tabular.with_deps(_of_rows(first, base, cls.form, arguments), time)
    rows = sets.source(("made", machine.token(first)) if first is not None else base)
    held = scores.scores_in(machine, first) if first is not None else frozenset()
    data = Data(rows, form=cls.form, base=base, columns=Columns(but=True), scores=held)
    return tabular.with_deps(data, time)


def _of_columns(machine: Machine, columns: Dictionary, base: Hashable) -> Data:
    """Return a table of columns that are given by their names."""
    given = [(str(name), machine.get(value)) for name, value in columns.items]
    having = [v for _, v in given if isinstance(v, Data) and v.rows and not v.random]
    rows = having[0].rows if having else sets.source(base)
    data = Data(rows, form="frame", base=base, columns=Columns(but=False))
    for name, value in given:
        machine.mark_group(base, name, value)
        data = tabular.with_column(data, name, value if isinstance(value, Data) else Data())
    return data if columns.each is None else replace(data, columns=Columns(but=True))


def _of_rows(rows: Data, base: Hashable, form: Form, arguments: Arguments) -> Data:
    """Return a table of rows that there are already, its columns named again."""
    names = arguments.names(-1, "columns")
    kept = replace(rows, form=form, mask=rows.mask if form == "series" else None)
    if rows.base is not None and not names:
        return kept
    known = Columns(but=False, names=frozenset(names)) if names else Columns(but=True)
    table = replace(kept, base=base, columns=known if form == "frame" else None)
    if names and rows.pred is not None:
        for name in names:
            table = tabular.with_column(table, name, rows)
    return table


# -- files and data sets ---------------------------------------------------------------------------


def loaded(arguments: Arguments) -> Value:
    """Return all rows of a source: of which kind they are says how the function is called."""
    what = arguments.what
    if what == "load" and not arguments.args:
        return arguments.unknown()
    data = _source(arguments)
    if what.startswith(("load_", "fetch_")):
        if arguments.constant("return_X_y") is True:
            return _pair(data)
        return replace(data, form="bunch")
    if what.startswith("make_"):
        rows = sets.source((what, arguments.fresh))
        return _pair(replace(data, rows=rows))
    if what.startswith("read_"):
        dated = arguments.constant("parse_dates") not in {None, False}
        table = replace(data, form="frame")
        return _dated(table, arguments) if dated and "index_col" in arguments.keywords else table
    return replace(data, form="array", base=None, columns=None)


def loaded_pair(arguments: Arguments) -> Value:
    """Return the features and the target of all rows of a source."""
    return _pair(_source(arguments))


def loaded_pairs(arguments: Arguments) -> Value:
    """Return the rows of a source, which are parted where they are given names."""
    return replace(_source(arguments), base=None, columns=None)


def loaded_series(arguments: Arguments) -> Value:
    """Return a table of a source with a row for each day."""
    return _dated(replace(_source(arguments), form="frame"), arguments)


def _source(arguments: Arguments) -> Data:
    """Return all rows of a source: the same for the same file."""
    what = arguments.what
    values = [arguments.machine.get(v) for v in (*arguments.args[:1], *arguments.keywords.values())]
    tokens = tuple(arguments.machine.token(value) for value in values)
    key: Hashable = (what, arguments.fresh, tokens)
    if arguments.args and isinstance(values[0], Const):
        key = (what, tokens)
    elif not arguments.args and what.startswith("load_"):
        key = (what, ())
    return Data(sets.source(key), form="any", base=("load", key), columns=Columns(but=True))


def _pair(data: Data) -> Seq:
    part = replace(data, base=None, columns=None)
    return Seq((part, part))


def _dated(data: Data, arguments: Arguments) -> Data:
    return tabular.with_deps(data, (Dep("time", data.rows, arguments.what, arguments.site),))


# -- random numbers and dates ----------------------------------------------------------------------


def random_numbers(arguments: Arguments) -> Value:
    """Return random numbers."""
    about = [v.all_deps() for v in arguments.every() if isinstance(v, Data) and not v.rows]
    deps = frozenset[Dep]().union(*about)  # about a mean, within its deviation
    rows = sets.source(("random", arguments.fresh))
    return Data(rows, deps, form="array", random=True)


def dates(arguments: Arguments, kind: DepKind = "time") -> Value:
    """Return times of which rows are a series, or ("dated") dates of which they may be one."""
    data = next((v for v in arguments.every() if isinstance(v, Data)), None)
    dep = Dep(kind, sets.NONE, arguments.what, arguments.site)
    if data is None:
        return Data(deps=frozenset((dep,)), form="series")
    return tabular.with_deps(replace(data, mask=None), (dep,))


# -- estimators ------------------------------------------------------------------------------------


_HOLDERS = frozenset({"pipeline", "columns", "search", "meta", "model"})


def construct(cls: LibraryClass, arguments: Arguments) -> Value:
    """Return a new object of a class that the tables know."""
    what = cls.name.rpartition(".")[2]
    if cls.role == "splitter":
        shuffles = cls.shuffles or arguments.constant("shuffle") is True
        return Splitter(what, cls.time, cls.grouped, shuffles)
    steps = _held(arguments) if cls.role in _HOLDERS else ()
    prefit = arguments.constant("prefit") is True
    learns = "nothing" if _fixed(cls, arguments) else cls.learns
    given = None
    data = [value for value in arguments.every() if isinstance(value, Data)]
    if data and cls.role in {"regressor", "classifier"}:
        named = arguments.data(-1, "data", "exog")
        given = named or (data[1] if len(data) > 1 else None)
    estimator = Estimator(
        what,
        cls.role,
        learns,
        steps,
        fit=_fit_of(arguments) if prefit else None,
        tuned=frozenset(dep for part in data for dep in part.all_deps() if dep.kind == "tuned"),
        given=given if given is not None and given.rows else None,
        stops=_stops(cls, arguments),
    )
    owner = arguments.machine.box(estimator)
    arguments.machine.notes.made[owner] = arguments.site
    return owner


def _fit_of(arguments: Arguments) -> ModelFit | None:
    """Return what an estimator in a call has learned: `SelectFromModel(forest, prefit=True)`."""
    held = [arguments.machine.get(value) for value in _held(arguments)]
    return next((value.fit for value in held if isinstance(value, Estimator)), None)


def _stops(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a model stops by the rows it watches: some do unless told otherwise."""
    if arguments.constant("early_stopping_rounds") is not None or stoppers(arguments):
        return True
    switches = ("use_best_model", "early_stopping")
    return cls.stops and not any(arguments.constant(name) is False for name in switches)


def _held(arguments: Arguments) -> tuple[Value, ...]:
    """Return the estimators that stand in a call, those in lists of (name, estimator) too."""
    estimators: list[Value] = []

    def look(value: Value, depth: int) -> None:
        state = arguments.machine.get(value)
        if isinstance(state, Estimator | Instance):
            estimators.append(value)
        elif isinstance(state, Seq) and depth < 4:
            for item in state.parts():
                look(item, depth + 1)

    for value in (*arguments.args, *arguments.keywords.values()):
        look(value, 0)
    return tuple(estimators)


def make_pipeline(arguments: Arguments, what: str = "Pipeline", role: str = "pipeline") -> Value:
    """Return a pipeline of the arguments, or in another role what holds them side by side."""
    return arguments.machine.box(Estimator(what, role, steps=_held(arguments)))


def clone(arguments: Arguments) -> Value:
    """Return the same estimator, not fitted."""
    value = arguments.get(0)
    if isinstance(value, Estimator):
        return arguments.machine.box(replace(value, fit=None))
    return value


def _fixed(cls: LibraryClass, arguments: Arguments) -> bool:
    """Return whether a parameter makes it learn nothing: `SimpleImputer(strategy="constant")`."""
    for parameter, wanted in cls.fixed_by:
        value = arguments.constant(parameter)
        if parameter in arguments.keywords and (not wanted or value == wanted):
            return True
    return False


def stopper(arguments: Arguments) -> Value:
    """Return what stops a training early."""
    return AnyValue(Stopper(arguments.fresh))


def checkpoint(arguments: Arguments) -> Value:
    """Return what keeps a model in a file: where it is the best one, it chooses as a stop does."""
    if arguments.constant("save_best_only") is not True:
        return counted(arguments)
    return AnyValue(Stopper(arguments.fresh, arguments.find(0, "filepath")))


def stoppers(arguments: Arguments) -> list[Stopper]:
    """Return the callbacks that are given and stop a training early, or keep its best model."""
    if "callbacks" not in arguments.keywords:
        return []
    only = Arguments(arguments.machine, arguments.node, [arguments.keywords["callbacks"]], {})
    marks = (value.key for value in only.every() if isinstance(value, AnyValue))
    return [mark for mark in marks if isinstance(mark, Stopper)]


def dumped(arguments: Arguments) -> Value:
    """Remember what is saved in a file, as it is now."""
    path = arguments.find(1, "filename", "file")
    if path is not None and arguments.args:
        arguments.machine.notes.saved[path] = arguments.get(0)
    return Const(None)


def restored(arguments: Arguments) -> Value:
    """Return what was saved in a file."""
    saved = arguments.machine.notes.saved.get(arguments.find(0, "filename", "filepath"))
    return arguments.machine.box(saved) if saved is not None else counted(arguments)
