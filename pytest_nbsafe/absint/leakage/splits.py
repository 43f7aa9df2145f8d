"""Rows divided into parts, and what the judge is told of that."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import subscripts, tabular
from pytest_nbsafe.absint.leakage.abstract_values import AnyValue, Const, Data, Index, Seq, Value
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.leak_events import RowsSplit
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import replace


def train_test(machine: Machine, arguments: Arguments) -> Value:
    """Return the parts that `train_test_split` gives: two for each argument.

    A function of the user's own may take a number or a text too, which it does not divide.
    """
    seed = arguments.constant("random_state")
    shuffled = arguments.constant("shuffle", default=True) is not False
    sizes = tuple(machine.token(arguments.find(-1, name)) for name in ("test_size", "train_size"))
    if seed is None or isinstance(seed, AnyValue):
        key: Hashable = ("split", machine.fresh(arguments.node), shuffled)
    else:
        key = ("split", seed, sizes, shuffled)
    kind: sets.Kind = "chosen" if not shuffled else "round" if machine.loops else "random"
    given = [value for value in arguments.args if not isinstance(machine.get(value), Const)]
    sides = [_side(machine, value) for value in given]
    while any(_has(value, key) for value in sides):
        key = ("again", key)  # a part that is split again with the same seed
    parts: list[Value] = []
    for value in sides:
        for place in (0, 1):
            step = Division(key, ("is", place), kind)
            if isinstance(value, Index):
                parts.append(replace(value, steps=(*value.steps, step)))
            elif isinstance(value, Data):
                parts.append(machine.box(tabular.part(value, step)))
            else:
                parts.append(AnyValue((machine.fresh(arguments.node), len(parts))))
    whole = [value for value in sides if isinstance(value, Data)]
    first = whole[0].base if whole else None
    looked = whole[:1] if first is not None else whole  # the target knows the table it is of
    note_split(machine, arguments, key, looked, shuffled=shuffled, grouped=False)
    return Seq(tuple(parts))


def _has(value: Data | Index | None, key: Hashable) -> bool:
    """Return whether rows were divided in this way already."""
    if isinstance(value, Data):
        return any(step.key == key for atom in value.rows for step in atom.steps)
    return isinstance(value, Index) and any(step.key == key for step in value.steps)


def _side(machine: Machine, value: Value) -> Data | Index | None:
    found = machine.get(value)
    if isinstance(found, Index):
        return found
    data = subscripts.as_data(machine, found)
    return subscripts.own_rows(data) if data is not None else None


def note_split(
    machine: Machine,
    arguments: Arguments,
    key: object,
    data: Sequence[Data],
    *,
    shuffled: bool,
    grouped: bool,
) -> None:
    """Tell the judge of a division into train and test: whether of dated or of grouped rows."""
    timed = any(is_series(part) for part in data)
    groups = (_group(machine, part, arguments) for part in data)
    group = next((name for name in groups if name), None)
    name = arguments.name()
    machine.notes.splits[key] = (
        arguments.site,
        name,
        shuffled and timed,
        None if grouped or not shuffled else group,
    )
    machine.note(RowsSplit(arguments.site))


def note_sample(machine: Machine, arguments: Arguments, key: object, data: Data, name: str) -> None:
    """Tell the judge of rows drawn at random: a division where the others are used too."""
    group = machine.group_of(data)
    machine.notes.splits.setdefault(key, (arguments.site, name, is_series(data), group))


def _group(machine: Machine, data: Data, arguments: Arguments) -> str | None:
    """Return the column that tells the groups of rows; among the features it is only one more."""
    name = machine.group_of(data)
    features = len(arguments.args) > 1 and data.columns is not None
    if name is not None and features and data.columns is not None and data.columns.has(name):
        return None
    return name


def is_series(data: Data) -> bool:
    """Return whether the page shows that neighbouring rows follow one another in time.

    A date that is one column among others does not show it, nor does a table sorted by it.
    """
    columns = [data.deps, *(column.deps for _, column in data.named)]
    return any(
        dep.kind == "time" or (data.form == "frame" and all(dep in c for c in columns if c))
        for dep in data.all_deps()
        if dep.kind in {"time", "dated"}
    )


def cut(machine: Machine, arguments: Arguments) -> Value:
    """Return the parts of rows that are cut: as many as are asked for, or one more than cuts."""
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
        return Seq((), _part(data, Division(key, ("is", "any"), kind)), key)
    return Seq(tuple(_part(data, Division(key, ("is", i), kind)) for i in range(count)))


_MOST_PARTS = 20
"""More parts are all like one another."""


def _part(data: Data | Index, step: Division) -> Data | Index:
    if isinstance(data, Index):
        return replace(data, steps=(*data.steps, step))
    return tabular.part(data, step)


def drawn_apart(machine: Machine, arguments: Arguments) -> Value:
    """Return parts of rows drawn at random, as many as there are sizes."""
    data, sizes = arguments.data(0), arguments.find(1, "lengths")
    if data is None:
        return arguments.unknown()
    key = ("split", machine.fresh(arguments.node))
    count = len(sizes.items) if isinstance(sizes, Seq) and sizes.each is None else 2
    note_split(machine, arguments, key, [data], shuffled=True, grouped=False)
    steps = [Division(key, ("is", i), "random") for i in range(count)]
    return Seq(
        tuple(machine.box(replace(data, rows=sets.divide(data.rows, step))) for step in steps)
    )
