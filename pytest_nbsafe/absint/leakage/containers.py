"""Lists, dicts, names of columns, positions of rows: what makes them, what their methods give."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import scores, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Dep,
    Dictionary,
    Index,
    Mask,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Length, Sorted
from pytest_nbsafe.absint.leakage.memory import joined
from pytest_nbsafe.absint.leakage.rows import ByPlace, Division
from pytest_nbsafe.values import replace

# -- lists and dicts -------------------------------------------------------------------------------


def method(owner: Value, value: Seq | Dictionary, arguments: Arguments) -> Value:
    """Return what a method of a list or dict gives, and change it."""
    handlers = _OF_LISTS if isinstance(value, Seq) else _OF_DICTS
    handler: Callable[..., Value | None] | None = handlers.get(arguments.what)
    result = handler(owner, value, arguments) if handler is not None else None
    if result is not None:
        return result
    return AnyValue((arguments.what, arguments.machine.token(value)))


def _append(owner: Value, value: Seq, arguments: Arguments) -> None:
    machine = arguments.machine
    if not arguments.args:
        return
    item = arguments.args[-1]
    if machine.loops or value.each is not None or not machine.certain:
        _fill(owner, value, [item], arguments)
    else:
        machine.put(owner, replace(value, items=(*value.items, machine.box(item))))


def _fill(owner: Value, value: Seq, more: list[Value], arguments: Arguments) -> None:
    """Make a list one of which only is known what any of its items is like."""
    parts = [arguments.machine.get(v) for v in (*value.parts(), *more)]
    key = value.key or ("list", *arguments.fresh)
    arguments.machine.put(owner, Seq((), joined(parts), key))


def _extend(owner: Value, value: Seq, arguments: Arguments) -> None:
    machine = arguments.machine
    if not arguments.args:
        return
    other = machine.get(arguments.args[0])
    known = isinstance(other, Seq) and other.each is None and value.each is None
    if isinstance(other, Seq) and known and not machine.loops:
        machine.put(owner, Seq(value.items + other.items))
    else:
        _fill(owner, value, [item_of(machine, other)], arguments)


def _remove(owner: Value, value: Seq, arguments: Arguments) -> None:
    machine = arguments.machine
    if arguments.args and value.each is None:
        gone = machine.get(arguments.args[0])
        left = tuple(item for item in value.items if machine.get(item) != gone)
        machine.put(owner, replace(value, items=left))


def _sort(owner: Value, value: Seq, arguments: Arguments) -> None:
    machine = arguments.machine
    if scores.scores_in(machine, value):
        key = Sorted(arguments.fresh)
        machine.put(owner, Seq((), item_of(machine, value), key))


def _index(_owner: Value, value: Seq, arguments: Arguments) -> None:
    scores.note_choice(value, arguments)


def _item(_owner: Value, value: Seq, arguments: Arguments) -> Value:
    return item_of(arguments.machine, value)


def _last(_owner: Value, value: Seq, arguments: Arguments) -> Value:
    return value.items[-1] if value.items else value.each or arguments.unknown()


def _itself(_owner: Value, value: Value, _arguments: Arguments) -> Value:
    return value


_OF_LISTS: Mapping[str, Callable[[Value, Seq, Arguments], Value | None]] = {
    "append": _append,
    "add": _append,
    "insert": _append,
    "appendleft": _append,
    "extend": _extend,
    "update": _extend,
    "remove": _remove,
    "sort": _sort,
    "index": _index,
    "__getitem__": _item,
    "pop": _last,
    "copy": _itself,
}


def item_of(machine: Machine, value: Value) -> Value:
    """Return what stands for any item of a list; a value that is no list as it is."""
    if isinstance(value, Seq):
        return joined(map(machine.get, value.parts())) or AnyValue()
    return value


def _any_value(machine: Machine, value: Dictionary) -> Value | None:
    return value.each or joined(machine.get(v) for _, v in value.items)


def _pairs(_owner: Value, value: Dictionary, arguments: Arguments) -> Value:
    if value.items and value.each is None:
        return Seq(tuple(Seq((Const(k), v)) for k, v in value.items))
    key = AnyValue(("key", arguments.machine.token(value)))
    return Seq((), Seq((key, _any_value(arguments.machine, value) or AnyValue())))


def _values(_owner: Value, value: Dictionary, _arguments: Arguments) -> Value:
    return Seq(tuple(v for _, v in value.items)) if value.each is None else Seq((), value.each)


def _keys(_owner: Value, value: Dictionary, _arguments: Arguments) -> Value:
    return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else AnyValue()


def _get(_owner: Value, value: Dictionary, arguments: Arguments) -> Value:
    key = arguments.get(0)
    if isinstance(key, Const):
        return dict(value.items).get(key.value) or value.each or arguments.unknown()
    return _any_value(arguments.machine, value) or arguments.unknown()


def _update(owner: Value, value: Dictionary, arguments: Arguments) -> None:
    other = arguments.get(0)
    if isinstance(other, Dictionary):
        items = dict(value.items) | dict(other.items)
        arguments.machine.put(owner, Dictionary(tuple(items.items()), other.each or value.each))


_OF_DICTS: Mapping[str, Callable[[Value, Dictionary, Arguments], Value | None]] = {
    "items": _pairs,
    "values": _values,
    "keys": _keys,
    "get": _get,
    "pop": _get,
    "setdefault": _get,
    "update": _update,
    "copy": _itself,
}


# -- names of columns ------------------------------------------------------------------------------


def names_method(owner: Value, value: Names, arguments: Arguments) -> Value:
    """Return what a method of `df.columns`, or of a list of it, gives."""
    if arguments.what in _SAME:
        return value
    if arguments.what in {"drop", "difference"}:
        gone = tabular.names_in(arguments.plain(0))
        return names_without(value, gone) if gone is not None else Names(None, value.deps)
    if arguments.what not in _REMOVING | _ADDING | _CHANGING:
        return Names(None, value.deps)
    arguments.machine.put(owner, _names_changed(arguments.what, value, arguments))
    return Const(None) if arguments.what != "pop" else arguments.unknown()


_SAME = frozenset({"tolist", "to_list", "copy", "sort_values"})
_REMOVING = frozenset({"remove", "discard", "difference_update"})
_ADDING = frozenset({"append", "add", "extend", "update", "insert"})
_CHANGING = frozenset({"pop", "clear"})
"""Methods by which a list or set of names gets others."""


def _names_changed(what: str, names: Names, arguments: Arguments) -> Names:
    """Return names to which others came, or from which some were taken."""
    given = arguments.plain(len(arguments.args) - 1) if arguments.args else AnyValue()
    names_given = tabular.names_in(given)
    if what in _REMOVING and names_given is not None:
        if names.columns is not None:
            return names_without(names, names_given)
        return replace(names, tests=(*names.tests, *(("is", name, False) for name in names_given)))
    if what in _ADDING and names_given is not None:
        if names.columns is None:
            return replace(names, tests=(), whole=False)
        held = names.columns
        more = held.names - {*names_given} if held.but else held.names | {*names_given}
        return replace(names, columns=replace(held, names=more))
    chosen = given.all_deps() if isinstance(given, Data) else frozenset()
    return Names(None, names.deps | frozenset(d for d in chosen if d.kind == "selection"))


def names_without(names: Names, gone: tuple[str, ...]) -> Names:
    """Return names of columns without some."""
    if names.columns is None:
        return names
    return replace(names, columns=tabular.less(names.columns, gone))


# -- positions and labels of rows ------------------------------------------------------------------


def places_between(arguments: Arguments) -> Value:
    """Return positions: all of them for `range(len(df))`, else those within the bounds."""
    machine = arguments.machine
    bounds = [machine.get(value) for value in arguments.args[:3]]
    first = bounds[0] if len(bounds) == 1 else None
    if isinstance(first, AnyValue) and isinstance(first.key, Length):
        return Index()
    if not bounds or len(bounds) > _BOUNDS:
        return Index((Division(("range", *map(machine.token, bounds)), ("is", True)),))
    high = bounds[-1]
    low = bounds[0] if len(bounds) == _BOUNDS else Const(0)
    start = None if low == Const(0) else tabular.bound(machine, low)
    return Index((Division(ByPlace(), ("range", start, tabular.bound(machine, high))),))


_BOUNDS = 2
"""With a third argument the positions have gaps."""


def every_place(_arguments: Arguments) -> Value:
    """Return all positions."""
    return Index()


def places_without(arguments: Arguments) -> Value:
    """Return positions that are not among others."""
    whole, part = arguments.find(0), arguments.find(1)
    if isinstance(whole, Index) and isinstance(part, Index):
        return index_without(whole, part)
    if isinstance(part, Data):
        rest = tabular.mask_of(arguments.machine, part)
        return Data(mask=rest and replace(rest, part=sets.opposite(rest.part)), random=part.random)
    return counted(arguments)


def places_where_true(arguments: Arguments) -> Value:
    """Return the positions of what is true."""
    data = _first_data(arguments)
    if data is not None and data.mask is not None:
        return Index((Division(data.mask.key, data.mask.part),))
    return counted(arguments)


def counted(arguments: Arguments) -> Value:
    """Return a number of rows, or values that are made of no rows."""
    data = _first_data(arguments)
    if data is None:
        return arguments.same()
    return Data(form="stat", deps=data.all_deps() if data.form == "stat" else frozenset())


def _first_data(arguments: Arguments) -> Data | None:
    return next((value for value in arguments.every() if isinstance(value, Data)), None)


def index_method(_owner: Value, value: Index, arguments: Arguments) -> Value:
    """Return what a method of positions or labels of rows gives."""
    if arguments.what in {"tolist", "to_list", "copy", "astype", "to_numpy", "to_series", "unique"}:
        return value
    if arguments.what in {"isin", "difference"}:
        other = arguments.get(0)
        if arguments.what == "difference" and isinstance(other, Index):
            return index_without(value, other)
        mask = index_mask(value, other) if isinstance(other, Index) else None
        if arguments.what == "isin":
            mask = mask or Mask(("isin", arguments.machine.token(other)), ("is", True))
            return Data(value.rows or sets.NONE, mask=mask)
    if arguments.what == "repeat" and value.rows:
        return repeated_places(value, arguments)
    if value.order is None and arguments.what == "permutation":
        return replace(value, order=arguments.fresh)
    return arguments.unknown()


def repeated_places(value: Index, arguments: Arguments) -> Index:
    """Return positions of which some come more than once."""
    rows = value.rows or sets.NONE
    return replace(value, again=Dep("resample", rows, "repeat", arguments.site))


def index_mask(whole: Index, part: Index) -> Mask | None:
    """Return the mask of the positions that are among others."""
    extra: tuple[Division, ...] = part.steps
    if not extra and part.rows is not None and whole.rows is not None:
        for atom in part.rows:
            for outer in whole.rows:
                if atom.source == outer.source and len(atom.steps) > len(outer.steps):
                    extra = atom.steps[len(outer.steps) :]
    if not extra:
        return None
    return Mask(extra[0].key, extra[0].part, extra[0].kind == "random")


def index_without(whole: Index, part: Index) -> Value:
    """Return the positions that are not among others."""
    if whole.rows is not None and part.rows is not None:
        rows = sets.complement(whole.rows, part.rows)
        return Index((), rows) if rows is not None else AnyValue()
    extra = part.steps[len(whole.steps) :]
    if not extra:
        return AnyValue()
    return replace(whole, steps=(*whole.steps, extra[0].rest()))
