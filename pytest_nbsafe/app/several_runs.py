"""What findings say of the runs they rest on: what each did to the world, what one cannot prove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_nbsafe.findings import Finding, Step
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.kernel.contract import OUTSIDE
from pytest_nbsafe.trace.results import PlanResult
from pytest_nbsafe.values import replace

_RESTING = ("NBS2", "NBS402", "NBS403", "NBS404")
"""Codes, and prefixes of codes, whose proof compares several runs."""
_MOST = 3
_THE_NOTEBOOK = 0


def with_effects(findings: Iterable[Finding], trial: Trial, *, copied: bool) -> tuple[Finding, ...]:
    """Return findings; those that rest on several runs say what each run did to the world.

    `copied` says whether runs beyond the page's own had a copy of the folder.
    """
    beyond = [run for run in (trial.replay, trial.second) if run is not None]
    steps = tuple(_steps(beyond, copied=copied)) if beyond else ()
    return tuple(
        replace(finding, steps=(*finding.steps, *steps)) if steps and _rests(finding) else finding
        for finding in findings
    )


def unproved(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a notebook that is run once; what is not proved says why."""
    reason = "; it stays unproved, for this notebook is run once"
    return tuple(
        replace(finding, message=f"{finding.message}{reason}")
        if finding.verdict == "suspected" and finding.code.startswith((*_RESTING, "NBS103"))
        else finding
        for finding in findings
    )


def _rests(finding: Finding) -> bool:
    return finding.verdict in {"confirmed", "observed"} and finding.code.startswith(_RESTING)


def _steps(beyond: Iterable[PlanResult], *, copied: bool) -> Iterator[Step]:
    effects = dict.fromkeys(
        (result.cell, max(incident.line, 1), incident.message)
        for run in beyond
        for result in run.results
        for incident in result.incidents
        if incident.kind == OUTSIDE
    )
    for cell, line, does in [*effects][:_MOST]:
        yield Step(cell, line, f"{does}, in every run")
    if not copied:
        yield Step(_THE_NOTEBOOK, 1, "all runs took place in its folder, which cannot be copied")
