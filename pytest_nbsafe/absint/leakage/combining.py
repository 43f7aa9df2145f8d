"""Tables combined: rows one below the other, columns side by side."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import subscripts, tabular
from pytest_nbsafe.absint.leakage.abstract_values import (
    CodeSite,
    Data,
    Dep,
    Deps,
    Index,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.arguments import Arguments, TableCall
from pytest_nbsafe.absint.leakage.rows import Division
from pytest_nbsafe.values import replace


def concat(parts: Sequence[Data], site: CodeSite, name: str) -> Data:
    """Return tables one below the other; rows that are in two of them are duplicates now."""
    first = next((part for part in parts if not part.random), parts[0])
    having = [part for part in parts if part.rows]
    rows = sets.NONE.union(*(part.rows for part in having))
    deps = first.deps.union(*(part.all_deps() for part in parts if part is not first))
    result = replace(
        tabular.with_deps(first, deps - first.deps),
        rows=rows,
        mask=None,
        pred=next((part.pred for part in parts if part.pred), None),
        scores=frozenset().union(*(part.scores for part in parts)),
        vague=any(part.vague for part in parts),
        origins=frozenset() if any(p.origins != first.origins for p in parts) else first.origins,
    )
    if len(having) < 2:
        return result
    return tabular.with_deps(result, _joins(having, rows, site, name))


def _joins(parts: Sequence[Data], rows: sets.Rows, site: CodeSite, name: str) -> Deps:
    joins: set[Dep] = set()
    for place, upper in enumerate(parts):
        for lower in parts[place + 1 :]:
            meeting = sets.overlap(upper.rows, lower.rows)
            if meeting == "yes":
                common = lower.rows if sets.within(lower.rows, upper.rows) else upper.rows
                joins.add(
                    Dep(
                        "resample",
                        common,
                        "concat",
                        site,
                        name,
                        certain=not (upper.vague or lower.vague),
                    )
                )
            elif meeting == "no":
                joins.add(Dep("join", rows, "concat", site, name))
    return frozenset(joins)


def merge(parts: Sequence[Data]) -> Data:
    """Return tables side by side."""
    first = next((part for part in parts if part.rows and not part.random), parts[0])
    deps = first.deps
    named = dict(first.named)
    for part in parts:
        if part is not first:
            deps |= part.deps
            named.update(part.named)
    alone = all(part is first or not part.rows for part in parts)  # only statistics come to it
    return replace(
        first,
        deps=deps,
        named=tuple(named.items()),
        base=first.base if alone else None,
        columns=first.columns if alone else None,
        mask=None,
        form="frame" if first.form == "series" else first.form,
        scores=frozenset().union(*(part.scores for part in parts)),
        vague=any(part.vague for part in parts),
        origins=frozenset(),
        uses=frozenset(),
    )


# -- functions and methods -------------------------------------------------------------------------


def concatenated(arguments: Arguments) -> Value:
    """Return tables combined, one below the other or, with an axis, side by side."""
    first = _whole(arguments)
    places = (
        [arguments.machine.get(value) for value in first.parts()] if isinstance(first, Seq) else []
    )
    if places and all(isinstance(place, Index) for place in places):
        return _positions(places, arguments)
    values = _parts(arguments)
    if not values:
        return arguments.unknown()
    if arguments.constant("axis") in {1, "columns", -1}:
        return merge(values)
    return concat(values, arguments.site, arguments.name())


def _positions(places: list[Value], arguments: Arguments) -> Value:
    """Return positions one after another: which they are is known where they are all alike."""
    if all(place == places[0] for place in places):
        return places[0]
    step = Division(("joined", arguments.fresh), ("is", True), "fold")
    return Index((step,))


def merged(arguments: Arguments) -> Value:
    """Return tables side by side."""
    values = _parts(arguments)
    return merge(values) if values else arguments.unknown()


def _whole(arguments: Arguments) -> Value | None:
    return arguments.find(0, "objs", "tup", "arrays")


def _parts(arguments: Arguments) -> list[Data]:
    first = _whole(arguments)
    values: list[Value] = []
    if isinstance(first, Seq):
        values = list(first.parts())
    elif first is not None:
        values = list(arguments.args)
    tables = [subscripts.as_data(arguments.machine, value) for value in values]
    return [value for value in tables if value is not None]


def concat_to(call: TableCall) -> Value:
    """Return a table with others below it."""
    others = [value for value in call.arguments.every() if isinstance(value, Data)]
    return concat([call.data, *others], call.arguments.site, call.name)


def merge_to(call: TableCall) -> Value:
    """Return a table with others beside it."""
    every = call.arguments.every()
    others = [value for value in every if isinstance(value, Data) and value is not call.data]
    return merge([call.data, *others])
