"""How long the runs beyond the page's own may take: they are evidence, not the job.

Their limits follow from what the page's own run took, on this machine and under its load.
"""

from __future__ import annotations

from pytest_nbsafe.trace.results import STOPPED, PlanResult

CELL_TIMES, TOTAL_TIMES = 10.0, 2.0
"""How many times as long as in the page's own run a cell may take, and all further runs."""
CELL_S, TOTAL_S = 5.0, 10.0
"""What they may take in any case, where the machine has nothing else to do."""


class Pace:
    """The limits of the further runs of one notebook, which share one total."""

    def __init__(self, clean: PlanResult) -> None:
        took_s = sum(result.duration_s for result in clean.results)
        cost_s = sum(result.cost_s for result in clean.results)
        slowness = max(1.0, took_s / cost_s if cost_s else 1.0)
        self._cells = {result.cell: result.duration_s for result in clean.results}
        self._least_s = CELL_S * slowness
        whole_s = max(clean.duration_s, took_s)  # what is reused was quick, this time
        self._left_s = TOTAL_TIMES * whole_s + TOTAL_S * slowness

    def limit_s(self, cell: int) -> float | None:
        """Return how long a cell may take, None where the page's own run does not tell."""
        took_s = self._cells.get(cell)
        return None if took_s is None else max(CELL_TIMES * took_s, self._least_s)

    def spend(self, seconds: float) -> None:
        """Count what a step of a further run took."""
        self._left_s -= seconds

    def reason(self) -> str:
        """Why nothing more is run, empty as long as time is left."""
        if self._left_s > 0:
            return ""
        return f"further runs took {TOTAL_TIMES:g} times as long as the page's own"

    def stopped(self, cell: int) -> str:
        """Return why a cell was stopped."""
        took_s = self._cells.get(cell, 0.0)
        return f"{STOPPED} {self.limit_s(cell):.0f} s; from top to bottom it takes {took_s:.1f} s"
