"""Columns and arithmetic of tables: what becomes of rows and of what they depend on."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    CodeSite,
    Column,
    Columns,
    Const,
    Data,
    Dep,
    Deps,
    Form,
    Index,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import replace


def column(data: Data, name: str) -> Data:
    """Return one column of a table."""
    own_column = dict(data.named).get(name)
    origins: frozenset[Hashable] = frozenset()
    if data.base is not None and (data.columns is None or data.columns.has(name)):
        origins = frozenset(((data.base, name),))
    if own_column is None:
        own_column = Column(data.deps, origins)
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
        vague=data.vague,
        random=data.random,
        scores=data.scores,
        ranked=data.ranked,
    )


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
    """Return a table without some of its columns."""
    gone = frozenset(names)
    columns = less(data.columns, gone) if data.columns is not None else None
    named = tuple((k, c) for k, c in data.named if k not in gone)
    return replace(data, columns=columns, named=named)


def chosen_by(data: Data, names: Names) -> Data:
    """Return the columns that other names choose: all but some, or nobody knows which."""
    result = data
    if names.columns is not None and names.columns.but:
        result = without(data, names.columns.names)
    elif names.columns is not None:
        result = chosen(data, names.columns.names)
    else:
        # which of the columns made on the page are among them is not known, but by the tests
        named = tuple((k, c) for k, c in data.named if _passes(k, names))
        if not names.whole:
            named = tuple((k, replace(c, deps=_sure(c.deps))) for k, c in named)
        result = replace(data, columns=None, base=None, named=named)
    if names.some:
        result = replace(result, base=None, columns=None)
    return replace(result, form="frame", deps=result.deps | names.deps)


def _passes(name: str, names: Names) -> bool:
    return all(_TESTS[kind](name, text) is wanted for kind, text, wanted in names.tests)


def _matches(name: str, pattern: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # the user's own, which would raise in the notebook too
        return True


_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "startswith": str.startswith,
    "endswith": str.endswith,
    "in": lambda name, text: text in name,
    "is": lambda name, text: text == name,
    "matches": _matches,
}
"""What a name of a column may be asked, and how the answer is found."""


def _sure(deps: Deps) -> Deps:
    return frozenset(replace(d, certain=False) for d in deps if d.kind not in {"ahead", "target"})


def with_column(
    data: Data, name: str, value: Data, *, partly: bool = False, site: CodeSite | None = None
) -> Data:
    """Return a table in which a column was set, or a part of its rows."""
    deps = value.all_deps()
    origins, uses = value.origins, value.uses
    if partly:
        before = column(data, name)
        deps, origins, uses = deps | before.deps, before.origins, uses | before.uses
    columns = data.columns or Columns(but=False)
    names = columns.names - {name} if columns.but else columns.names | {name}
    columns = replace(columns, names=names)
    own = origins or frozenset((("made", data.base, name),))
    new_column = Column(deps, own, uses, value.pred, site)
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
    deps = NO_DEPS.union(*(v.all_deps() for v in tables if v is not first))
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
