"""What a loop runs over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    AnyValue,
    Const,
    Data,
    Dictionary,
    Estimator,
    Index,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.lattice import joined
from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.marks import RoundItem
from pytest_nbsafe.absint.leakage.rows import ByPlace, Division, EachGroup
from pytest_nbsafe.values import replace


def _has_gaps(places: Index) -> bool:
    """Return whether positions are not one after another: `range(0, n, 32)`, shuffled ones."""
    return places.order is not None or any(
        not isinstance(step.key, ByPlace) for step in places.steps
    )


def elements(machine: Machine, iterable: Value, node: ast.AST) -> Iterator[Value]:
    """Yield what a loop runs over: each known item, or twice what stands for all."""
    value = machine.get(iterable)
    line = getattr(node, "lineno", None) or getattr(getattr(node, "target", None), "lineno", 0)
    consecutive = isinstance(value, Index) and not _has_gaps(value)
    anything = AnyValue(RoundItem(machine.run, line, machine.token(value), consecutive))
    if isinstance(value, Seq) and value.each is None:
        if len(value.items) <= machine.limits.unrolled:
            yield from value.items
            return
        each = joined(machine.get(item) for item in value.items)
        each = anything if isinstance(each, AnyValue | Const) or each is None else each
    elif isinstance(value, Seq):
        each = (
            value.each
            if isinstance(machine.get(value.each), Data | Seq | Dictionary | Estimator)
            else anything
        )
    elif isinstance(value, Dictionary):
        names = [Const(name) for name, _ in value.items]
        if names and len(names) <= machine.limits.unrolled and value.each is None:
            yield from names
            return
        each = anything
    else:
        each = anything
    if isinstance(value, Data) and value.form in {"series", "array", "any"} and not value.scores:
        each = replace(value, form="any")
    if isinstance(value, Data) and value.form == "group":
        each = Seq(
            (
                anything,
                replace(
                    value,
                    form="frame",
                    rows=sets.divide(
                        value.rows, Division(EachGroup(machine.run, line), ("is", anything))
                    ),
                ),
            )
        )
    if each is None:
        each = anything
    yield each
    yield each
