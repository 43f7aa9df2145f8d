"""What follows from the runs of a trial: what is run next, what is settled, and the verdict.

Until the verdict a trial holds all suspicions that lineage has, and no judgements.
"""

from __future__ import annotations

from collections.abc import Collection

from pytest_nbsafe.analysis.dependencies import downstream, page_edges
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import verdicts
from pytest_nbsafe.judge.outside_influences import influences
from pytest_nbsafe.judge.trial import Judgement, Trial
from pytest_nbsafe.trace.consistency import Consistency, consistency
from pytest_nbsafe.values import replace


def judgements(graph: Graph, trial: Trial, suspected: Collection[int]) -> dict[int, Judgement]:
    """Return what the clean run says of each cell."""
    runs = trial.clean, trial.replay, trial.second
    return verdicts.judge(graph.notebook, suspected, *runs, influences(graph))


def second_run(graph: Graph, trial: Trial) -> int | None:
    """Return the last cell that a second clean run must reach, None when none is needed.

    It is the last that differs of those suspected, inconsistent, without a count, or made from
    one of these or of those that read a name from below.
    """
    lost = {cell.number for cell in graph.notebook.code_cells if cell.count is None}
    lost.update(read.cell for read in trial.suspicions.from_below)
    states = _consistency(trial)
    inconsistent = {cell for cell, state in states.items() if state.state == "inconsistent"}
    suspected = trial.suspicions.cells | inconsistent | lost
    suspected |= {*downstream(page_edges(graph), *lost)}
    judged = judgements(graph, trial, suspected)
    return max((cell for cell in suspected & judged.keys() if judged[cell].differs), default=None)


def settled(graph: Graph, trial: Trial) -> frozenset[int]:
    """Return the cells that the clean run gives nothing else than the plan."""
    ran = {result.cell for result in trial.clean.results if result.status == "ok"}
    return frozenset(
        cell
        for cell, judgement in judgements(graph, trial, trial.suspicions.cells).items()
        if cell in ran
        and judgement.output in {"same", "nothing-to-compare"}
        and {*judgement.values.values(), *judgement.made.values()} <= {"same"}
    )


def verdict(graph: Graph, trial: Trial) -> Trial:
    """Return the trial judged, with those suspicions that no cell on their way refutes."""
    judged = judgements(graph, trial, trial.suspicions.cells)
    standing = verdicts.standing(trial.suspicions, judged, graph)
    return replace(trial, suspicions=standing, judgements=judged, consistency=_consistency(trial))


def _consistency(trial: Trial) -> dict[int, Consistency]:
    return consistency(trial.replay.results) if trial.replay else {}
