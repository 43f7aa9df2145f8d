"""What counts as proof of a suspicion: what the clean run, the plan and side runs have shown."""

from __future__ import annotations

from typing import Protocol

from pytest_nbsafe.judge.trial import Rerun, Trial
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.order.plan import Plan


class Case(Protocol):
    """A notebook, its plan, and its trial; `rules.base.Facts` is the real one."""

    @property
    def notebook(self) -> Notebook:
        """The notebook as it was saved."""

    @property
    def plan(self) -> Plan:
        """The recorded or inferred plan."""

    @property
    def trial(self) -> Trial:
        """What was seen when it ran."""


def is_proof(case: Case) -> bool:
    """Return whether a fault of the replayed order counts: a reconstructed one may be wrong.

    There it counts only while the notebook fails from top to bottom, too.
    """
    if case.plan.order == "recorded":
        return True
    return any(result.status != "ok" for result in case.trial.clean.results)


def is_reached(case: Case, cell: int) -> bool:
    """Return whether the clean run came through the cell."""
    result = case.trial.clean.last(cell)
    return result is not None and result.status == "ok"


def is_reached_twice(case: Case, cell: int) -> bool:
    """Return whether a second clean run came as far as the cell."""
    second = case.trial.second
    return second is not None and second.last(cell) is not None


def is_same_in_page_order(case: Case, cell: int, name: str) -> bool:
    """Return whether the cell's own output, or the value it read, is the same in page order."""
    own = case.trial.judgements.get(cell)
    return own is not None and (own.output == "same" or own.values.get(name) == "same")


def was_guessed(case: Case, definer: int, reader: int) -> bool:
    """Return whether the reader read, in the plan, what an inferred run of the definer made.

    Such a run has the text of today: that it gives the value of today says nothing of then.
    """
    last = case.plan.last_run(reader)
    return last is not None and any(
        run.cell == definer and not run.recorded and run.step < last.step for run in case.plan.runs
    )


def shows_old(case: Case, rerun: Rerun | None) -> bool:
    """Return whether the page shows what the plan gives, and the cell run again shows another."""
    if rerun is None or rerun.output != "differs" or not is_proof(case):
        return False
    another_picture = rerun.old == rerun.new
    return not another_picture and shows_plan(case, rerun.cell)


def shows_plan(case: Case, cell: int) -> bool:
    """Return whether a cell's saved text is what the replayed plan gives."""
    replayed = case.trial.replay.last(cell) if case.trial.replay else None
    if replayed is None:
        return False
    from pytest_nbsafe.trace.outputs.text_alone import reproduces  # needed by runs alone

    return reproduces(replayed.outputs, case.notebook.cell(cell).outputs)
