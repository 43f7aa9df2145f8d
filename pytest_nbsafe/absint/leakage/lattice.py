"""Where paths meet: what is known of a value that was made on one path or another."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    AnyValue,
    Column,
    Columns,
    Const,
    Data,
    Deps,
    Estimator,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.values import replace


def join(one: Value | None, two: Value | None) -> Value:
    """Return what holds for both values; what holds for one of them alone is no longer certain."""
    if one == two and one is not None:
        return one
    if one is None or (isinstance(one, AnyValue | Const) and not isinstance(two, AnyValue | Const)):
        return doubted(two)
    if two is None or (isinstance(two, AnyValue | Const) and not isinstance(one, AnyValue | Const)):
        return doubted(one)
    if isinstance(one, Data) and isinstance(two, Data):
        return _data(one, two)
    if isinstance(one, Estimator) and isinstance(two, Estimator):
        kept = two if two.fit is not None else one
        return doubted(kept)
    if isinstance(one, Seq) and isinstance(two, Seq):
        return _seq(one, two)
    if isinstance(one, Names) and isinstance(two, Names):
        return _names(one, two)
    if isinstance(one, AnyValue | Const):
        return AnyValue(("join", one, two))
    return two


def _names(one: Names, two: Names) -> Names:
    """Return the names that are in both."""
    deps, a, b = either(one.deps, two.deps), one.columns, two.columns
    if a is None or b is None or a.but != b.but:
        return Names(None, deps, some=one.some or two.some)
    names = a.names | b.names if a.but else a.names & b.names
    return Names(Columns(a.but, names), deps, some=one.some or two.some)


def joined(values: Iterable[Value]) -> Value | None:
    """Return what holds for all values, None when there are none."""
    found: Value | None = None
    for value in values:
        found = value if found is None else join(found, value)
    return found


def doubted(value: Value | None) -> Value:
    """Return a value of which nothing is certain any more, for it is there on some paths only."""
    if isinstance(value, Data):
        named = tuple((k, replace(c, deps=maybe(c.deps))) for k, c in value.named)
        return replace(value, deps=maybe(value.deps), named=named)
    if isinstance(value, Estimator) and value.fit is not None:
        return replace(value, fit=replace(value.fit, certain=False))
    return value if value is not None else AnyValue()


def maybe(deps: Deps) -> Deps:
    """Return the same, none of it certain."""
    return frozenset(replace(dep, certain=False) for dep in deps) if deps else NO_DEPS


def either(one: Deps, two: Deps) -> Deps:
    """Return what is depended on when one of two paths was taken."""
    if one == two:
        return one
    return (one & two) | maybe(one ^ two)


def _data(one: Data, two: Data) -> Data:
    names = dict(one.named) | dict(two.named)
    mine, yours = dict(one.named), dict(two.named)
    named = tuple((name, _column(mine.get(name), yours.get(name))) for name in names)
    return replace(
        two,
        rows=one.rows | two.rows,
        deps=either(one.deps, two.deps),
        named=named,
        base=two.base if one.base == two.base else None,
        columns=two.columns if one.columns == two.columns else None,
        origins=one.origins & two.origins,
        uses=one.uses & two.uses,
        mask=two.mask if one.mask == two.mask else None,
        pred=two.pred or one.pred,
        judged=one.judged or two.judged,
        scores=one.scores | two.scores,
        random=one.random and two.random,
        vague=one.vague or two.vague,
        form=two.form if one.form == two.form else "any",
        net=two.net or one.net,
    )


def _column(one: Column | None, two: Column | None) -> Column:
    if one is None or two is None:
        column = one or two or Column()
        return Column(maybe(column.deps))
    return Column(either(one.deps, two.deps), one.origins & two.origins, one.uses & two.uses)


def _seq(one: Seq, two: Seq) -> Seq:
    if len(one.items) == len(two.items) and one.each is None and two.each is None:
        return Seq(tuple(join(a, b) for a, b in zip(one.items, two.items, strict=True)))
    each = joined((*one.parts(), *two.parts()))
    return Seq((), each, two.key or one.key)
