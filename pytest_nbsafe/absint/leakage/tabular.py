"""Tables: their columns and arithmetic, and the rows that a mask, a slice or positions choose."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    AnyValue,
    CodeSite,
    Column,
    Columns,
    Const,
    Data,
    Dep,
    Deps,
    Form,
    Index,
    Mask,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Length
from pytest_nbsafe.absint.leakage.rows import Atom, ByColumn, ByPlace, ByUnknown, Division
from pytest_nbsafe.values import dataclass, replace


def column(data: Data, name: str) -> Data:
    """Return one column of a table."""
    own_column = dict(data.named).get(name)
    origins: frozenset[Hashable] = frozenset()
    if data.base is not None and (data.columns is None or data.columns.has(name)):
        origins = frozenset(((data.base, name),))
    if own_column is None:
        own_column = Column(data.deps, origins)
    if not data.rows:
        own_column = replace(own_column, deps=asked(own_column.deps))
    if not data.rows and origins:  # a column of `groupby("k").mean()`
        deps = (
            replace(d, of=origins) if d.is_statistic and not d.of else d for d in own_column.deps
        )
        own_column = replace(own_column, deps=frozenset(deps))
    return Data(
        data.rows,
        own_column.deps,
        "series",
        origins=own_column.origins or origins,
        uses=own_column.uses,
        pred=own_column.pred,
        judged=own_column.judged,
        vague=data.vague,
        random=data.random,
        scores=data.scores if _NO_SCORES.isdisjoint(_words(name)) else frozenset(),
        ranked=data.ranked,
        by=data.by,
    )


_NO_SCORES = frozenset(
    {"duration", "elapsed", "memory", "minutes", "runtime", "sec", "seconds", "secs", "time"}
)
"""Words in the name of a column, beside those of scores, by which no model is chosen for them."""


def asked(deps: Deps) -> Deps:
    """Return the same, where those correlations are asked for that are with one column."""
    return frozenset(replace(dep, asked=True) if dep.table is not None else dep for dep in deps)


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+", name.lower())


def chosen(data: Data, names: Iterable[str]) -> Data:
    """Return some columns of a table, by their names."""
    kept = frozenset(names)
    named = tuple((k, c) for k, c in data.named if k in kept)
    raw = kept - {name for name, _ in named}
    return replace(
        data,
        form="frame",
        columns=Columns(but=False, names=kept),
        named=named,
        deps=data.deps if raw else NO_DEPS,
    )


def without(data: Data, names: Iterable[str]) -> Data:
    """Return a table without some of its columns.

    A name that goes on from that of another column may be one of those that this was divided
    into, and tell the same: `pd.get_dummies(df).drop(columns="churn_yes")`.
    """
    gone = frozenset(names)
    columns = less(data.columns, gone) if data.columns is not None else None
    parts = tuple(gone - {k for k, _ in data.named})
    named = tuple(
        (k, Column(c.deps) if any(part.startswith(f"{k}_") for part in parts) else c)
        for k, c in data.named
        if k not in gone
    )
    return replace(data, columns=columns, named=named)


def with_column(
    data: Data, name: str, value: Data, *, partly: bool = False, site: CodeSite | None = None
) -> Data:
    """Return a table in which a column was set, or a part of its rows."""
    deps = value.all_deps()
    origins, uses = value.origins, value.uses
    if partly:
        before = column(data, name)
        deps, origins, uses = deps | before.deps, before.origins, uses | before.uses
    columns = data.columns or Columns(but=bool(data.rows))
    names = columns.names - {name} if columns.but else columns.names | {name}
    columns = replace(columns, names=names)
    own = origins or frozenset(((sets.MADE, data.base, name),))
    new_column = Column(deps, own, uses, value.pred, value.judged, site)
    named = (*((k, c) for k, c in data.named if k != name), (name, new_column))
    return replace(data, named=named, columns=columns, form="frame", vague=data.vague)


def part(data: Data, division: Division, form: Form | None = None) -> Data:
    """Return the rows of a table that one division keeps, in another form where that is given."""
    rows = sets.divide(data.rows, division)
    return replace(data, rows=rows, mask=None, form=form or data.form)


def divided(value: Data | Index, division: Division) -> Data | Index:
    """Return the part of a table, or of positions, that one division keeps."""
    if isinstance(value, Index):
        return replace(value, steps=(*value.steps, division))
    return part(value, division)


def without_origins(data: Data) -> Data:
    """Return values that are no copy of a column, nor made of columns row by row."""
    return replace(data, origins=frozenset(), uses=frozenset())


def together(data: Data) -> Data:
    """Return what was made from each group, with all groups together again."""
    return replace(data, form="any", by=frozenset()) if data.form == "group" else data


def with_deps(data: Data, deps: Iterable[Dep]) -> Data:
    """Return a table of which every column depends on more."""
    more = frozenset(deps)
    if not more:
        return data
    named = tuple((k, replace(c, deps=c.deps | more)) for k, c in data.named)
    return replace(data, deps=data.deps | more, named=named)


def mix(values: Sequence[Value]) -> Data:
    """Return what a row-wise operation on several values gives: the rows of the first table."""
    tables = [value for value in values if isinstance(value, Data)]
    having = [value for value in tables if value.rows]
    first = next((v for v in having if not v.random), having[0] if having else tables[0])
    deps = NO_DEPS.union(*(v.mixed_deps() for v in tables if v is not first))
    result = with_deps(first, deps)
    preds = [v for v in having if v.pred is not None]
    truths = [v for v in having if v.pred is None and not v.random]
    return replace(
        result,
        origins=first.origins if len(having) < 2 else frozenset(),
        uses=first.uses if len(having) < 2 else _uses(having),
        pred=preds[0].pred if preds else None,
        cv=any(v.cv for v in preds),
        judged=any(v.judged for v in tables) or bool(preds and truths),
        scores=frozenset().union(*(v.scores for v in tables)),
        vague=any(v.vague for v in tables),
        net=next((v.net for v in having if v.net is not None), None),
        mask=None,
        random=first.random and all(v.random for v in having),
    )


def _uses(values: Sequence[Data]) -> frozenset[Hashable]:
    """Return the columns that values of a row are made of, none where one is not known.

    Of a sum of the rows so far the row's own part may have been taken again.
    """
    if not all(value.origins or value.uses for value in values):
        return frozenset()
    return frozenset().union(*(value.origins | value.uses for value in values))


def names_in(value: Value) -> tuple[str, ...] | None:
    """Return the constant names in a value, None when there is anything else in it."""
    if isinstance(value, Const):
        return (value.value,) if isinstance(value.value, str) else None
    if isinstance(value, Seq) and value.each is None:
        names = [v.value for v in value.items if isinstance(v, Const) and isinstance(v.value, str)]
        return tuple(names) if len(names) == len(value.items) else None
    return None


def less(columns: Columns, gone: Iterable[str]) -> Columns:
    """Return columns without some."""
    names = frozenset(gone)
    return replace(columns, names=columns.names | names if columns.but else columns.names - names)


# -- rows that are chosen --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice with bounds and a step that can be compared: constants, or marks of what they are.

    `window` is the place of one that slides over neighbouring rows: `values[i - 10 : i]`.
    """

    low: Hashable = None
    high: Hashable = None
    step: Hashable = None
    window: CodeSite | None = None

    @property
    def all(self) -> bool:
        """Whether it takes everything."""
        return self.whole and not self.step

    @property
    def whole(self) -> bool:
        """Whether it has no bounds, so that it may turn everything round: `[::-1]`."""
        return self.low is None and self.high is None


Selector = Value | Slice


def take_rows(machine: Machine, data: Data, key: Selector) -> Data:
    """Return the rows of a table that a mask, slice, or positions choose."""
    if isinstance(key, Slice):
        return _rows_of_slice(machine, data, key)
    key = machine.get(key)
    if isinstance(key, Index):
        taken = replace(data, rows=indexed(data.rows, key), mask=None)
        if key.again is None:
            return taken
        return with_deps(taken, (replace(key.again, rows=taken.rows),))
    if isinstance(key, Const):
        if data.judged or data.scores or key.value in {None, ...}:  # `x[..., None]`: another axis
            return data
        return part(data, _one_row(key.value), "any")
    mask = mask_of(machine, key)
    marked = _marked(machine, data, mask)
    if marked is not None:
        return replace(data, rows=marked, mask=None)
    if mask is None:
        step = Division(ByUnknown(machine.token(key)), ("is", True))
    else:
        drawn: sets.Kind = "round" if machine.loops else "random"
        step = Division(mask.key, mask.part, drawn if mask.random else "chosen")
    return part(data, step)


def _one_row(place: Hashable) -> Division:
    """Return the division that keeps the row at a place, or with a label."""
    if isinstance(place, int):
        return Division(ByPlace(), ("range", place, None if place == -1 else place + 1))
    return Division(ByPlace(labels=True), ("is", place))


def _rows_of_slice(machine: Machine, data: Data, key: Slice) -> Data:
    if key.all:
        return data
    table_rows = _cut(machine, data.rows, key)
    if table_rows is not None:
        return replace(data, rows=table_rows, mask=None)
    labels = isinstance(key.low, str) or isinstance(key.high, str)
    step = Division(ByPlace(labels=labels), ("range", key.low, key.high))
    if key.step:
        step = Division(("stride", key.low, key.high), ("is", machine.token(key)), "chosen")
    cut = part(data, step)
    if key.window is None or data.pred is not None:
        return cut
    return with_deps(cut, (Dep("time", cut.rows, "window", key.window),))


def _marked(machine: Machine, data: Data, mask: Mask | None) -> sets.Rows | None:
    """Return the rows of joined tables that a column says are from one of them."""
    if mask is None or len(data.rows) < 2 or not isinstance(mask.key, ByColumn):
        return None
    if mask.key.compared is not None or not isinstance(mask.key.origin, tuple):
        return None
    name = str(mask.key.origin[-1])
    values = {atom: _mark(machine.notes.markers, name, atom) for atom in data.rows}
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


def _mark(known: Mapping[tuple[str, Atom], object], name: str, atom: Atom) -> tuple[object] | None:
    for length in range(len(atom.steps), -1, -1):
        start = Atom(atom.source, atom.steps[:length])
        if (name, start) in known:
            return (known[name, start],)
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
    if not isinstance(value, Data):
        return None
    if value.mask is None and value.form == "series" and len(value.origins) == 1:
        (origin,) = value.origins
        return Mask(ByColumn(origin), ("is", 1))  # a column of truth values itself
    return value.mask or Mask(ByUnknown(machine.token(value)), ("is", True), value.random)


def bound(machine: Machine, value: Value) -> Hashable:
    """Return a bound of a slice: a constant, or a mark of what it is."""
    return value.value if isinstance(value, Const) else AnyValue(machine.token(value))
