"""Runs of sessions in a few words, for tests without a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_nbsafe.replay.session_runs import CleanRun, SessionEvidence, SessionRun, SessionText
from pytest_nbsafe.trace.results import CellResult, Holding, Record, Value

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
) -> SessionRun:
    """A run whose one statement makes names from names (`{"b": "a k"}`)."""
    writes = {name: frozenset(parents.split()) for name, parents in made.items()}
    more.setdefault("status", "ok")
    record = Record((step, 1), text, 1, frozenset(reads), writes, {})
    return SessionRun(
        step,
        cell,
        CellResult(step, text, reads=values(reads), after=values(after), records=(record,), **more),
    )


def clean(runs: list[SessionRun], held: Held, *beside: Mapping[str, str]) -> CleanRun:
    """A clean run; `beside` are the states before the first run and after each."""
    states = beside or ({},) * (len(runs) + 1)
    return CleanRun(tuple(runs), Holding(values(held), states[-1]), states)


def bench(
    page: str,
    runs: list[SessionRun],
    now: Held,
    first: CleanRun,
    again: CleanRun | None = None,
    makes: Mapping[int, str] | None = None,
) -> SessionEvidence:
    """What the judge looks at."""
    return SessionEvidence(
        tuple(page.split()),
        tuple(runs),
        {run.cell: run for run in runs if run.cell in page.split()},
        Holding(values(now)),
        first,
        again,
        {n: SessionText(makes=frozenset(names.split())) for n, names in (makes or {}).items()},
    )
