"""A plan: which cells to run, one after another, and why each step is there."""

from __future__ import annotations

from typing import Literal

from pytest_nbsafe.analysis.model import Graph, kept
from pytest_nbsafe.notebook.model import Cell, is_skipped
from pytest_nbsafe.values import dataclass

OrderName = Literal["recorded", "inferred", "top-down", "archaeology", "base", "dependency"]


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of one cell in a plan.

    `step` counts from 1 in the plan. `count` is the recorded count this run stands for, the free
    slot it was put in when inferred (`recorded` is False then), or None. `reason` is a fragment
    of a sentence that completes "cell N runs here: ...". `probability` is how likely the cell did
    run here, in this session; None where the order does not say what happened.
    """

    step: int
    cell: int
    count: int | None
    recorded: bool
    reason: str
    session: int = 1
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """An ordered list of runs and the order that made it."""

    order: OrderName
    runs: tuple[Run, ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell numbers in the order they run."""
        return tuple(run.cell for run in self.runs)

    @property
    def sessions(self) -> int:
        """How many sessions its runs are of."""
        return max((run.session for run in self.runs), default=1)

    @property
    def last_runs(self) -> dict[int, Run]:
        """The last run of each cell, by the cell's number."""
        return {run.cell: run for run in self.runs}

    def last_run(self, cell: int) -> Run | None:
        """Return the last run of a cell: the one whose result the page shows."""
        for run in reversed(self.runs):
            if run.cell == cell:
                return run
        return None


@kept
def runnable(graph: Graph) -> tuple[Cell, ...]:
    """Return the cells that a plan may run, in page order: code, not empty, not told to skip."""
    return tuple(c for c in graph.notebook.code_cells if not is_skipped(c))
