"""How well sets of cells foretell which cell a user runs next: Table 2 of nbsafety, by lineage.

Sessions are those of notebooks linked to their histories, or of simulated users. Each run stands
for the text that was saved of its cell, and what a cell defines is taken to be made from all that
it reads; so what was edited in between is not seen. Runs whose code is gone from the page are left
out. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import linked_sessions
from linked_sessions import Linked
from session_simulator import simulated

from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.replay.predictive_power import Power, powers, together
from pytest_nbsafe.replay.session_runs import StepAnswer
from pytest_nbsafe.trace import cellsets, lineage

_FEWEST = 10
"""Sessions of fewer runs are left out."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--simulated", type=int, default=0, metavar="N", help="so many more users")
    given = parser.parse_args()
    records = [record for file in given.files for record in linked_sessions.load(file)]
    show([*linked_sessions.one_version(records), *simulated(given.simulated)])


def show(records: Sequence[Linked]) -> None:
    """Print the predictive power of each set of cells over all sessions of these records."""
    sessions = [session for record in records for session in _sessions(record)]
    sys.stdout.write(f"{len(sessions)} sessions of {len(records)} notebooks\n")
    for name, power in together(sessions).items():
        mean = "-" if power.mean is None else f"{power.mean:.2f}"
        sys.stdout.write(f"{name:<14}{mean:>6}  {power.measured:>6} steps\n")


def _sessions(record: Linked) -> Iterator[Mapping[str, Power]]:
    """Yield the predictive power of each set of cells in each session of a record."""
    for _, steps in groupby(record.steps, key=lambda step: step[0]):
        cells = [cell + 1 for _, _, cell in steps if cell is not None]
        if len(cells) >= _FEWEST:
            page = [str(number) for number in range(1, len(record.counts) + 1)]
            yield powers(page, list(_answers(record, cells)))


def _answers(record: Linked, cells: Sequence[int]) -> Iterator[StepAnswer]:
    """Yield what lineage says after each run of a session."""
    graph = linked_sessions.graph_of(record, flowing=True)
    runs = tuple(
        Run(step, cell, step, recorded=True, reason="") for step, cell in enumerate(cells, 1)
    )
    table = lineage.LineageTable()
    records = groupby(lineage.static_records(graph, Plan("recorded", runs)), key=lambda r: r.at[0])
    by_step = {step: list(each) for step, each in records}
    for run in runs:
        for each in by_step.get(run.step, ()):
            table.apply(each)
        sets = cellsets.cell_sets(graph, Plan("recorded", runs[: run.step]), table.now)
        yield StepAnswer(
            run.step,
            str(run.cell),
            "ok",
            stale_cells=_ids(sets.stale),
            fresh_cells=_ids(sets.fresh),
            refresher_cells=_ids(sets.refreshers),
        )


def _ids(cells: frozenset[int]) -> tuple[str, ...]:
    return tuple(str(cell) for cell in sorted(cells))


if __name__ == "__main__":
    main()
