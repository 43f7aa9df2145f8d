"""Functions that are not of one table: what loads, joins, splits, shuffles or makes rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import containers, joining, select, tables, taking
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.absint.leakage.frames import Call, resample, sample
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Columns,
    Const,
    Data,
    Dep,
    Eval,
    Form,
    Index,
    Lib,
    Seq,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


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
        kept = replace(first, form=form, mask=first.mask if form == "series" else None)
        if first.base is None or columns:
            known = Columns(but=False, names=frozenset(columns)) if columns else Columns(but=True)
            kept = replace(kept, base=base, columns=known if form == "frame" else None)
        return tables.with_deps(kept, time)
    rows = sets.source(("made", machine.token(first)) if first is not None else base)
    scores: frozenset[Eval] = frozenset()
    if first is not None:
        scores = containers.scores_in(machine, first)
    data = Data(rows, form=form, base=base, columns=Columns(but=True), scores=scores)
    return tables.with_deps(data, time)


def loaded(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return all rows of a source: the same for the same file."""
    if what in {"load", "load_model"} and not arguments.args:
        return arguments.unknown()
    values = [machine.get(v) for v in (*arguments.args[:1], *arguments.keywords.values())]
    plain = bool(arguments.args) and isinstance(values[0], Const)
    key = (
        (what, tuple(machine.token(v) for v in values))
        if plain
        else (what, machine.fresh(arguments.node), tuple(machine.token(v) for v in values))
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
    if what.startswith("read_") or what in _PRICES:
        data = replace(data, form="frame")
        dated = arguments.constant("parse_dates") not in {None, False}
        if what in _PRICES or (dated and "index_col" in arguments.keywords):
            dep = Dep("time", data.rows, what, arguments.site)
            data = tables.with_deps(data, (dep,))
        return data
    return replace(data, form="array", base=None, columns=None)


_PRICES = frozenset({"download", "Ticker", "DataReader", "get_data_yahoo"})
"""What loads prices, one row a day."""


def randoms(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return random numbers, or what makes them."""
    if what in {"seed", "set_state", "manual_seed"}:
        return Const(None)
    if what in {"default_rng", "RandomState", "Generator"}:
        return Lib("numpy.random.Generator")
    about = [v.all_deps() for v in arguments.every() if isinstance(v, Data) and not v.rows]
    deps = frozenset[Dep]().union(*about)  # about a mean, within its deviation
    rows = sets.source(("random", machine.fresh(arguments.node)))
    return Data(rows, deps, form="array", random=True)


def dates(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return dates: a table with them may be a series."""
    data = next((v for v in arguments.every() if isinstance(v, Data)), None)
    if what in {"Timestamp", "Timedelta"}:
        return Unknown((what, *(machine.token(v) for v in arguments.every())))
    dep = Dep("time", sets.NONE, what, arguments.site)
    if data is None:
        return Data(deps=frozenset((dep,)), form="series")
    return tables.with_deps(replace(data, mask=None), (dep,))


def joined_rows(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return tables joined, one below the other or side by side."""
    first = arguments.find(0, "objs", "tup", "arrays")
    places = (
        [machine.get(v) for v in (*first.items, first.each) if v] if isinstance(first, Seq) else []
    )
    if places and all(isinstance(place, Index) for place in places):
        return _joined_places(machine, places, arguments)
    values = _parts(machine, arguments)
    if not values:
        return arguments.unknown()
    if arguments.constant("axis") in {1, "columns", -1}:
        return joining.merge(values)
    del what
    return joining.concat(values, arguments.site, arguments.name())


def _joined_places(machine: Machine, places: list[Value], arguments: Arguments) -> Value:
    """Return positions one after another: which they are is known where they are all alike."""
    if all(place == places[0] for place in places):
        return places[0]
    step = Step(("joined", machine.fresh(arguments.node)), ("is", True), "fold")
    return Index((step,))


def _parts(machine: Machine, arguments: Arguments) -> list[Data]:
    first = arguments.find(0, "objs", "tup", "arrays")
    values: list[Value] = []
    if isinstance(first, Seq):
        values = [v for v in (*first.items, first.each) if v is not None]
    elif first is not None:
        values = list(arguments.args)
    found = [select.as_data(machine, value) for value in values]
    return [value for value in found if value is not None]


def merged(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return tables side by side."""
    values = _parts(machine, arguments)
    del what
    return joining.merge(values) if values else arguments.unknown()


def split_rows(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return parts of rows."""
    if what in {"split", "array_split"}:
        return _cut_apart(machine, arguments)
    if what == "random_split":
        return _drawn_apart(machine, arguments)
    return joining.train_test(machine, arguments)


def _cut_apart(machine: Machine, arguments: Arguments) -> Value:
    """Return the parts that numpy cuts: as many as are asked for, or one more than cuts."""
    whole = arguments.find(0)
    data = whole if isinstance(whole, Index) else arguments.data(0)
    if data is None:
        return arguments.unknown()
    cuts = arguments.find(1)
    count = cuts.value if isinstance(cuts, Const) else None
    if isinstance(cuts, Seq) and cuts.each is None:
        count = len(cuts.items) + 1
    key = ("cut", machine.fresh(arguments.node))
    kind: sets.Kind = "fold" if isinstance(data, Index) else "chosen"
    if not isinstance(count, int) or not 0 < count <= _MOST_PARTS:
        return Seq((), _part(data, Step(key, ("is", "any"), kind)), key)
    return Seq(tuple(_part(data, Step(key, ("is", i), kind)) for i in range(count)))


_MOST_PARTS = 20


def _part(data: Data | Index, step: Step) -> Data | Index:
    if isinstance(data, Index):
        return replace(data, steps=(*data.steps, step))
    return replace(data, rows=sets.divide(data.rows, step), mask=None)


def _drawn_apart(machine: Machine, arguments: Arguments) -> Value:
    """Return the parts that torch draws, as many as there are sizes."""
    data, sizes = arguments.data(0), arguments.find(1, "lengths")
    if data is None:
        return arguments.unknown()
    key = ("split", machine.fresh(arguments.node))
    count = len(sizes.items) if isinstance(sizes, Seq) and sizes.each is None else 2
    joining.note_split(machine, arguments, key, [data], shuffled=True, grouped=False)
    steps = [Step(key, ("is", i), "random") for i in range(count)]
    return Seq(
        tuple(machine.box(replace(data, rows=sets.divide(data.rows, step))) for step in steps)
    )


def shuffle(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return rows, or their positions, in another order."""
    first = arguments.find(0)
    if isinstance(first, Index | Unknown | Const):
        index = first if isinstance(first, Index) else Index()
        mixed = replace(index, order=machine.fresh(arguments.node))
        if what == "shuffle" and arguments.args:
            machine.put(arguments.args[0], mixed)
            name = text(machine, arguments.node.args[0]) if arguments.node.args else ""
            if name and isinstance(first, Index):
                machine.bind(name, mixed)
        return mixed
    if len(arguments.args) > 1:
        parts = [arguments.data(i) for i in range(len(arguments.args))]
        return Seq(tuple(part if part is not None else Unknown() for part in parts))
    data = arguments.data(0)
    return data if data is not None else arguments.unknown()


def chosen(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return rows or positions drawn at random."""
    first = arguments.find(0, "a")
    if isinstance(first, Data):
        again = arguments.constant("replace", default=True)
        if again is False:
            return sample(Call(machine, what, first, arguments, 1))
        return Data(
            sets.source(("random", machine.fresh(arguments.node))), form="array", random=True
        )
    if arguments.constant("replace", default=True) is False:
        index = first if isinstance(first, Index) else Index()
        step = Step(("choice", machine.fresh(arguments.node)), ("is", True), "random")
        return replace(index, steps=(*index.steps, step))
    return Data(sets.source(("random", machine.fresh(arguments.node))), form="array", random=True)


def drawn(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return nothing; remember what is saved in a file, as it is now."""
    path = arguments.find(1, "filename", "file")
    if what == "dump" and path is not None and arguments.args:
        machine.saved[path] = arguments.get(0)
    return Const(None)


def setdiff(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return counts, positions and the like, and positions without others."""
    one, two = arguments.find(0), arguments.find(1)
    if what == "setdiff1d" and isinstance(one, Index) and isinstance(two, Index):
        return containers.index_without(one, two)
    if what == "setdiff1d" and isinstance(two, Data):
        rest = taking.mask_of(machine, two)
        return Data(mask=rest and replace(rest, part=sets.opposite(rest.part)), random=two.random)
    if what in {"arange", "indices"}:
        return Index()
    if what in {"EarlyStopping", "early_stopping"} or (
        what == "ModelCheckpoint" and arguments.constant("save_best_only") is True
    ):
        path = arguments.find(0, "filepath") if what == "ModelCheckpoint" else None
        return Unknown(("EarlyStopping", machine.fresh(arguments.node), path))
    if what == "load_model":
        saved = machine.saved.get(arguments.find(0, "filepath"))
        if saved is not None:
            return saved
    if what == "load" and (saved := machine.saved.get(arguments.find(0, "filename"))) is not None:
        return machine.box(saved)
    data = next((v for v in arguments.every() if isinstance(v, Data)), None)
    if what == "bincount" or data is None:
        return Unknown((what, *(machine.token(v) for v in arguments.every())))
    if what in {"nonzero", "argwhere", "flatnonzero"} and data.mask is not None:
        return Index((Step(data.mask.key, data.mask.part),))
    return Data(form="stat", deps=data.all_deps() if data.form == "stat" else frozenset())


def repeated(machine: Machine, what: str, arguments: Arguments) -> Value:
    """Return rows that are there more than once."""
    data = arguments.find(0)
    if isinstance(data, Index) and data.rows:
        return containers.again(data, arguments)
    if isinstance(data, Data) and data.rows and not data.random:
        return resample(Call(machine, what, data, arguments, 1))
    if what == "resample":
        rows = arguments.data(0)
        if rows is not None:
            return resample(Call(machine, what, rows, arguments, 1))
    return Unknown(("repeated", machine.fresh(arguments.node)))
