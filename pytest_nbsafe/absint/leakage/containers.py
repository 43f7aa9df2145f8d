"""Methods of lists, dicts, names of columns and positions of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import tables
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.joins import joined
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Better,
    Bound,
    Const,
    Data,
    Dep,
    Eval,
    Index,
    Mask,
    Names,
    Seq,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def list_method(machine: Machine, bound: Bound, value: Seq, arguments: Arguments) -> Value:
    """Return what a method of a list gives, and change the list."""
    name = bound.name
    if name in {"append", "add", "insert", "appendleft"} and arguments.args:
        item = arguments.args[-1]
        if machine.loops or value.each is not None or not machine.certain:
            parts = [machine.get(v) for v in (*value.items, value.each, item) if v is not None]
            key = value.key or ("list", *machine.fresh(arguments.node))
            machine.put(bound.owner, Seq((), joined(parts), key))
        else:
            machine.put(bound.owner, replace(value, items=(*value.items, machine.box(item))))
    elif name in {"extend", "update"} and arguments.args:
        other = machine.get(arguments.args[0])
        if (
            isinstance(other, Seq)
            and other.each is None
            and value.each is None
            and not machine.loops
        ):
            machine.put(bound.owner, Seq(value.items + other.items))
        else:
            parts = [machine.get(v) for v in (*value.items, value.each) if v is not None]
            key = value.key or ("list", *machine.fresh(arguments.node))
            machine.put(bound.owner, Seq((), joined([*parts, item_of(machine, other)]), key))
    elif name == "remove" and arguments.args and value.each is None:
        gone = machine.get(arguments.args[0])
        left = tuple(item for item in value.items if machine.get(item) != gone)
        machine.put(bound.owner, replace(value, items=left))
    elif name == "sort" and scores_in(machine, value):
        key = ("sorted", machine.fresh(arguments.node))
        machine.put(bound.owner, Seq((), item_of(machine, value), key))
    elif name == "index":
        note_choice(machine, value, arguments)
    elif name == "__getitem__":
        return item_of(machine, value)
    elif name == "pop":
        return value.items[-1] if value.items else value.each or arguments.unknown()
    elif name == "copy":
        return value
    return Unknown((name, machine.token(value)))


def item_of(machine: Machine, value: Value) -> Value:
    """Return what stands for any item of a list; a value that is no list as it is."""
    if isinstance(value, Seq):
        return joined(machine.get(v) for v in (*value.items, value.each) if v) or Unknown()
    return value


def dict_method(machine: Machine, bound: Bound, value: Table, arguments: Arguments) -> Value:
    """Return what a method of a dict gives, and change the dict."""
    every = [machine.get(v) for _, v in value.items]
    if bound.name == "items":
        if value.items and value.each is None:
            return Seq(tuple(Seq((Const(k), v)) for k, v in value.items))
        return Seq(
            (),
            Seq((Unknown(("key", machine.token(value))), value.each or joined(every) or Unknown())),
        )
    if bound.name == "values":
        return Seq(tuple(v for _, v in value.items)) if value.each is None else Seq((), value.each)
    if bound.name == "keys":
        return Seq(tuple(Const(k) for k, _ in value.items)) if value.each is None else Unknown()
    if bound.name in {"get", "pop", "setdefault"}:
        key = arguments.get(0)
        if isinstance(key, Const):
            return dict(value.items).get(key.value) or value.each or arguments.unknown()
        return value.each or joined(every) or arguments.unknown()
    if bound.name == "update" and arguments.args:
        other = arguments.get(0)
        if isinstance(other, Table):
            items = dict(value.items) | dict(other.items)
            machine.put(bound.owner, Table(tuple(items.items()), other.each or value.each))
    if bound.name == "copy":
        return value
    return Unknown((bound.name, machine.token(value)))


def names_method(machine: Machine, bound: Bound, value: Names, arguments: Arguments) -> Value:
    """Return what a method of `df.columns`, or of a list of it, gives."""
    if bound.name in _CHANGING:
        machine.put(bound.owner, _names_changed(bound.name, value, arguments))
        return Const(None) if bound.name != "pop" else arguments.unknown()
    if bound.name in {"tolist", "to_list", "copy", "sort_values"}:
        return value
    if bound.name in {"drop", "difference"}:
        gone = tables.names_in(arguments.plain(0))
        return names_without(value, gone) if gone is not None else Names(None, value.deps)
    return Names(None, value.deps)


_CHANGING = frozenset(
    {"remove", "discard", "difference_update", "pop", "append", "add", "extend", "update", "insert",
     "clear"}
)  # fmt: skip
"""Methods by which a list or set of names gets others."""


def _names_changed(what: str, names: Names, arguments: Arguments) -> Names:
    """Return names to which others came, or from which some were taken."""
    given = arguments.plain(len(arguments.args) - 1) if arguments.args else Unknown()
    said = tables.names_in(given)
    if what in {"remove", "discard", "difference_update"} and said is not None:
        if names.columns is not None:
            return names_without(names, said)
        return replace(names, tests=(*names.tests, *(("is", name, False) for name in said)))
    if what in {"append", "add", "extend", "update", "insert"} and said is not None:
        if names.columns is None:
            return replace(names, tests=(), whole=False)
        held = names.columns
        more = held.names - {*said} if held.but else held.names | {*said}
        return replace(names, columns=replace(held, names=more))
    chosen = given.all_deps() if isinstance(given, Data) else frozenset()
    return Names(None, names.deps | frozenset(d for d in chosen if d.kind == "selection"))


def names_without(names: Names, gone: tuple[str, ...]) -> Names:
    """Return names of columns without some."""
    if names.columns is None:
        return names
    return replace(names, columns=tables.less(names.columns, gone))


def index_method(machine: Machine, bound: Bound, value: Index, arguments: Arguments) -> Value:
    """Return what a method of positions or labels of rows gives."""
    if bound.name in {"tolist", "to_list", "copy", "astype", "to_numpy", "to_series", "unique"}:
        return value
    if bound.name in {"isin", "difference"}:
        other = arguments.get(0)
        if bound.name == "difference" and isinstance(other, Index):
            return index_without(value, other)
        mask = index_mask(machine, value, other) if isinstance(other, Index) else None
        if bound.name == "isin":
            mask = mask or Mask(("isin", machine.token(other)), ("is", True))
            return Data(value.rows or sets.NONE, mask=mask)
    if bound.name == "repeat" and value.rows:
        return again(value, arguments)
    if value.order is None and bound.name == "permutation":
        return replace(value, order=machine.fresh(arguments.node))
    return arguments.unknown()


def again(value: Index, arguments: Arguments) -> Index:
    """Return positions of which some come more than once."""
    rows = value.rows or sets.NONE
    return replace(value, again=Dep("resample", rows, "repeat", arguments.site))


def index_mask(machine: Machine, whole: Index, part: Index) -> Mask | None:
    """Return the mask of the positions that are among others."""
    extra: tuple[Step, ...] = part.steps
    if not extra and part.rows is not None and whole.rows is not None:
        for atom in part.rows:
            for outer in whole.rows:
                if atom.source == outer.source and len(atom.steps) > len(outer.steps):
                    extra = atom.steps[len(outer.steps) :]
    del machine
    if not extra:
        return None
    return Mask(extra[0].key, extra[0].part, extra[0].kind == "random")


def index_without(whole: Index, part: Index) -> Value:
    """Return the positions that are not among others."""
    if whole.rows is not None and part.rows is not None:
        rows = sets.complement(whole.rows, part.rows)
        return Index((), rows) if rows is not None else Unknown()
    extra = part.steps[len(whole.steps) :]
    if not extra:
        return Unknown()
    step = replace(extra[0], part=sets.opposite(extra[0].part))
    return replace(whole, steps=(*whole.steps, step))


def note_choice(machine: Machine, value: Value, arguments: Arguments, wanted: Better = "") -> None:
    """Tell the judge of a choice by scores: `max(scores)`; the worst of them is no choice."""
    found = frozenset(s for s in scores_in(machine, value) if _is_wanted(s, wanted))
    if found:
        machine.note("choice", arguments.node, found)


def _is_wanted(score: Eval, wanted: Better) -> bool:
    return not wanted or score.better in {"", wanted}


PICKS: Mapping[str, Better] = {
    "max": "more", "amax": "more", "nanmax": "more", "argmax": "more", "nanargmax": "more",
    "idxmax": "more", "nlargest": "more", "min": "less", "amin": "less", "nanmin": "less",
    "argmin": "less", "nanargmin": "less", "idxmin": "less", "nsmallest": "less",
}  # fmt: skip
"""Functions that pick the best of some scores, and which they take for the best."""


def turned(scores: frozenset[Eval]) -> frozenset[Eval]:
    """Return scores with their sign turned: the least of them is the best now."""
    return frozenset(replace(s, better=_TURNED[s.better]) for s in scores)


_TURNED: Mapping[str, Better] = {"": "", "more": "less", "less": "more"}


def scores_in(machine: Machine, value: Value, depth: int = 0) -> frozenset[Eval]:
    """Return the scores that a value holds."""
    value = machine.get(value)
    if isinstance(value, Data):
        return frozenset(value.scores)
    parts: tuple[Value | None, ...] = ()
    if isinstance(value, Seq):
        parts = (*value.items, value.each)
    elif isinstance(value, Table):
        parts = (*(v for _, v in value.items), value.each)
    found: frozenset[Eval] = frozenset()
    for part in parts if depth < 4 else ():
        if part is not None:
            found |= scores_in(machine, part, depth + 1)
    return found
