"""Columns named before their table is: `pl.col("x")`, and what polars makes of a table by them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from pytest_nbsafe.absint.leakage import named_columns, tabular
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    Columns,
    Data,
    Dep,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.column_effects import by_names
from pytest_nbsafe.absint.leakage.rows import Atom, ByColumn
from pytest_nbsafe.values import replace

_LATER = "the table that is named later"
_ROWS = sets.source(_LATER)


def column(arguments: Arguments) -> Value:
    """Return the column, or the columns, of a table that is not known yet."""
    names: list[str] = []
    for place in range(len(arguments.args)):
        given = arguments.names(place)
        if given is None:
            return Data(_ROWS, form="series")
        names.extend(given)
    origins: frozenset[Hashable] = frozenset((_LATER, name) for name in names)
    columns = Columns(but=False, names=frozenset(names)) if names else None
    return Data(
        _ROWS, form="series", origins=origins if len(names) == 1 else frozenset(), columns=columns
    )


def is_deferred(value: Value) -> bool:
    """Return whether a value waits for its table."""
    return isinstance(value, Data) and (
        value.rows == _ROWS or any(_waits(dep.rows) for dep in value.all_deps())
    )


def bound(value: Data, table: Data, name: str) -> Data:
    """Return a value with the table that it waited for, which is called `name`."""
    names = [str(o[1]) for o in value.origins if isinstance(o, tuple) and o[0] == _LATER]
    read = NO_DEPS.union(*(tabular.column(table, n).deps for n in names)) if names else table.deps
    mask = value.mask
    if mask is not None and isinstance(mask.key, ByColumn):
        mask = replace(mask, key=replace(mask.key, origin=_named(mask.key.origin, table)))
    elif mask is not None and isinstance(mask.key, tuple):
        mask = replace(mask, key=tuple(_named(part, table) for part in mask.key))
    return replace(
        value,
        rows=_rows(value.rows, table),
        deps=frozenset(_dep(dep, table, name) for dep in value.deps) | read,
        origins=frozenset(_named(origin, table) for origin in value.origins),
        mask=mask,
        vague=value.vague or table.vague,
    )


def with_columns(call: TableCall) -> Value:
    """Return a table with columns made by expressions."""
    return _with_columns(call, call.data)[0]


def select_columns(call: TableCall) -> Value:
    """Return a table of the columns that expressions make."""
    data, kept = _with_columns(call, replace(call.data, named=()))
    return (
        tabular.chosen(data, kept) if kept is not None else named_columns.chosen_by(data, Names())
    )


def _with_columns(call: TableCall, data: Data) -> tuple[Data, set[str] | None]:
    """Return a table with more columns, and the names of these, None where one is not known."""
    kept: set[str] | None = set()
    for title, value in _given(call):
        plain = tabular.names_in(value)
        if plain is not None:
            values, titles = call.data, frozenset(plain)
        elif isinstance(value, Data):
            values = bound(value, call.data, call.name)
            known = value.columns.names if value.columns and not value.columns.but else None
            titles = frozenset((title,)) if title else known or frozenset()
        else:
            values, titles = Data(), frozenset((title,)) if title else frozenset()
        for each in sorted(titles):
            part = tabular.column(call.data, each) if plain is not None else values
            data = tabular.with_column(data, each, part, site=call.arguments.site)
        if not titles:
            data = tabular.with_deps(data, values.deps)
        kept = kept | titles if kept is not None and titles else None
    return data, kept


def chosen(call: TableCall) -> Value:
    """Return the rows of a table for which an expression holds, else columns by their names."""
    given = call.find(0, "predicate")
    if not isinstance(given, Data):
        return by_names(call)
    return tabular.take_rows(call.machine, call.data, bound(given, call.data, call.name))


def renamed(call: TableCall) -> Data:
    """Return a column under another name."""
    names = call.arguments.names(0, "name") or ()
    return replace(call.data, columns=Columns(but=False, names=frozenset(names)) if names else None)


def spread(call: TableCall) -> Data:
    """Return a statistic of groups, given to each of their rows."""
    waits = any(_waits(dep.rows) for dep in call.data.deps)
    deps = frozenset(replace(dep, grouped=True) for dep in call.data.deps)
    rows = _ROWS if waits else call.data.rows
    return replace(call.data, rows=rows, deps=deps, form="series")


def aggregated(call: TableCall) -> Value | None:
    """Return the groups' statistics that expressions make, None where there is no expression."""
    values = [value for _, value in _given(call) if is_deferred(value)]
    if not values:
        return None
    statistics = [bound(value, call.data, call.name) for value in values if isinstance(value, Data)]
    result = Data(form="frame", base=call.data.base, columns=Columns(but=True))
    for value in statistics:
        names = value.columns.names if value.columns is not None else frozenset()
        for name in sorted(names):
            result = tabular.with_column(result, name, replace(value, rows=sets.NONE))
    return tabular.with_deps(result, NO_DEPS.union(*(value.deps for value in statistics)))


def _given(call: TableCall) -> Iterable[tuple[str, Value]]:
    for argument in call.arguments.args:
        value = call.machine.get(argument)
        if isinstance(value, Seq):
            yield from (("", call.machine.get(part)) for part in value.parts())
        else:
            yield "", value
    for title, argument in call.arguments.keywords.items():
        yield title, call.machine.get(argument)


def _waits(rows: sets.Rows) -> bool:
    return any(atom.source == _LATER for atom in rows)


def _named(origin: Hashable, table: Data) -> Hashable:
    waits = isinstance(origin, tuple) and origin[0] == _LATER
    return (table.base, *origin[1:]) if waits else origin  # type: ignore[index]


def _rows(rows: sets.Rows, table: Data) -> sets.Rows:
    atoms: set[Atom] = set()
    for atom in rows:
        if atom.source == _LATER:
            atoms |= {Atom(other.source, (*other.steps, *atom.steps)) for other in table.rows}
        else:
            atoms.add(atom)
    return frozenset(atoms)


def _dep(dep: Dep, table: Data, name: str) -> Dep:
    if not _waits(dep.rows):
        return dep
    of = frozenset(_named(origin, table) for origin in dep.of)
    return replace(dep, rows=_rows(dep.rows, table), of=of, name=dep.name or name)
