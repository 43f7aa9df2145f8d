"""The rows of the contracts' tables that a run fills; none while nothing has run."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_nbsafe.contracts.database import Row
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace import lineage as lineages
from pytest_nbsafe.trace.results import PlanResult


def runs(facts: Facts) -> Iterator[Row]:
    """Yield each run of a cell."""
    for name, result in _results(facts):
        for run in result.results:
            failure = run.failure
            raised = (failure.ename, failure.evalue) if failure else ("", "")
            line = run.failing_line if failure else None
            took = run.duration_s, run.cpu_s
            yield (name, run.step, run.cell, run.status, *raised, line, run.reason, *took)


def lineage(facts: Facts) -> Iterator[Row]:
    """Yield each version of a name, once for each parent."""
    for run, result in _results(facts):
        records = (record for step in result.results for record in step.records)
        for made in lineages.replay(records).versions:
            version = run, made.name, *made.at, made.cell, made.line
            links = [made.links[parent] for parent in sorted(made.links)]
            for link in links:
                yield (*version, link.parent, link.maker, link.at[0], int(made.imported))
            if not links:
                yield (*version, None, None, None, int(made.imported))


def verdicts(facts: Facts) -> Iterator[Row]:
    """Yield what the clean run says of each cell's saved output and of each value it read."""
    judgements = facts.trial.judgements if facts.trial else {}
    for cell in sorted(judgements):
        said = judgements[cell]
        yield (cell, None, said.output, said.saved, said.clean)
        for name in sorted(said.values):
            yield (cell, name, said.values[name], "", "")


def _results(facts: Facts) -> Iterator[tuple[str, PlanResult]]:
    trial = facts.trial
    if trial is not None:
        for name, result in (
            ("replay", trial.replay),
            ("clean", trial.clean),
            ("second", trial.second),
        ):
            if result is not None:
                yield name, result
