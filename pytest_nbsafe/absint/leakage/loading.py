"""Where rows come from: files, data sets, tables that are made, random numbers, dates."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import scores, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Dictionary,
    Eval,
    Form,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.libraries.leakroles import LibraryClass
from pytest_nbsafe.values import replace

# -- tables that are made --------------------------------------------------------------------------


def make_table(cls: LibraryClass, arguments: Arguments) -> Value:
    """Return a new table: `DataFrame(...)` of rows, of columns, or of what stands in the call."""
    machine = arguments.machine
    first, index = arguments.find(0, "data"), arguments.find(1, "index")
    time: frozenset[Dep] = frozenset()
    if isinstance(index, Data):
        time = frozenset(dep for dep in index.all_deps() if dep.is_time)
    base = ("table", arguments.fresh)
    if isinstance(first, Dictionary):
        return tabular.with_deps(_of_columns(machine, first, base), time)
    if isinstance(first, Data):
        return tabular.with_deps(_of_rows(first, base, cls.form, arguments), time)
    rows = sets.source(("made", machine.token(first)) if first is not None else base)
    held: frozenset[Eval] = frozenset()
    if first is not None:
        held = scores.scores_in(machine, first)
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
    if columns.each is not None:
        data = replace(data, columns=Columns(but=True))
    return replace(data, deps=frozenset())


def _of_rows(rows: Data, base: Hashable, form: Form, arguments: Arguments) -> Data:
    """Return a table of rows that there are already, its columns named again."""
    names = arguments.names(-1, "columns")
    kept = replace(rows, form=form, mask=rows.mask if form == "series" else None)
    if rows.base is not None and not names:
        return kept
    known = Columns(but=False, names=frozenset(names)) if names else Columns(but=True)
    return replace(kept, base=base, columns=known if form == "frame" else None)


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
