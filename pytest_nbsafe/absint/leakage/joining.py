"""Tables joined and tables parted: concat, merge, train_test_split."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage import tables
from pytest_nbsafe.absint.leakage.arguments import Arguments
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Const,
    Data,
    Dep,
    Deps,
    Index,
    Seq,
    Site,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def concat(parts: Sequence[Data], site: Site, name: str) -> Data:
    """Return tables one below the other; rows that are in two of them are duplicates now."""
    first = next((part for part in parts if not part.random), parts[0])
    having = [part for part in parts if part.rows]
    rows = sets.NONE.union(*(part.rows for part in having))
    deps = first.deps.union(*(part.all_deps() for part in parts if part is not first))
    result = replace(
        tables.with_deps(first, deps - first.deps),
        rows=rows,
        mask=None,
        pred=next((part.pred for part in parts if part.pred), None),
        scores=frozenset().union(*(part.scores for part in parts)),
        vague=any(part.vague for part in parts),
        origins=frozenset() if any(p.origins != first.origins for p in parts) else first.origins,
    )
    if len(having) < 2:
        return result
    return tables.with_deps(result, _joins(having, rows, site, name))


def _joins(parts: Sequence[Data], rows: sets.Rows, site: Site, name: str) -> Deps:
    found: set[Dep] = set()
    for place, one in enumerate(parts):
        for two in parts[place + 1 :]:
            meeting = sets.overlap(one.rows, two.rows)
            if meeting == "yes":
                common = two.rows if sets.within(two.rows, one.rows) else one.rows
                found.add(
                    Dep(
                        "resample",
                        common,
                        "concat",
                        site,
                        name,
                        certain=not (one.vague or two.vague),
                    )
                )
            elif meeting == "no":
                found.add(Dep("join", rows, "concat", site, name))
    return frozenset(found)


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


def train_test(machine: Machine, arguments: Arguments) -> Value:
    """Return the parts that `train_test_split` gives: two for each argument.

    A function of the user's own may take a number or a text too, which it does not divide.
    """
    seed = arguments.constant("random_state")
    shuffled = arguments.constant("shuffle", default=True) is not False
    sizes = tuple(machine.token(arguments.find(-1, name)) for name in ("test_size", "train_size"))
    if seed is None or isinstance(seed, Unknown):
        key: Hashable = ("split", machine.fresh(arguments.node), shuffled)
    else:
        key = ("split", seed, sizes, shuffled)
    kind: sets.Kind = "chosen" if not shuffled else "round" if machine.loops else "random"
    given = [value for value in arguments.args if not isinstance(machine.get(value), Const)]
    sides = [_side(machine, value) for value in given]
    while any(_has(value, key) for value in sides):
        key = ("again", key)  # a part that is split once more with the same seed
    parts: list[Value] = []
    for value in sides:
        for place in (0, 1):
            step = Step(key, ("is", place), kind)
            if isinstance(value, Index):
                parts.append(replace(value, steps=(*value.steps, step)))
            elif isinstance(value, Data):
                parts.append(
                    machine.box(replace(value, rows=sets.divide(value.rows, step), mask=None))
                )
            else:
                parts.append(Unknown((machine.fresh(arguments.node), len(parts))))
    whole = [value for value in sides if isinstance(value, Data)]
    first = whole[0].base if whole else None
    looked = whole[:1] if first is not None else whole  # the target knows the table it is of
    note_split(machine, arguments, key, looked, shuffled=shuffled, grouped=False)
    return Seq(tuple(parts))


def _has(value: Data | Index | None, key: Hashable) -> bool:
    """Return whether rows were divided in this way already."""
    if isinstance(value, Data):
        return any(step.key == key for atom in value.rows for step in atom.steps)
    return isinstance(value, Index) and any(step.key == key for step in value.steps)


def _side(machine: Machine, value: Value) -> Data | Index | None:
    from pytest_nbsafe.absint.leakage.select import as_data, own_rows

    found = machine.get(value)
    if isinstance(found, Index):
        return found
    data = as_data(machine, found)
    return own_rows(data) if data is not None else None


def note_split(
    machine: Machine,
    arguments: Arguments,
    key: object,
    data: Sequence[Data],
    *,
    shuffled: bool,
    grouped: bool,
) -> None:
    """Tell the judge of a division into train and test: whether of dated or of grouped rows."""
    timed = any(is_series(part) for part in data)
    groups = (_group(machine, part, arguments) for part in data)
    group = next((name for name in groups if name), None)
    name = arguments.name()
    machine.splits[key] = (
        arguments.site,
        name,
        shuffled and timed,
        None if grouped or not shuffled else group,
    )
    machine.note("split", arguments.node, key)


def note_sample(machine: Machine, arguments: Arguments, key: object, data: Data, name: str) -> None:
    """Tell the judge of rows drawn at random: a division where the others are used too."""
    group = machine.group_of(data)
    machine.splits.setdefault(key, (arguments.site, name, is_series(data), group))


def _group(machine: Machine, data: Data, arguments: Arguments) -> str | None:
    """Return the column that tells the groups of rows; among the features it is only one more."""
    name = machine.group_of(data)
    features = len(arguments.args) > 1 and data.columns is not None
    if name is not None and features and data.columns is not None and data.columns.has(name):
        return None
    return name


def is_series(data: Data) -> bool:
    """Return whether the page shows that neighbouring rows follow one another in time.

    A date that is one column among others does not show it, nor does a table sorted by it.
    """
    dated = {dep for dep in data.all_deps() if dep.kind == "time" and dep.what != "sort_values"}
    columns = [data.deps, *(column.deps for _, column in data.named)]
    return any(
        dep.what not in DATES or (data.form == "frame" and all(dep in c for c in columns if c))
        for dep in dated
    )


DATES = frozenset({"to_datetime", "date_range", "bdate_range", "period_range"})
"""What makes dates: of a column that shows nothing, of an index that rows are a series."""
