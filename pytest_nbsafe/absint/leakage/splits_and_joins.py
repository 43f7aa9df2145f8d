"""Rows divided into parts or drawn at random, and tables put together again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from pytest_nbsafe.absint.leakage import (
    named_columns,
    row_matches,
    side_by_side,
    subscripts,
    tabular,
)
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    CodeSite,
    Const,
    Data,
    Dep,
    Deps,
    Index,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall, is_across, text
from pytest_nbsafe.absint.leakage.containers import repeated_places
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Repeated
from pytest_nbsafe.absint.leakage.memory import RowsSplit
from pytest_nbsafe.absint.leakage.row_effects import learned_by
from pytest_nbsafe.absint.leakage.rows import Division, Sampled
from pytest_nbsafe.values import replace


def train_test(arguments: Arguments) -> Value:
    """Return the parts that `train_test_split` gives: two for each argument.

    A function of the user's own may take a number or a text too, which it does not divide.
    """
    machine = arguments.machine
    seed = arguments.constant("random_state")
    shuffled = arguments.constant("shuffle", default=True) is not False
    sizes = tuple(machine.token(arguments.find(-1, name)) for name in ("test_size", "train_size"))
    fresh = arguments.fresh
    given = [value for value in arguments.args if not isinstance(machine.get(value), Const)]
    sides = [_side(machine, value) for value in given]
    deps = frozenset[Dep]().union(*(side.all_deps() for side in sides if isinstance(side, Data)))
    copied = frozenset(dep.site for dep in deps if dep.kind == "resample")
    key: Hashable = ("split", seed, sizes, shuffled, copied)  # of more rows a seed draws others
    if seed is None or isinstance(seed, AnyValue):
        key = ("split", fresh, shuffled)
    kind: sets.Kind = "chosen" if not shuffled else "round" if machine.loops else "random"
    while any(_has(value, key) for value in sides):
        key = ("again", key)  # a part that is split again with the same seed
    pairs = [(side, Division(key, ("is", place), kind)) for side in sides for place in (0, 1)]
    parts = tuple(
        machine.box(tabular.divided(side, step)) if side is not None else AnyValue((fresh, i))
        for i, (side, step) in enumerate(pairs)
    )
    whole = [value for value in sides if isinstance(value, Data)]
    first = whole[0].base if whole else None
    tables = whole[:1] if first is not None else whole  # the target knows the table it is of
    note_split(arguments, key, tables, shuffled=shuffled)
    return Seq(parts)


def _has(value: Data | Index | None, key: Hashable) -> bool:
    """Return whether rows were divided in this way already."""
    if isinstance(value, Data):
        return any(step.key == key for atom in value.rows for step in atom.steps)
    return isinstance(value, Index) and any(step.key == key for step in value.steps)


def _side(machine: Machine, value: Value) -> Data | Index | None:
    state = machine.get(value)
    if isinstance(state, Index):
        return state
    data = subscripts.as_data(machine, state)
    return subscripts.own_rows(data) if data is not None else None


def note_split(
    arguments: Arguments,
    key: object,
    data: Sequence[Data],
    *,
    shuffled: bool,
    grouped: bool = False,
) -> None:
    """Tell the judge of a division into train and test: whether of dated or of grouped rows."""
    timed = any(is_series(part) for part in data)
    groups = (_group(part, arguments) for part in data)
    group = next((name for name in groups if name), None)
    known_group = None if grouped or not shuffled else group
    site, name = arguments.site, arguments.name()
    arguments.machine.notes.splits[key] = site, name, shuffled and timed, known_group
    arguments.machine.note(RowsSplit(site))


def _group(data: Data, arguments: Arguments) -> str | None:
    """Return the column that tells the groups of rows; among the features it is only one more."""
    name = arguments.machine.group_of(data)
    features = data.columns if len(arguments.args) > 1 else None
    return None if name and features is not None and features.has(name) else name


def is_series(data: Data) -> bool:
    """Return whether the page shows that neighbouring rows follow one another in time.

    A date that is one column among others does not show it, nor does a table sorted by it.
    """
    made = dict(data.named)
    known = data.columns is not None and not data.columns.but and data.columns.names <= made.keys()
    columns = [column.deps for column in made.values() if column.deps] if known else [data.deps]
    return any(
        dep.kind == "time" or (data.form == "frame" and all(dep in deps for deps in columns))
        for dep in data.all_deps()
        if dep.kind in {"time", "dated"}
    )


def cut(arguments: Arguments) -> Value:
    """Return the parts of rows that are cut: as many as are asked for, or one more than cuts."""
    whole = arguments.find(0)
    data = whole if isinstance(whole, Index) else arguments.data(0)
    if data is None:
        return arguments.unknown()
    cuts = arguments.find(1)
    count = cuts.value if isinstance(cuts, Const) else None
    if isinstance(cuts, Seq) and cuts.each is None:
        count = len(cuts.items) + 1
    if isinstance(data, Data) and is_across(arguments.find(2, "axis")):
        return Seq((), named_columns.nameless(data), ("cut", arguments.fresh))
    key = ("cut", arguments.fresh)
    kind: sets.Kind = "fold" if isinstance(data, Index) else "chosen"
    if not isinstance(count, int) or not 0 < count <= _MOST_PARTS:
        return Seq((), tabular.divided(data, Division(key, ("is", "any"), kind)), key)
    return Seq(tuple(tabular.divided(data, Division(key, ("is", i), kind)) for i in range(count)))


_MOST_PARTS = 20
"""More parts are all like one another."""


def drawn_apart(arguments: Arguments) -> Value:
    """Return parts of rows drawn at random, as many as there are sizes."""
    data, sizes = arguments.data(0), arguments.find(1, "lengths")
    if data is None:
        return arguments.unknown()
    key = ("split", arguments.fresh)
    count = len(sizes.items) if isinstance(sizes, Seq) and sizes.each is None else 2
    note_split(arguments, key, [data], shuffled=True)
    steps = [Division(key, ("is", i), "random") for i in range(count)]
    return Seq(
        tuple(
            arguments.machine.box(replace(data, rows=sets.divide(data.rows, step)))
            for step in steps
        )
    )


# -- of a table ------------------------------------------------------------------------------------


def sampled(call: TableCall) -> Value:
    """Return rows drawn at random; those drawn with replacement are there more than once."""
    data, arguments, machine = tabular.together(call.data), call.arguments, call.machine
    twice = arguments.constant("with_replacement", "replace", default=False)
    seed = arguments.constant("random_state")
    size = tuple(machine.token(arguments.find(-1, name)) for name in ("frac", "fraction", "n"))
    key = Sampled((seed, size) if seed is not None else call.arguments.fresh)
    if twice is True:
        return _with_duplicates(replace(call, data=data), key)
    if 1 in {arguments.constant("frac"), arguments.constant("fraction")}:
        return replace(data, mask=None)
    step = Division(key, ("is", True), "random")
    # for the judge it is a division where the other rows are used too
    division = arguments.site, call.name, is_series(data), machine.group_of(data)
    machine.notes.splits.setdefault(key, division)
    return tabular.part(data, step)


def _with_duplicates(call: TableCall, key: Hashable) -> Data:
    drawn = tabular.part(call.data, Division(key, ("is", True), "random"))
    return tabular.with_deps(drawn, (learned_by(call, "resample", drawn.rows),))


def repeated(call: TableCall) -> Value:
    """Return each row several times; without a number, again in each epoch."""
    if not call.arguments.args and not call.arguments.keywords:
        return call.data
    return resampled(replace(call, arguments=replace(call.arguments, args=call.arguments.args[:1])))


def resampled(call: TableCall) -> Value:
    """Return rows drawn with duplicates; of several tables the same rows."""
    if call.arguments.constant("replace", default=True) is False:
        return sampled(call)
    key = ("resample", call.arguments.fresh)
    if len(call.arguments.args) > 1:
        parts = [call.arguments.data(i) for i in range(len(call.arguments.args))]
        drawn = (_with_duplicates(replace(call, data=p), key) for p in parts if p is not None)
        return Seq(tuple(drawn))
    return _with_duplicates(call, key)


def shuffled_table(call: TableCall) -> Value:
    """Return the same rows in another order."""
    return replace(call.data, mask=None)


# -- of whatever is given --------------------------------------------------------------------------


def shuffled(arguments: Arguments) -> Value:
    """Return rows, or their positions, in another order."""
    first = arguments.find(0)
    if isinstance(first, Index | AnyValue | Const):
        return _reordered(first, arguments)
    if len(arguments.args) > 1:
        parts = [arguments.data(i) for i in range(len(arguments.args))]
        return Seq(tuple(part if part is not None else AnyValue() for part in parts))
    data = arguments.data(0)
    return data if data is not None else arguments.unknown()


def shuffled_in_place(arguments: Arguments) -> Value:
    """Put rows, or their positions, in another order."""
    machine = arguments.machine
    first = arguments.find(0)
    if not isinstance(first, Index | AnyValue | Const):
        return shuffled(arguments)
    mixed = _reordered(first, arguments)
    if arguments.args:
        machine.put(arguments.args[0], mixed)
    name = text(machine, arguments.node.args[0]) if arguments.node.args else ""
    if name and isinstance(first, Index):
        machine.bind(name, mixed)
    return mixed


def _reordered(positions: Value, arguments: Arguments) -> Index:
    known = positions if isinstance(positions, Index) else Index()
    return replace(known, order=arguments.fresh)


def chosen(arguments: Arguments) -> Value:
    """Return rows or positions drawn at random."""
    first, once = arguments.find(0, "a"), arguments.constant("replace", default=True) is False
    if once and isinstance(first, Data):
        return sampled(TableCall(first, arguments))
    if once:
        index = first if isinstance(first, Index) else Index()
        step = Division(("choice", arguments.fresh), ("is", True), "random")
        return tabular.divided(index, step)
    return Data(sets.source(("random", arguments.fresh)), form="array", random=True)


def several_times(arguments: Arguments) -> Value:
    """Return rows or positions that are there more than once."""
    data = arguments.find(0)
    if isinstance(data, Index) and data.rows:
        return repeated_places(data, arguments)
    if isinstance(data, Data) and data.rows and not data.random:
        return repeated(TableCall(data, arguments))
    return AnyValue(Repeated(arguments.fresh))


def drawn_again(arguments: Arguments) -> Value:
    """Return rows drawn with duplicates."""
    data = arguments.find(0)
    rows = data if isinstance(data, Data) and data.rows else arguments.data(0)
    if (isinstance(data, Index) and data.rows) or rows is None:
        return several_times(arguments)
    return resampled(TableCall(rows, arguments))


# -- tables put together ---------------------------------------------------------------------------


def concat(parts: Sequence[Data], site: CodeSite, name: str) -> Data:
    """Return tables one below the other; rows that are in two of them are duplicates now."""
    first = next((part for part in parts if not part.random), parts[0])
    having = [part for part in parts if part.rows]
    rows = sets.NONE.union(*(part.rows for part in having))
    deps = first.deps.union(*(part.mixed_deps() for part in parts if part is not first))
    result = replace(
        tabular.with_deps(first, deps - first.deps),
        rows=rows,
        mask=None,
        pred=next((part.pred for part in parts if part.pred), None),
        scores=frozenset().union(*(part.scores for part in parts)),
        vague=any(part.vague for part in parts),
        origins=frozenset() if any(p.origins != first.origins for p in parts) else first.origins,
    )
    if len(having) < 2:
        return result
    return tabular.with_deps(result, _joins(having, rows, site, name))


def _joins(parts: Sequence[Data], rows: sets.Rows, site: CodeSite, name: str) -> Deps:
    joins: set[Dep] = set()
    for place, upper in enumerate(parts):
        for lower in parts[place + 1 :]:
            meeting = sets.overlap(upper.rows, lower.rows)
            if meeting == "yes":
                common = lower.rows if sets.within(lower.rows, upper.rows) else upper.rows
                joins.add(
                    Dep(
                        "resample",
                        common,
                        "concat",
                        site,
                        name,
                        certain=not (upper.vague or lower.vague),
                    )
                )
            elif meeting == "no":
                joins.add(Dep("join", rows, "concat", site, name))
    return frozenset(joins)


# -- functions and methods -------------------------------------------------------------------------


def concatenated(arguments: Arguments) -> Value:
    """Return tables combined, one below the other or, with an axis, side by side."""
    first = _whole(arguments)
    places = (
        [arguments.machine.get(value) for value in first.parts()] if isinstance(first, Seq) else []
    )
    if places and all(isinstance(place, Index) for place in places):
        return _positions(places, arguments)
    values = _parts(arguments)
    if not values:
        return arguments.unknown()
    if is_across(arguments.find(-1, "axis")):
        return side_by_side.beside(values, arguments.fresh)
    return concat(values, arguments.site, arguments.name())


def _positions(places: list[Value], arguments: Arguments) -> Value:
    """Return positions one after another: which they are is known where they are all alike."""
    if all(place == places[0] for place in places):
        return places[0]
    step = Division(("joined", arguments.fresh), ("is", True), "fold")
    return Index((step,))


def merged(arguments: Arguments) -> Value:
    """Return tables side by side."""
    parts = _parts(arguments)
    if not parts:
        return arguments.unknown()
    return row_matches.matched(side_by_side.beside(parts, arguments.fresh), parts, arguments)


def _whole(arguments: Arguments) -> Value | None:
    return arguments.find(0, "objs", "tup", "arrays")


def _parts(arguments: Arguments) -> list[Data]:
    first = _whole(arguments)
    values: list[Value] = []
    if isinstance(first, Seq):
        values = list(first.parts())
    elif first is not None:
        values = list(arguments.args)
    tables = [subscripts.as_data(arguments.machine, value) for value in values]
    return [value for value in tables if value is not None]


def concat_to(call: TableCall) -> Value:
    """Return a table with others below it."""
    others = [value for value in call.arguments.every() if isinstance(value, Data)]
    return concat([call.data, *others], call.arguments.site, call.name)


def merge_to(call: TableCall) -> Value:
    """Return a table with others beside it."""
    every = call.arguments.every()
    others = [value for value in every if isinstance(value, Data) and value is not call.data]
    parts = [call.data, *others]
    joined_tables = side_by_side.beside(parts, call.arguments.fresh)
    return row_matches.matched(joined_tables, parts, call.arguments)
