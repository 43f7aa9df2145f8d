"""Runs of sessions in a few words, for tests without a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_nbsafe.trace.judge import Bench
from pytest_nbsafe.trace.model import CellResult, Record, Value
from pytest_nbsafe.trace.sessions import Clean, Holding, Passed

Held = Mapping[str, object]


def values(held: Held) -> dict[str, Value]:
    """Values by their reprs; None is one that cannot be compared, a Value is itself."""
    return {
        name: value
        if isinstance(value, Value)
        else Value("" if value is None else repr(value), "thing", identity=id(value))
        for name, value in held.items()
    }


def passed(
    step: int,
    cell: str,
    text: int,
    made: Mapping[str, str],
    reads: Held,
    after: Held,
    **more: Any,
) -> Passed:
    """A run whose one statement makes names from names (`{"b": "a k"}`)."""
    writes = {name: frozenset(parents.split()) for name, parents in made.items()}
    more.setdefault("status", "ok")
    record = Record((step, 1), text, 1, frozenset(reads), writes, {})
    return Passed(
        step,
        cell,
        CellResult(step, text, reads=values(reads), after=values(after), records=(record,), **more),
    )


def clean(runs: list[Passed], held: Held, *beside: Mapping[str, str]) -> Clean:
    """A clean run; `beside` are the states before the first run and after each."""
    states = beside or ({},) * (len(runs) + 1)
    return Clean(tuple(runs), Holding(values(held), states[-1]), states)


def bench(
    page: str,
    runs: list[Passed],
    now: Held,
    first: Clean,
    again: Clean | None = None,
    makes: Mapping[int, str] | None = None,
) -> Bench:
    """What the judge looks at."""
    return Bench(
        tuple(page.split()),
        tuple(runs),
        Holding(values(now)),
        first,
        again,
        {p.cell: p.result.cell for p in runs if p.cell in page.split()},
        {text: frozenset(names.split()) for text, names in (makes or {}).items()},
    )
