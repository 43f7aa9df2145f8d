"""Python's own functions on abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import effects, tables, taking
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.containers import PICKS, item_of, note_choice, scores_in
from pytest_nbsafe.absint.leakage.joins import joined
from pytest_nbsafe.absint.leakage.loops import UNROLLED, elements
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Better,
    Columns,
    Const,
    Data,
    Index,
    Instance,
    Names,
    Partial,
    Seq,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def _len(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return Unknown(("len", machine.token(value.rows)))
    if isinstance(value, Seq) and value.each is None and value.key is None:
        return Const(len(value.items))
    return Unknown(("len", machine.token(value)))


def _range(machine: Machine, arguments: Arguments) -> Value:
    """Return positions: all of them for `range(len(df))`, else those within the bounds."""
    bounds = [machine.get(value) for value in arguments.args[:3]]
    marks = [value.key if isinstance(value, Unknown) else None for value in bounds]
    if len(bounds) == 1 and isinstance(marks[0], tuple) and marks[0][0] == "len":
        return Index()
    if not bounds or len(bounds) > _BOUNDS:
        return Index((Step(("range", *map(machine.token, bounds)), ("is", True)),))
    high = bounds[-1]
    low = bounds[0] if len(bounds) == _BOUNDS else Const(0)
    start = None if low == Const(0) else taking.bound(machine, low)
    return Index((Step(("slice", None), ("range", start, taking.bound(machine, high))),))


_BOUNDS = 2
"""With a third argument the positions have gaps."""


def _same(_machine: Machine, arguments: Arguments) -> Value:
    return (
        arguments.get(0)
        if arguments.args
        else Seq((), None, arguments.machine.fresh(arguments.node))
    )


def _list(machine: Machine, arguments: Arguments) -> Value:
    value = _same(machine, arguments)
    if isinstance(value, Data) and value.form == "frame":
        return Names(Columns(but=True))
    if isinstance(value, Data) and value.form == "group":
        return Seq((), next(elements(machine, value, arguments.node)))
    if isinstance(value, Data):
        return replace(value, form="list")
    if isinstance(value, Table):
        return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else Unknown()
    return value


def _dict(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0) if arguments.args else Table()
    pair = machine.get(value.each) if isinstance(value, Seq) else None
    if isinstance(pair, Seq) and len(pair.items) == _PAIR:
        return Table((), pair.items[1])
    pairs = [machine.get(item) for item in value.items] if isinstance(value, Seq) else []
    if pairs and all(isinstance(p, Seq) and len(p.items) == _PAIR for p in pairs):
        found = [(machine.get(p.items[0]), p.items[1]) for p in pairs if isinstance(p, Seq)]
        items = tuple((key.value, made) for key, made in found if isinstance(key, Const))
        return Table((*items, *arguments.keywords.items()))
    if isinstance(value, Table):
        return replace(value, items=(*value.items, *arguments.keywords.items()))
    return Table()


_PAIR = 2


def _zip(machine: Machine, arguments: Arguments) -> Value:
    values = [machine.get(value) for value in arguments.args]
    known = [value for value in values if isinstance(value, Seq) and value.each is None]
    if len(known) == len(values) and len({len(value.items) for value in known}) == 1:
        return Seq(tuple(Seq(pair) for pair in zip(*(v.items for v in known), strict=True)))
    return Seq((), Seq(tuple(_round(machine, arguments, value) for value in values)))


def _round(machine: Machine, arguments: Arguments, value: Value) -> Value:
    return machine.box(
        joined(machine.get(v) for v in elements(machine, value, arguments.node)) or Unknown()
    )


def _enumerate(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Seq) and value.each is None:
        return Seq(tuple(Seq((Const(i), item)) for i, item in enumerate(value.items)))
    count = Unknown(("count", machine.fresh(arguments.node)))
    return Seq((), Seq((count, _round(machine, arguments, value))))


def _print(_machine: Machine, _arguments: Arguments) -> Value:
    return Const(None)


def _number(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return tables.mix([value])
    return Unknown(("number", machine.token(value)))


def _sum(machine: Machine, arguments: Arguments) -> Value:
    return effects.apply(machine, "statistic", "sum", arguments)


def _wanted(arguments: Arguments) -> Better:
    callee = arguments.node.func
    return PICKS.get(callee.id, "") if isinstance(callee, ast.Name) else ""


def _by_key(machine: Machine, arguments: Arguments) -> None:
    """Call `key` as `max(values, key=...)` does: what it gives may be a score."""
    if "key" in arguments.keywords and arguments.args:
        machine.loops += 1
        item = _round(machine, arguments, arguments.get(0))
        result = machine.call(arguments.node, arguments.keywords["key"], [item], {})
        machine.loops -= 1
        note_choice(machine, result, arguments, _wanted(arguments))


def _sorted(machine: Machine, arguments: Arguments) -> Value:
    value = arguments.get(0)
    found = scores_in(machine, value)
    if isinstance(value, Seq) and found:
        return Seq((), item_of(machine, value), ("sorted", machine.fresh(arguments.node)))
    return value


def _most(machine: Machine, arguments: Arguments) -> Value:
    values = [machine.get(v) for v in arguments.args]
    _by_key(machine, arguments)
    for value in values:
        note_choice(machine, value, arguments, _wanted(arguments))
    if len(values) > 1:
        note_choice(machine, Seq(tuple(arguments.args)), arguments, _wanted(arguments))
    data = [value for value in values if isinstance(value, Data)]
    if len(data) == 1 and len(values) == 1:
        callee = arguments.node.func
        what = "min" if isinstance(callee, ast.Name) and callee.id == "min" else "max"
        return effects.apply(machine, "statistic", what, arguments)
    if len(values) == 1 and isinstance(values[0], Seq):
        return item_of(machine, values[0])
    return tables.mix(data) if data else Unknown(("most", *map(machine.token, values)))


def _next(machine: Machine, arguments: Arguments) -> Value:
    return _round(machine, arguments, arguments.get(0))


def _map(machine: Machine, arguments: Arguments) -> Value:
    if len(arguments.args) < 2:
        return arguments.unknown()
    call, given = arguments.args[0], arguments.get(1)
    if isinstance(given, Seq) and given.each is None and len(given.items) <= UNROLLED:
        made = (machine.call(arguments.node, call, [item], {}) for item in given.items)
        return Seq(tuple(machine.box(machine.get(value)) for value in made))
    item = _round(machine, arguments, given)
    return Seq((), machine.get(machine.call(arguments.node, call, [item], {})))


def _reduce(machine: Machine, arguments: Arguments) -> Value:
    given = arguments.get(1)
    if len(arguments.args) < _PAIR or not isinstance(given, Seq) or given.each is not None:
        return arguments.unknown()
    items = [*arguments.args[2:3], *given.items]
    if not items or len(items) > UNROLLED:
        return arguments.unknown()
    result = items[0]
    for item in items[1:]:
        result = machine.call(arguments.node, arguments.args[0], [result, item], {})
    return result


def _partial(_machine: Machine, arguments: Arguments) -> Value:
    if not arguments.args:
        return arguments.unknown()
    return Partial(arguments.args[0], tuple(arguments.args[1:]), tuple(arguments.keywords.items()))


def _getattr(machine: Machine, arguments: Arguments) -> Value:
    name = arguments.get(1)
    if isinstance(name, Const) and isinstance(name.value, str):
        return machine.attribute(arguments.node, arguments.args[0], name.value)
    return arguments.unknown()


def _open(machine: Machine, arguments: Arguments) -> Value:
    """Return a file: the same for the same path, whether it is written or read."""
    path = arguments.get(0)
    key = path.value if isinstance(path, Const) else machine.fresh(arguments.node)
    return Unknown(("open", key))


def _super(machine: Machine, arguments: Arguments) -> Value:
    return Instance() if not arguments.args else Unknown(machine.fresh(arguments.node))


BUILTINS: Mapping[str, Callable[[Machine, Arguments], Value]] = {
    "builtins.len": _len,
    "builtins.range": _range,
    "numpy.arange": _range,
    "builtins.list": _list,
    "builtins.tuple": _same,
    "builtins.set": _same,
    "builtins.iter": _same,
    "builtins.reversed": _same,
    "builtins.sorted": _sorted,
    "builtins.dict": _dict,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.print": _print,
    "builtins.int": _number,
    "builtins.float": _number,
    "builtins.round": _number,
    "builtins.abs": _number,
    "builtins.str": _number,
    "builtins.bool": _number,
    "builtins.sum": _sum,
    "builtins.max": _most,
    "builtins.min": _most,
    "builtins.next": _next,
    "builtins.map": _map,
    "builtins.getattr": _getattr,
    "builtins.super": _super,
    "builtins.open": _open,
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "tqdm.tqdm": _same,
    "tqdm.notebook.tqdm": _same,
    "tqdm.auto.tqdm": _same,
    "display": _print,
    "IPython.display.display": _print,
}
