"""What running a suspected cell again has shown, where the judge could not decide."""

from __future__ import annotations

from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.rules.words import cells, listed
from pytest_nbsafe.trace.model import Rerun


def is_proof(facts: Facts) -> bool:
    """Return whether a fault of the replayed order counts: a reconstructed one may be wrong.

    There it counts only while the notebook fails from top to bottom, too.
    """
    if facts.plan.order == "recorded" or facts.trial is None:
        return True
    return any(result.status != "ok" for result in facts.trial.clean.results)


def is_reached(facts: Facts, cell: int) -> bool:
    """Return whether the clean run came through the cell."""
    result = facts.clean(cell)
    return result is not None and result.status == "ok"


def was_guessed(facts: Facts, definer: int, reader: int) -> bool:
    """Return whether the reader read, in the plan, what an inferred run of the definer made.

    Such a run has the text of today: that it gives the value of today says nothing of then.
    """
    last = facts.plan.last_run(reader)
    return last is not None and any(
        run.cell == definer and not run.recorded and run.step < last.step for run in facts.plan.runs
    )


def of_read(facts: Facts, cell: int) -> Rerun | None:
    """Return the run on the side from before the cell read a stale name."""
    return facts.trial.reruns.get(cell) if facts.trial else None


def of_ending(facts: Facts, cell: int) -> Rerun | None:
    """Return the run on the side at the end of the plan."""
    return facts.trial.endings.get(cell) if facts.trial else None


def shows_old(facts: Facts, rerun: Rerun | None) -> bool:
    """Return whether the page shows what the plan gives, and the cell run again shows another."""
    if rerun is None or rerun.output != "differs" or not is_proof(facts):
        return False
    another_picture = rerun.old == rerun.new
    return not another_picture and shows_plan(facts, rerun.cell)


def shows_plan(facts: Facts, cell: int) -> bool:
    """Return whether a cell's saved text is what the replayed plan gives."""
    replayed = facts.replay(cell)
    if replayed is None:
        return False
    from pytest_nbsafe.trace.outputs import compare  # needed by runs alone

    return compare(facts.notebook.cell(cell).outputs, replayed.outputs).result == "same"


def was_seen_twice(facts: Facts, cell: int) -> bool:
    """Return whether two clean runs came through the cell."""
    second = facts.trial.second if facts.trial else None
    return second is not None and second.last(cell) is not None


def told(rerun: Rerun | None) -> str:
    """Return what differs, as the end of a message; empty when nothing is known to."""
    if rerun is None or rerun.result != "differs" or not rerun.differences:
        return ""
    return f" ({rerun.differences[0]} when refreshed)"


def steps(rerun: Rerun | None, line: int) -> tuple[Step, ...]:
    """Return what came of running the cell again as a step of a path."""
    if rerun is None or rerun.result != "differs":
        return ()
    first = f", after {cells(rerun.after)}" if rerun.after else ""
    return (Step(rerun.cell, line, f"run again on the side{first}: {listed(rerun.differences)}"),)
