"""What an assignment changes: names, columns, attributes, items."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import scores, subscripts, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    CodeSite,
    Columns,
    Const,
    Data,
    Dictionary,
    Instance,
    Locator,
    Mask,
    Names,
    Ref,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import RoundItem, RoundPart
from pytest_nbsafe.absint.leakage.memory import join, joined
from pytest_nbsafe.absint.leakage.rows import ByUnknown, Division
from pytest_nbsafe.values import replace


def store(machine: Machine, target: ast.expr, value: Value) -> None:
    """Bind a target to a value: a name, several, a column, an attribute."""
    if isinstance(target, ast.Name):
        if target.id in _GROUPS:
            machine.mark_groups_of(machine.get(value))
        machine.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        target = _without_star(machine, target, value)
        for part, item in zip(target.elts, _unpacked(machine, target, value), strict=True):
            machine.store(part, machine.box(item))
    elif isinstance(target, ast.Starred):
        machine.store(target.value, value)
    elif isinstance(target, ast.Attribute):
        _store_attribute(machine, target, value)
    elif isinstance(target, ast.Subscript):
        _store_item(machine, target, value)


_GROUPS = frozenset({"groups", "group_ids", "group_labels"})
"""What the groups of rows are called by those who mean to keep them together."""


def remember(machine: Machine, node: ast.Assign, value: Value) -> None:
    """Remember where rows come from, and where a part of them is first given a name."""
    target, state = node.targets[0], machine.get(value)
    if isinstance(state, Seq) and isinstance(target, ast.Tuple) and state.each is None:
        several = isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts)
        for place, (part, item) in enumerate(zip(target.elts, state.items, strict=False)):
            expression = node.value.elts[place] if several else node.value  # type: ignore[attr-defined]
            _remember_rows(machine, expression, machine.get(item), part)
    else:
        _remember_rows(machine, node.value, state, target)


def _remember_rows(machine: Machine, expression: ast.expr, state: Value, target: ast.expr) -> None:
    for atom in state.rows if isinstance(state, Data) else ():
        key = (atom.steps[-1].key, atom.steps[-1].part) if atom.steps else atom.source
        if key not in machine.notes.places:
            machine.notes.places[key] = machine.site(expression), _spelt(target)


def _spelt(target: ast.expr) -> str:
    if isinstance(target, ast.Tuple) and target.elts:
        return _spelt(target.elts[0])
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}"
    return target.id if isinstance(target, ast.Name) else ""


def _without_star(
    machine: Machine, target: ast.Tuple | ast.List, value: Value
) -> ast.Tuple | ast.List:
    """Bind what a star in a target takes, and return the target without it."""
    stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    state = machine.get(value)
    if not stars or not isinstance(state, Seq) or state.each is not None:
        return target
    start, after = stars[0], len(target.elts) - stars[0] - 1
    end = len(state.items) - after
    machine.store(target.elts[start], machine.box(Seq(state.items[start:end])))
    kept = [*target.elts[:start], *target.elts[start + 1 :]]
    for part, item in zip(kept, (*state.items[:start], *state.items[end:]), strict=False):
        machine.store(part, machine.box(item))
    return ast.Tuple([])


def _unpacked(machine: Machine, target: ast.Tuple | ast.List, value: Value) -> Sequence[Value]:
    state, count = machine.get(value), len(target.elts)
    if isinstance(state, Seq) and state.each is None:
        if len(state.items) == count:
            return state.items
        state = joined(machine.get(item) for item in state.items) or AnyValue()
        return [state] * count
    if isinstance(state, Seq) and state.each is not None:
        if isinstance(machine.get(state.each), Data):  # two of them need not be the same rows
            return [subscripts.subscript(machine, state, Const(i)) for i in range(count)]
        return [state.each] * count
    if isinstance(state, Data):
        if any(isinstance(part, ast.Tuple | ast.List) for part in target.elts):
            # `(x_train, y_train), (x_test, y_test) = mnist.load_data()`
            title = "load"
        elif state.vague:  # an unknown function may have split them
            title = "parts"
        else:
            return [state] * count
        key = (title, machine.token(state.rows))
        steps = [Division(key, ("is", i)) for i in range(count)]
        return [replace(state, rows=sets.divide(state.rows, step)) for step in steps]
    in_loop = isinstance(state, AnyValue) and isinstance(state.key, RoundItem | RoundPart)
    whole = machine.token(state)
    return [AnyValue(RoundPart(i, whole) if in_loop else ("part", i, whole)) for i in range(count)]


def _store_attribute(machine: Machine, target: ast.Attribute, value: Value) -> None:
    owner = machine.evaluate(target.value)
    state, column = machine.get(owner), machine.get(value)
    if isinstance(state, Instance):
        attributes = dict(state.attributes) | {target.attr: value}
        machine.put(owner, replace(state, attributes=tuple(attributes.items())))
    elif isinstance(state, Data) and target.attr == "columns":
        flat = replace(
            state,
            deps=state.mixed_deps(),
            named=(),
            columns=Columns(but=True),
            base=("renamed", machine.fresh(target)),
        )
        machine.put(owner, flat)
    elif isinstance(state, Data) and isinstance(column, Data) and target.attr == "index":
        machine.put(owner, tabular.with_deps(state, (d for d in column.all_deps() if d.is_time)))
    elif isinstance(state, Data) and isinstance(column, Data):
        site = machine.site(target)
        machine.put(owner, tabular.with_column(state, target.attr, column, site=site))


def _store_item(machine: Machine, target: ast.Subscript, value: Value) -> None:
    owner = machine.evaluate(target.value)
    state = machine.get(owner)
    key = subscripts.keys(machine, target.slice)
    partly = False
    if isinstance(state, Locator):
        partly = isinstance(key, tuple) and not (isinstance(key[0], tabular.Slice) and key[0].all)
        key = key[1] if isinstance(key, tuple) else key
        owner, state = state.owner, machine.get(state.owner)
    chained = isinstance(target.value, ast.Subscript | ast.Attribute)
    if isinstance(state, Data) and chained and not isinstance(owner, Ref):
        _store_chained(machine, target.value, state, machine.get(value))
    elif isinstance(state, Data):
        _store_column(
            machine, owner, state, key, machine.get(value), partly=partly, site=machine.site(target)
        )
    elif isinstance(state, Dictionary):
        if isinstance(key, Const):
            items = dict(state.items) | {key.value: value}
            machine.put(owner, replace(state, items=tuple(items.items())))
        else:
            each = machine.get(value)
            machine.put(
                owner,
                replace(state, each=join(machine.get(state.each), each) if state.each else each),
            )
    elif isinstance(state, Seq):
        parts = map(machine.get, (*state.parts(), value))
        machine.put(owner, Seq((), joined(parts), state.key))
    elif isinstance(state, Names):
        machine.put(owner, Names(None, state.deps))
    elif isinstance(state, AnyValue) and isinstance(target.value, ast.Name):
        _store_part(machine, target.value.id, machine.get(value))
        if not isinstance(key, Const):
            _store_truth(machine, target, target.value.id, machine.get(value))


def _store_chained(machine: Machine, column: ast.expr, state: Data, value: Value) -> None:
    """Set some rows of a column: `df["age"][df["age"].isna()] = value`."""
    if isinstance(value, Data) and value.mixed_deps() and state.form == "series":
        machine.store(column, tabular.with_deps(state, value.mixed_deps()))


def _store_truth(machine: Machine, target: ast.Subscript, name: str, value: Value) -> None:
    """Make an array in which places are marked as true or false a mask, nobody knows of what."""
    if isinstance(value, Const) and isinstance(value.value, bool):
        mask = Mask(ByUnknown(("marked", machine.site(target))), ("is", value.value))
        machine.scope_of(name)[name] = machine.box(Data(form="array", mask=mask))


def _store_part(machine: Machine, name: str, value: Value) -> None:
    """Make an array that is filled with predictions, scores or statistics an array of these."""
    if not isinstance(value, Data):
        return
    if value.pred is not None or value.scores or (value.deps and not value.rows):
        scope = machine.scope_of(name)
        scope[name] = machine.box(replace(value, form="array" if value.pred else value.form))


def _store_column(
    machine: Machine,
    owner: Value,
    state: Data,
    key: object,
    value: Value,
    *,
    partly: bool,
    site: CodeSite,
) -> None:
    column = value if isinstance(value, Data) else Data()
    held_scores = scores.scores_in(machine, value)
    if held_scores:  # a table of results
        state = replace(state, scores=state.scores | held_scores)
    if isinstance(key, tuple):
        key = None
    plain = machine.plain(key) if isinstance(key, Ref | Seq) else key
    names = tabular.names_in(plain) if isinstance(plain, Const | Seq) else None
    if names is None and isinstance(plain, Names) and plain.columns and not plain.columns.but:
        names = tuple(plain.columns.names)
    if names is None:
        changed = replace(state, deps=state.deps | column.mixed_deps())
        if column.pred is not None and state.form in {"array", "series", "any"}:
            changed = replace(changed, rows=column.rows, pred=column.pred)
        machine.put(owner, changed)
        return
    if not state.rows and column.rows:
        state = replace(state, rows=column.rows)
    for name in names:
        part = tabular.column(column, name) if column.form == "frame" and len(names) > 1 else column
        machine.mark_rows(state, name, value)
        machine.mark_group(state.base, name, value)
        state = tabular.with_column(state, name, part, partly=partly, site=site)
    machine.put(owner, state)


def delete(machine: Machine, target: ast.Subscript) -> None:
    """Delete a column, or a name in a list of them: `del df["y"]`, `del names[-1]`."""
    owner = machine.evaluate(target.value)
    state = machine.get(owner)
    key = machine.get(machine.evaluate(target.slice))
    names = tabular.names_in(key)
    if isinstance(state, Data) and names:
        machine.put(owner, tabular.without(state, names))
    elif isinstance(state, Names):
        machine.put(owner, Names(None, state.deps))
