"""Python's own functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_nbsafe.absint.leakage import (
    containers,
    learned_effects,
    named_columns,
    scores,
    subscripts,
    tabular,
)
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Better,
    Closure,
    Const,
    Data,
    Dictionary,
    Instance,
    Partial,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.containers import item_of
from pytest_nbsafe.absint.leakage.loops import elements
from pytest_nbsafe.absint.leakage.marks import Length, Ranked, Sorted
from pytest_nbsafe.absint.leakage.memory import joined
from pytest_nbsafe.values import replace


def _len(arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return AnyValue(Length(arguments.machine.token(value.rows)))
    if isinstance(value, Seq) and value.each is None and value.key is None:
        return Const(len(value.items))
    return AnyValue(Length(arguments.machine.token(value)))


def same(arguments: Arguments) -> Value:
    """Return whatever is given, an empty list where nothing is."""
    return arguments.get(0) if arguments.args else Seq((), None, arguments.fresh)


def _list(arguments: Arguments) -> Value:
    value = same(arguments)
    if isinstance(value, Data) and value.form == "frame":
        return named_columns.names_of(value)
    if isinstance(value, Data) and value.form == "group":
        return Seq((), next(elements(arguments.machine, value, arguments.node)))
    if isinstance(value, Data):
        return replace(value, form="list")
    if isinstance(value, Dictionary):
        return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else AnyValue()
    return value


def _dict(arguments: Arguments) -> Value:
    machine = arguments.machine
    value = arguments.get(0) if arguments.args else Dictionary()
    pair = machine.get(value.each) if isinstance(value, Seq) else None
    if isinstance(pair, Seq) and len(pair.items) == _PAIR:
        return Dictionary((), pair.items[1])
    pairs = [machine.get(item) for item in value.items] if isinstance(value, Seq) else []
    if pairs and all(isinstance(p, Seq) and len(p.items) == _PAIR for p in pairs):
        known_pairs = [(machine.get(p.items[0]), p.items[1]) for p in pairs if isinstance(p, Seq)]
        items = tuple(
            (key.value, content) for key, content in known_pairs if isinstance(key, Const)
        )
        return Dictionary((*items, *arguments.keywords.items()))
    if isinstance(value, Dictionary):
        return replace(value, items=(*value.items, *arguments.keywords.items()))
    return Dictionary()


_PAIR = 2


def _zip(arguments: Arguments) -> Value:
    values = [arguments.machine.get(value) for value in arguments.args]
    known = [value for value in values if isinstance(value, Seq) and value.each is None]
    if len(known) == len(values) and len({len(value.items) for value in known}) == 1:
        return Seq(tuple(Seq(pair) for pair in zip(*(v.items for v in known), strict=True)))
    return Seq((), Seq(tuple(_round(arguments, value) for value in values)))


def _round(arguments: Arguments, value: Value) -> Value:
    machine = arguments.machine
    return machine.box(
        joined(machine.get(v) for v in elements(machine, value, arguments.node)) or AnyValue()
    )


def _enumerate(arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Seq) and value.each is None:
        return Seq(tuple(Seq((Const(i), item)) for i, item in enumerate(value.items)))
    count = AnyValue(("count", arguments.fresh))
    return Seq((), Seq((count, _round(arguments, value))))


def _number(arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Data):
        return tabular.mix([value])
    return AnyValue(("number", arguments.machine.token(value)))


def _sum(arguments: Arguments) -> Value:
    data = arguments.table()
    return learned_effects.statistic(TableCall(data, arguments)) if data else arguments.same()


def optimised(arguments: Arguments) -> Value:
    """Call the function that an optimiser is given: what it scores is what is chosen by."""
    machine = arguments.machine
    given = arguments.find(0, "func", "fn", "fun", "f")
    if isinstance(given, Closure | Partial):
        machine.loops += 1
        count = len(given.node.args.args) if isinstance(given, Closure) else 1  # type: ignore[union-attr]
        trial: list[Value] = [AnyValue(("trial", i, arguments.fresh)) for i in range(count)]
        result = machine.call(arguments.node, given, trial, {})
        machine.loops -= 1
        scores.note_choice(result, arguments)
    return arguments.unknown()


_PICKS: Mapping[str, Better] = {"max": "more", "min": "less"}
"""What picks the best of some scores, and which it takes for the best."""


def _by_key(arguments: Arguments, wanted: Better) -> None:
    """Call `key` as `max(values, key=...)` does: what it gives may be a score."""
    machine = arguments.machine
    if "key" in arguments.keywords and arguments.args:
        machine.loops += 1
        item = _round(arguments, arguments.get(0))
        result = machine.call(arguments.node, arguments.keywords["key"], [item], {})
        machine.loops -= 1
        scores.note_choice(result, arguments, wanted)


def _sorted(arguments: Arguments) -> Value:
    value = arguments.get(0)
    if isinstance(value, Seq) and scores.scores_in(arguments.machine, value):
        return Seq((), item_of(arguments.machine, value), Sorted(arguments.fresh))
    if isinstance(value, Seq) and value.each is not None:
        pair = arguments.machine.plain(value.each)
        parts = pair.items if isinstance(pair, Seq) else (pair,)
        deps = subscripts.selecting_any(arguments.machine, parts)
        return replace(value, key=Ranked(deps)) if deps else value
    return value


def _most(arguments: Arguments) -> Value:
    machine = arguments.machine
    values, wanted = [machine.get(v) for v in arguments.args], _PICKS[arguments.what]
    _by_key(arguments, wanted)
    for value in values:
        scores.note_choice(value, arguments, wanted)
    if len(values) > 1:
        scores.note_choice(Seq(tuple(arguments.args)), arguments, wanted)
    data = [value for value in values if isinstance(value, Data)]
    if len(data) == 1 and len(values) == 1:
        return learned_effects.statistic(TableCall(data[0], arguments))
    if len(values) == 1 and isinstance(values[0], Seq):
        return item_of(machine, values[0])
    return tabular.mix(data) if data else AnyValue(("most", *map(machine.token, values)))


def _next(arguments: Arguments) -> Value:
    return _round(arguments, arguments.get(0))


def _map(arguments: Arguments) -> Value:
    machine = arguments.machine
    if len(arguments.args) < 2:
        return arguments.unknown()
    call, given = arguments.args[0], arguments.get(1)
    if (
        isinstance(given, Seq)
        and given.each is None
        and len(given.items) <= machine.limits.unrolled
    ):
        results = (machine.call(arguments.node, call, [item], {}) for item in given.items)
        return Seq(tuple(machine.box(machine.get(value)) for value in results))
    item = _round(arguments, given)
    return Seq((), machine.get(machine.call(arguments.node, call, [item], {})))


def reduced(arguments: Arguments) -> Value:
    """Return what a function makes of the items of a list, two by two."""
    given = arguments.get(1)
    if len(arguments.args) < _PAIR or not isinstance(given, Seq) or given.each is not None:
        return arguments.unknown()
    items = [*arguments.args[2:3], *given.items]
    if not items or len(items) > arguments.machine.limits.unrolled:
        return arguments.unknown()
    result = items[0]
    for item in items[1:]:
        result = arguments.machine.call(arguments.node, arguments.args[0], [result, item], {})
    return result


def partial(arguments: Arguments) -> Value:
    """Return a function with some of its arguments."""
    if not arguments.args:
        return arguments.unknown()
    return Partial(arguments.args[0], tuple(arguments.args[1:]), tuple(arguments.keywords.items()))


def _getattr(arguments: Arguments) -> Value:
    name = arguments.get(1)
    if isinstance(name, Const) and isinstance(name.value, str):
        return arguments.machine.attribute(arguments.node, arguments.args[0], name.value)
    return arguments.unknown()


def _open(arguments: Arguments) -> Value:
    """Return a file: the same for the same path, whether it is written or read."""
    path = arguments.get(0)
    key = path.value if isinstance(path, Const) else arguments.fresh
    return AnyValue(("open", key))


def _super(arguments: Arguments) -> Value:
    return Instance() if not arguments.args else AnyValue(arguments.fresh)


BUILTINS: Mapping[str, Callable[[Arguments], Value]] = {
    "abs": _number,
    "bool": _number,
    "dict": _dict,
    "enumerate": _enumerate,
    "float": _number,
    "getattr": _getattr,
    "int": _number,
    "iter": same,
    "len": _len,
    "list": _list,
    "map": _map,
    "max": _most,
    "min": _most,
    "next": _next,
    "open": _open,
    "print": lambda _arguments: Const(None),
    "range": containers.places_between,
    "reversed": same,
    "round": _number,
    "set": same,
    "sorted": _sorted,
    "str": _number,
    "sum": _sum,
    "super": _super,
    "tuple": same,
    "zip": _zip,
}
"""What Python's own functions give."""
