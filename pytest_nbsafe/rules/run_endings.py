"""Runs that went wrong: in the clean run, or only in the replayed plan."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.codes import Severity
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.results import CellResult, RunStatus


def ended(facts: Facts, status: RunStatus) -> Iterator[CellResult]:
    """Yield the results of the clean run that ended so."""
    if facts.trial:
        yield from (result for result in facts.trial.clean.results if result.status == status)


def ended_in_replay(facts: Facts, status: RunStatus) -> Iterator[CellResult]:
    """Yield the replayed runs that ended so, of cells that pass in page order; one a cell."""
    told: set[int] = set()
    for result in facts.trial.replay.results if facts.trial and facts.trial.replay else ():
        clean = facts.clean(result.cell)
        passes = clean is not None and clean.status == "ok"
        if result.status == status and passes and result.cell not in told:
            told.add(result.cell)
            yield result


def cut_short(facts: Facts, status: RunStatus) -> Iterator[tuple[CellResult, str, Severity | None]]:
    """Yield the runs that ended so, in which order if not in page order, and what that weighs."""
    for result in ended(facts, status):
        yield result, "", None
    for result in ended_in_replay(facts, status):
        yield result, f" in the {facts.plan.order} order; from top to bottom it passes", "warning"
