"""Positions and labels of rows: what makes them, and what their methods give."""

from __future__ import annotations

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import slicing
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Dep,
    Index,
    Mask,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.marks import Length
from pytest_nbsafe.absint.leakage.rows import ByPlace, Division
from pytest_nbsafe.values import replace


def between(arguments: Arguments) -> Value:
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
    start = None if low == Const(0) else slicing.bound(machine, low)
    return Index((Division(ByPlace(), ("range", start, slicing.bound(machine, high))),))


_BOUNDS = 2
"""With a third argument the positions have gaps."""


def every(_arguments: Arguments) -> Value:
    """Return all positions."""
    return Index()


def without(arguments: Arguments) -> Value:
    """Return positions that are not among others."""
    whole, part = arguments.find(0), arguments.find(1)
    if isinstance(whole, Index) and isinstance(part, Index):
        return index_without(whole, part)
    if isinstance(part, Data):
        rest = slicing.mask_of(arguments.machine, part)
        return Data(mask=rest and replace(rest, part=sets.opposite(rest.part)), random=part.random)
    return counted(arguments)


def where_true(arguments: Arguments) -> Value:
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
        return again(value, arguments)
    if value.order is None and arguments.what == "permutation":
        return replace(value, order=arguments.fresh)
    return arguments.unknown()


def again(value: Index, arguments: Arguments) -> Index:
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
