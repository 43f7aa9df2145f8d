"""Rows drawn or put in order at random, once or several times."""

from __future__ import annotations

from collections.abc import Hashable

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import splits, tabular
from pytest_nbsafe.absint.leakage.abstract_values import AnyValue, Const, Data, Index, Seq, Value
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall, text
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Repeated
from pytest_nbsafe.absint.leakage.positions import again
from pytest_nbsafe.absint.leakage.row_effects import learned_by
from pytest_nbsafe.absint.leakage.rows import Division, Sampled
from pytest_nbsafe.values import replace

# -- of a table ------------------------------------------------------------------------------------


def sampled(call: TableCall) -> Value:
    """Return rows drawn at random; those drawn with replacement are there more than once."""
    data, arguments, machine = call.data, call.arguments, call.machine
    twice = arguments.constant("replace", default=False)
    twice = arguments.constant("with_replacement", default=twice)
    seed = arguments.constant("random_state")
    size = tuple(machine.token(arguments.find(-1, name)) for name in ("frac", "fraction", "n"))
    key = Sampled((seed, size) if seed is not None else call.fresh)
    if twice is True:
        return _with_duplicates(call, key)
    if 1 in {arguments.constant("frac"), arguments.constant("fraction")}:
        return replace(data, mask=None)
    step = Division(key, ("is", True), "random")
    splits.note_sample(machine, arguments, key, data, call.name)
    return tabular.part(data, step)


def _with_duplicates(call: TableCall, key: Hashable) -> Data:
    step = Division(key, ("is", True), "random")
    rows = sets.divide(call.data.rows, step)
    dep = learned_by(call, "resample", rows)
    return tabular.with_deps(replace(call.data, rows=rows, mask=None), (dep,))


def repeated(call: TableCall) -> Value:
    """Return each row several times; without a number, again in each epoch."""
    if not call.arguments.args and not call.arguments.keywords:
        return call.data
    return resampled(replace(call, arguments=replace(call.arguments, args=call.arguments.args[:1])))


def resampled(call: TableCall) -> Value:
    """Return rows drawn with duplicates; of several tables the same rows."""
    if call.arguments.constant("replace", default=True) is False:
        return sampled(call)
    key = ("resample", call.fresh)
    if len(call.arguments.args) > 1:
        parts = [call.arguments.data(i) for i in range(len(call.arguments.args))]
        drawn = (_with_duplicates(replace(call, data=p), key) for p in parts if p is not None)
        return Seq(tuple(drawn))
    return _with_duplicates(call, key)


def shuffled_table(call: TableCall) -> Value:
    """Return the same rows in another order."""
    return replace(call.data, mask=None)


# -- of whatever is given --------------------------------------------------------------------------


def shuffled(machine: Machine, arguments: Arguments) -> Value:
    """Return rows, or their positions, in another order."""
    first = arguments.find(0)
    if isinstance(first, Index | AnyValue | Const):
        return _reordered(machine, first, arguments)
    if len(arguments.args) > 1:
        parts = [arguments.data(i) for i in range(len(arguments.args))]
        return Seq(tuple(part if part is not None else AnyValue() for part in parts))
    data = arguments.data(0)
    return data if data is not None else arguments.unknown()


def shuffled_in_place(machine: Machine, arguments: Arguments) -> Value:
    """Put rows, or their positions, in another order."""
    first = arguments.find(0)
    if not isinstance(first, Index | AnyValue | Const):
        return shuffled(machine, arguments)
    mixed = _reordered(machine, first, arguments)
    if arguments.args:
        machine.put(arguments.args[0], mixed)
    name = text(machine, arguments.node.args[0]) if arguments.node.args else ""
    if name and isinstance(first, Index):
        machine.bind(name, mixed)
    return mixed


def _reordered(machine: Machine, positions: Value, arguments: Arguments) -> Index:
    known = positions if isinstance(positions, Index) else Index()
    return replace(known, order=machine.fresh(arguments.node))


def chosen(machine: Machine, arguments: Arguments) -> Value:
    """Return rows or positions drawn at random."""
    first, once = arguments.find(0, "a"), arguments.constant("replace", default=True) is False
    if once and isinstance(first, Data):
        return sampled(TableCall(first, arguments))
    if once:
        index = first if isinstance(first, Index) else Index()
        step = Division(("choice", machine.fresh(arguments.node)), ("is", True), "random")
        return replace(index, steps=(*index.steps, step))
    return Data(sets.source(("random", machine.fresh(arguments.node))), form="array", random=True)


def several_times(machine: Machine, arguments: Arguments) -> Value:
    """Return rows or positions that are there more than once."""
    data = arguments.find(0)
    if isinstance(data, Index) and data.rows:
        return again(data, arguments)
    if isinstance(data, Data) and data.rows and not data.random:
        return repeated(TableCall(data, arguments))
    return AnyValue(Repeated(machine.fresh(arguments.node)))


def drawn_again(machine: Machine, arguments: Arguments) -> Value:
    """Return rows drawn with duplicates."""
    data = arguments.find(0)
    rows = data if isinstance(data, Data) and data.rows else arguments.data(0)
    if (isinstance(data, Index) and data.rows) or rows is None:
        return several_times(machine, arguments)
    return resampled(TableCall(rows, arguments))
