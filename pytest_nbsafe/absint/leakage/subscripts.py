"""Subscripts: which rows and which columns of a table they take."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Sequence

from pytest_nbsafe.absint.leakage import named_columns, tabular
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Dep,
    Dictionary,
    Estimator,
    Index,
    Instance,
    Lib,
    Locator,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import Length, Ranked, RoundItem, RoundPart, Shape
from pytest_nbsafe.absint.leakage.memory import joined
from pytest_nbsafe.absint.leakage.rows import Atom, ByPlace, ByUnknown, Division
from pytest_nbsafe.values import replace


def subscript(
    machine: Machine, owner: Value, key: tabular.Selector | tuple[tabular.Selector, ...]
) -> Value:
    """Return what a subscript takes of a value; a tuple has rows first and columns second."""
    value = machine.get(owner)
    if isinstance(value, Locator):
        return _located(machine, value, key)
    if isinstance(value, Data):
        if isinstance(key, tuple):
            part = tabular.take_rows(machine, value, key[0])
            return _array_columns(machine, part, key[1])
        return _of_table(machine, value, key)
    if isinstance(key, tuple):
        return AnyValue()
    if isinstance(value, Index):
        return _positions(machine, value, key)
    if isinstance(value, Estimator):
        return _step(value, key)
    return _of_container(machine, value, key)


_NONE: frozenset[Dep] = frozenset()


def _of_container(machine: Machine, value: Value, key: tabular.Selector) -> Value:
    if isinstance(value, Names):
        chosen = machine.get(key) if not isinstance(key, tabular.Slice) else key
        return Names(None, value.deps | (selecting(chosen) if isinstance(chosen, Data) else _NONE))
    if isinstance(value, Dictionary):
        if isinstance(key, Const):
            item = dict(value.items).get(key.value)
            if item is None:
                item = _item(machine, value, value.each, ("is", key.value))
            return item if item is not None else AnyValue()
        every = [machine.get(v) for _, v in value.items]
        return value.each or joined(every) or AnyValue()
    if isinstance(value, Seq):
        return _of_seq(machine, value, key)
    if isinstance(value, Lib):
        return value
    mark = value.key if isinstance(value, AnyValue) else None
    if isinstance(mark, Shape) and key == Const(0):
        return AnyValue(Length(mark.of))
    return AnyValue(("item", machine.token(value), machine.token(key)))


def _step(pipeline: Estimator, key: tabular.Selector) -> Value:
    """Return a step of a pipeline by its place, or a pipeline of some of its steps."""
    if isinstance(key, Const) and isinstance(key.value, int):
        inside = -len(pipeline.steps) <= key.value < len(pipeline.steps)
        return pipeline.steps[key.value] if inside else AnyValue()
    some = _known_slice(key)
    return AnyValue() if some is None else replace(pipeline, steps=pipeline.steps[some])


def _known_slice(key: tabular.Selector) -> slice | None:
    """Return a slice of a list whose bounds are known numbers, None for any other key."""
    if not isinstance(key, tabular.Slice) or key.step == 0:
        return None
    given = key.low, key.high, key.step
    return slice(*given) if all(isinstance(n, int | None) for n in given) else None


def _of_seq(machine: Machine, value: Seq, key: tabular.Selector) -> Value:
    if isinstance(key, Const) and isinstance(key.value, int) and value.each is None:
        if -len(value.items) <= key.value < len(value.items):
            return value.items[key.value]
        return AnyValue()
    if isinstance(key, tabular.Slice):
        known = _known_slice(key)
        if known is not None and value.each is None:
            return Seq(value.items[known])
        if value.each is not None:
            some: tuple[Hashable, ...] = ("range", key.low or 0, key.high)
            some = some if not key.step else ("by", key)
            mark = value.key
            if isinstance(mark, Ranked) and not key.whole:
                mark = replace(mark, cut=True)
            return Seq((), _item(machine, value, value.each, some), mark)
        rows = as_data(machine, value)
        return tabular.take_rows(machine, rows, key) if rows is not None else value
    number = key.value if isinstance(key, Const) else None
    part: tuple[Hashable, ...] = ("by", machine.token(key))
    if isinstance(number, int) and number >= 0:
        part = ("range", number, number + 1)
    if value.each is not None:
        any_item = _item(machine, value, value.each, part)
        return any_item if isinstance(machine.get(any_item), Data | Seq | Index) else AnyValue()
    items = [machine.get(item) for item in value.items]
    fold = _any_of(items, Division(("item", machine.token(value)), part, "fold"))
    return fold or joined(items) or AnyValue()


def _any_of(items: Sequence[Value], step: Division) -> Value | None:
    """Return one of several parts of the same rows, nobody knows which; None for other items."""
    places = [item for item in items if isinstance(item, Index)]
    if places and len(places) == len(items):
        return replace(places[0], steps=(*_shared([i.steps for i in places]), step))
    parts = [item for item in items if isinstance(item, Data) and item.rows]
    if len(parts) != len(items) or any(item.pred or item.scores for item in parts):
        return None
    rows: set[Atom] = set()
    for source in sets.sources(parts[0].rows):
        atoms = [atom for item in parts for atom in item.rows if atom.source == source]
        start = _shared([atom.steps for atom in atoms])
        if len(atoms) != len(parts) or any(len(atom.steps) != len(start) + 1 for atom in atoms):
            return None
        rows.add(Atom(source, (*start, step)))
    if any(len(item.rows) != len(rows) for item in parts):
        return None
    return replace(parts[0], rows=frozenset(rows))


def _shared(several: Sequence[tuple[Division, ...]]) -> tuple[Division, ...]:
    """Return the steps that all start with."""
    first, length = several[0], 0
    while length < len(first) and all(
        steps[: length + 1] == first[: length + 1] for steps in several
    ):
        length += 1
    return first[:length]


def _item(
    machine: Machine, whole: Seq | Dictionary, each: Value | None, part: tuple[Hashable, ...]
) -> Value:
    """Return one item of a list or dict of which only is known what any of them is like.

    Two of them need not be the same rows.
    """
    data = machine.get(each)
    if isinstance(data, Data) and data.rows and not data.scores and data.pred is None:
        step = Division(("item", machine.token(whole)), part)
        return tabular.part(data, step)
    return each if each is not None else AnyValue()


def as_data(machine: Machine, value: Value) -> Data | None:
    """Return a value as rows: lists of texts or numbers are rows of a source of their own."""
    value = machine.get(value)
    if isinstance(value, Data):
        return value
    if isinstance(value, Index):
        return Data(value.rows) if value.rows else None
    if isinstance(value, Instance):  # a data set of torch: what it holds of each row
        held = [machine.get(each) for _, each in value.attributes]
        parts = [each for each in held if isinstance(each, Data) and each.rows]
        return tabular.mix(parts) if parts else None
    if isinstance(value, Seq):
        items = [machine.get(item) for item in value.parts()]
        data = [item for item in items if isinstance(item, Data)]
        if data:
            whole = joined(data)
            return whole if isinstance(whole, Data) else None
        return Data(sets.source(("list", machine.token(value))))
    if isinstance(value, AnyValue):
        rows = sets.source(("unknown", machine.token(value)))
        if isinstance(value.key, RoundItem | RoundPart):  # others in each round of a loop
            rows = sets.divide(
                rows, Division(("round", machine.token(value)), ("is", True), "round")
            )
        return Data(rows)
    return None


def batch(machine: Machine, value: Value | None) -> tuple[Value, ...]:
    """Return the items of a pair of features and labels, none where a value is nothing of it."""
    pair = machine.get(value)
    return pair.items if isinstance(pair, Seq) and pair.each is None else ()


def own_rows(data: Data) -> Data:
    """Return a table of groups with rows of its own: those of a source that nothing else is of."""
    bases = [data.base, *(o[0] for o in data.origins if isinstance(o, tuple))]
    base = next((base for base in bases if base is not None), None)
    if data.rows or base is None or data.form not in {"frame", "series"}:
        return data
    whole = sets.NONE.union(*(dep.rows for dep in data.all_deps() if dep.grouped))
    return replace(data, rows=sets.source(sets.GroupsOf(base, whole)))


def _positions(machine: Machine, index: Index, key: tabular.Selector) -> Value:
    if isinstance(key, tabular.Slice):
        if key.all:
            return index
        kind: sets.Kind = "chosen" if index.order is None else "random"
        step = Division(ByPlace(index.order), ("range", key.low, key.high), kind)
        return tabular.divided(index, step)
    value = machine.get(key)
    if isinstance(value, Index):
        return replace(index, steps=(*index.steps, *value.steps))
    mask = tabular.mask_of(machine, value)
    if mask is not None:
        step = Division(mask.key, mask.part, "random" if mask.random else "chosen")
        return tabular.divided(index, step)
    return AnyValue(("position", machine.token(index), machine.token(value)))


# -- columns ---------------------------------------------------------------------------------------


def _of_table(machine: Machine, data: Data, key: tabular.Selector) -> Value:
    if data.ranked and not data.rows and not (isinstance(key, tabular.Slice) and key.whole):
        data = replace(data, ranked=bool(data.scores))
    if isinstance(key, tabular.Slice):
        return tabular.take_rows(machine, data, key)
    key = machine.plain(key)
    names = tabular.names_in(key)
    if isinstance(key, Const) and data.form == "bunch":
        return bunch(data, str(key.value))
    if isinstance(key, Const) and names:
        column = tabular.column(data, names[0])
        return replace(column, form="group") if data.form == "group" else column
    if names and data.form in {"frame", "any", "group"}:
        return replace(tabular.chosen(data, names), form=data.form)
    if isinstance(key, Names):
        return named_columns.chosen_by(data, key)
    listed = isinstance(key, Seq) and not any(map(_tells_rows, map(machine.get, key.parts())))
    is_array = data.form == "array" or (data.form != "frame" and data.base is data.columns is None)
    if is_array and (listed or isinstance(key, AnyValue)):
        # an array: some of its rows, and nobody knows which
        step = Division(ByUnknown(machine.token(key)), ("is", True))
        return replace(data, rows=sets.divide(data.rows, step), mask=None, vague=True)
    if isinstance(key, AnyValue) and _is_truth(key):
        step = Division(ByUnknown(machine.token(key)), ("is", True))
        return tabular.part(data, step)
    if isinstance(key, AnyValue):
        # a column, or columns, by a name that is not known
        return replace(
            named_columns.chosen_by(data, Names()),
            form="any" if data.form != "group" else "group",
            mask=None,
        )
    if isinstance(key, Data) and not key.rows and key.mask is None:
        return named_columns.chosen_by(data, Names(None, selecting(key)))
    if isinstance(key, Seq) and (ranked := _of_names(machine, key)):
        return named_columns.chosen_by(data, Names(None, ranked))
    if listed:
        return named_columns.chosen_by(data, Names()) if data.form == "frame" else data
    chosen = selecting(key) if isinstance(key, Data) else _NONE
    if isinstance(key, Data) and chosen and key.mask is None:  # names of a table of importances
        return named_columns.chosen_by(data, Names(None, chosen))
    return tabular.with_deps(tabular.take_rows(machine, data, key), chosen)


_TELLS_TRUTH = frozenset(
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "In", "NotIn", "Is", "IsNot", "Invert", "Not"}
)


def _is_truth(key: AnyValue) -> bool:
    """Return whether a value that is not known is made of truth values: a mask, no name."""
    mark = key.key
    return isinstance(mark, tuple) and bool(mark) and mark[0] in _TELLS_TRUTH


def _tells_rows(item: Value) -> bool:
    """Return whether an item of a list chooses rows: a position, or a truth value of a row."""
    return isinstance(item, Index | Data)


def _of_names(machine: Machine, key: Seq) -> frozenset[Dep]:
    """Return what a list of names depends on that were chosen one by one."""
    parts = [machine.get(part) for part in key.parts()]
    names = [part.deps for part in parts if isinstance(part, Names)]
    ranks = [selecting(part) for part in parts if isinstance(part, Data) and not part.rows]
    return _NONE.union(*names, *ranks)


def bunch(data: Data, name: str) -> Data:
    """Return a part of a data set of scikit-learn: features, target, or both as a frame."""
    if name == "frame":
        return replace(data, form="frame")
    if name == "target":
        return replace(tabular.column(replace(data, form="frame"), "target"), form="series")
    if name in {"feature_names", "target_names", "DESCR", "filename"}:
        return Data(form="stat")
    return replace(tabular.without(data, ("target",)), form="any")


def selecting(key: Data) -> frozenset[Dep]:
    """Return what a choice of columns by a statistic depends on: only the target tells on rows."""
    if key.ranked and not key.rows:
        return _NONE  # all of them, in another order
    return frozenset(
        replace(dep, kind="selection")
        for dep in key.all_deps()
        if dep.kind in {"selection", "correlation"}
    )


def selecting_any(machine: Machine, values: Iterable[Value]) -> frozenset[Dep]:
    """Return what a choice by any of some values depends on."""
    known = [machine.get(value) for value in values]
    ranked = (v.key for v in known if isinstance(v, Seq) and isinstance(v.key, Ranked))
    cut = (mark.deps for mark in ranked if mark.cut)
    return _NONE.union(*(selecting(v) for v in known if isinstance(v, Data)), *cut)


def _array_columns(machine: Machine, data: Data, key: tabular.Selector) -> Data:
    if isinstance(key, tabular.Slice):
        return data if key.all else _some_columns(data, _NONE)
    value = machine.get(key)
    deps = selecting(value) if isinstance(value, Data) else _NONE
    return _some_columns(data, value.deps if isinstance(value, Names) else deps)


def _some_columns(data: Data, deps: frozenset[Dep]) -> Data:
    """Return columns of which nobody can tell the names; `deps` is what chose them."""
    kept = tabular.without_origins(data)
    return replace(kept, columns=None, base=None, form="any", deps=data.deps | deps)


def _located(
    machine: Machine,
    value: Locator,
    key: tabular.Selector | tuple[tabular.Selector, ...],
) -> Value:
    data = machine.get(value.owner)
    if not isinstance(data, Data):
        return AnyValue()
    places = key if isinstance(key, tuple) else (key,)
    if not data.rows and any(isinstance(place, Const) for place in places):
        data = replace(data, deps=tabular.asked(data.deps))
    if not isinstance(key, tuple):
        return tabular.take_rows(machine, data, key)
    part = tabular.take_rows(machine, data, key[0])
    if value.name in {"iloc", "iat"} or isinstance(key[1], tabular.Slice):
        return _array_columns(machine, part, key[1])
    second = machine.get(key[1])
    if isinstance(second, Data):
        # a mask over columns: `df.loc[:, df.isna().mean() < .5]`
        return named_columns.chosen_by(part, Names(None, selecting(second)))
    if isinstance(second, AnyValue):  # `df.loc[:, df.dtypes == float]`
        return named_columns.chosen_by(part, Names())
    return _of_table(machine, part, key[1])


def keys(machine: Machine, node: ast.expr) -> tabular.Selector | tuple[tabular.Selector, ...]:
    """Return the parts of a subscript."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        return tuple(_key(machine, item) for item in node.elts) or AnyValue()
    return _key(machine, node)


def _key(machine: Machine, node: ast.expr) -> tabular.Selector:
    if not isinstance(node, ast.Slice):
        return machine.evaluate(node)
    low, high, step = (
        tabular.bound(machine, machine.get(machine.evaluate(part))) if part is not None else None
        for part in (node.lower, node.upper, node.step)
    )
    window = machine.site(node) if _slides(machine, node) else None
    return tabular.Slice(None if low == 0 else low, high, None if step == 1 else step, window)


def _slides(machine: Machine, node: ast.Slice) -> bool:
    """Return whether a slice goes on by one row in each round of a loop: `x[i : i + 10]`."""
    pair = node.lower, node.upper
    ends = [part.left if isinstance(part, ast.BinOp) else part for part in pair]
    low, high = ends
    plain = isinstance(low, ast.Name) and isinstance(high, ast.Name) and low.id == high.id
    lengths = [part.right for part in pair if isinstance(part, ast.BinOp)]
    one_row = any(isinstance(n, ast.Constant) and n.value == 1 for n in lengths)
    if not plain or not lengths or one_row:
        return False
    value = machine.get(machine.read(low.id))  # type: ignore[union-attr]
    mark = value.key if isinstance(value, AnyValue) else None
    return isinstance(mark, RoundItem) and mark.consecutive
