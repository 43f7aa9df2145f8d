"""The rows that a mask, a slice or positions choose of a table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    CodeSite,
    Const,
    Data,
    Dep,
    Index,
    Mask,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Length
from pytest_nbsafe.absint.leakage.rows import Atom, ByColumn, ByPlace, ByUnknown, Division
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice with bounds that can be compared: constants, or marks of what they are.

    `window` is the place of one that slides over neighbouring rows: `values[i - 10 : i]`.
    """

    low: Hashable = None
    high: Hashable = None
    step: bool = False
    window: CodeSite | None = None

    @property
    def all(self) -> bool:
        """Whether it takes everything."""
        return self.low is None and self.high is None and not self.step


Selector = Value | Slice


def take_rows(machine: Machine, data: Data, key: Selector) -> Data:
    """Return the rows of a table that a mask, slice, or positions choose."""
    if isinstance(key, Slice):
        if key.all:
            return data
        part = _cut(machine, data.rows, key)
        if part is not None:
            return replace(data, rows=part, mask=None)
        step = Division(ByPlace(), ("range", key.low, key.high))
        if key.step:
            step = Division(("stride", key.low, key.high), ("is", machine.token(key)), "chosen")
        cut = tabular.part(data, step)
        if key.window is None or data.pred is not None:
            return cut
        return tabular.with_deps(cut, (Dep("time", cut.rows, "window", key.window),))
    key = machine.get(key)
    if isinstance(key, Index):
        taken = replace(data, rows=indexed(data.rows, key), mask=None)
        if key.again is None:
            return taken
        return tabular.with_deps(taken, (replace(key.again, rows=taken.rows),))
    if isinstance(key, Const):
        if data.judged or data.scores:
            return data
        step = Division("position", ("is", key.value))
        return tabular.part(data, step, "any")
    mask = mask_of(machine, key)
    marked = _marked(machine, data, mask)
    if marked is not None:
        return replace(data, rows=marked, mask=None)
    if mask is None:
        step = Division(ByUnknown(machine.token(key)), ("is", True))
    else:
        drawn: sets.Kind = "round" if machine.loops else "random"
        step = Division(mask.key, mask.part, drawn if mask.random else "chosen")
    return tabular.part(data, step)


def _marked(machine: Machine, data: Data, mask: Mask | None) -> sets.Rows | None:
    """Return the rows of joined tables that a column says are from one of them."""
    if mask is None or len(data.rows) < 2 or not isinstance(mask.key, ByColumn):
        return None
    if mask.key.compared is not None or not isinstance(mask.key.origin, tuple):
        return None
    known = machine.notes.markers.get(str(mask.key.origin[-1]), {})
    values = {atom: _mark(known, atom) for atom in data.rows}
    if None in values.values() or len(set(values.values())) < 2:
        return None
    wanted, is_it = mask.part, True
    if wanted[0] == "not" and isinstance(wanted[1], tuple):
        wanted, is_it = wanted[1], False
    if wanted[0] != "is":
        return None
    chosen = frozenset(
        a for a, v in values.items() if v is not None and (v[0] == wanted[1]) is is_it
    )
    return chosen or None


def _mark(known: Mapping[Atom, object], atom: Atom) -> tuple[object] | None:
    for length in range(len(atom.steps), -1, -1):
        start = Atom(atom.source, atom.steps[:length])
        if start in known:
            return (known[start],)
    return None


def _cut(machine: Machine, rows: sets.Rows, key: Slice) -> sets.Rows | None:
    """Return one of two tables that were joined, cut at its length: `both[: len(train)]`."""
    bound = key.high if key.low is None else key.low
    if len(rows) < 2 or key.step or not (key.low is None or key.high is None):
        return None
    for atom in rows:
        table = frozenset((atom,))
        if bound == AnyValue(machine.token(AnyValue(Length(machine.token(table))))):
            return table if key.low is None else rows - table
    return None


def indexed(rows: sets.Rows, index: Index) -> sets.Rows:
    """Return the rows at some positions, or with some labels."""
    if index.rows is not None:
        same = sets.sources(rows) & sets.sources(index.rows)
        if same:
            rows = frozenset(atom for atom in index.rows if atom.source in same)
        else:
            # other tables side by side: divided in the same way
            for atom in sorted(index.rows, key=repr)[:1]:
                for step in atom.steps:
                    rows = sets.divide(rows, step)
    for step in index.steps:
        rows = sets.divide(rows, step)
    return rows


def mask_of(machine: Machine, value: Value) -> Mask | None:
    """Return which rows are chosen by a value that is used as a mask."""
    if isinstance(value, Data):
        return value.mask or Mask(ByUnknown(machine.token(value)), ("is", True), value.random)
    return None


def bound(machine: Machine, value: Value) -> Hashable:
    """Return a bound of a slice: a constant, or a mark of what it is."""
    return value.value if isinstance(value, Const) else AnyValue(machine.token(value))
