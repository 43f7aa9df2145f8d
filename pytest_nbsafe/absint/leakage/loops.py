"""What a loop runs over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.joins import joined
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Const,
    Data,
    Estimator,
    Index,
    Seq,
    Table,
    Unknown,
    Value,
)
from pytest_nbsafe.values import replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


def _has_gaps(places: Index) -> bool:
    """Return whether positions are not one after another: `range(0, n, 32)`, shuffled ones."""
    return places.order is not None or any(
        not isinstance(step.key, tuple) or step.key[0] != "slice" for step in places.steps
    )


UNROLLED = 8
"""A loop over so many known items is run once for each; any other is run twice."""


def elements(machine: Machine, iterable: Value, node: ast.AST) -> Iterator[Value]:
    """Yield what a loop runs over: each known item, or twice what stands for all."""
    value = machine.get(iterable)
    line = getattr(node, "lineno", None) or getattr(getattr(node, "target", None), "lineno", 0)
    kind = "each place" if isinstance(value, Index) and not _has_gaps(value) else "each"
    anything = Unknown((kind, machine.run, line, machine.token(value)))
    machine.rounded.add(anything.key)
    if isinstance(value, Seq) and value.each is None:
        if len(value.items) <= UNROLLED:
            yield from value.items
            return
        each = joined(machine.get(item) for item in value.items)
        each = anything if isinstance(each, Unknown | Const) or each is None else each
    elif isinstance(value, Seq):
        each = (
            value.each
            if isinstance(machine.get(value.each), Data | Seq | Table | Estimator)
            else anything
        )
    elif isinstance(value, Table):
        names = [Const(name) for name, _ in value.items]
        if names and len(names) <= UNROLLED and value.each is None:
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
                        value.rows, Step(("group", machine.run, line), ("is", anything))
                    ),
                ),
            )
        )
    if each is None:
        each = anything
    yield each
    yield each
