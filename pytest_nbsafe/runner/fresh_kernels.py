"""Cells on the side where a kernel cannot be forked: a fresh one runs as far, and answers itself.

Source: the design, 5.3. The fresh kernel is used once, for one question; so what it ran before must
be what the plan ran, value by value, else nothing follows from its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_nbsafe.kernel.contract import SLOWER
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.consistency import values_at_end
from pytest_nbsafe.trace.results import CellResult, PlanResult, compared
from pytest_nbsafe.trace.side_runs import TOO_LONG, Counterfactual

START_S = 1.5
"""About how long a kernel takes to start."""
MakeRun = Callable[[float], PlanRun]
"""Makes a plan that is run again, whose cells have so many seconds each."""


class FreshKernels:
    """Questions about the state of a plan after so many of its steps, each to a kernel of its own.

    All of them may compute for `left_s` seconds, one for `limit_s`; a question that was asked is
    not asked again. What the steps take is known from the run of the plan.
    """

    def __init__(
        self, make_run: MakeRun, ran: PlanResult, steps: int, left_s: float, limit_s: float
    ) -> None:
        self.left_s = left_s
        self._limit_s = limit_s
        self._make_run = make_run
        self._before = ran.results[:steps]
        self._told: dict[tuple[tuple[int, ...], bool], Counterfactual] = {}

    def ask(self, cells: Sequence[int], *, stir: bool = False) -> Counterfactual:
        """Return what the cells would do if they ran at that state."""
        key = (tuple(cells), stir)
        if key not in self._told:
            self._told[key] = self._asked(cells, stir=stir)
        return self._told[key]

    def _asked(self, cells: Sequence[int], *, stir: bool) -> Counterfactual:
        takes_s = cost_s(self._before)
        if takes_s > min(self._limit_s, self.left_s):
            return Counterfactual(cause=TOO_LONG)
        self.left_s -= takes_s
        run = self._make_run(self._limit_s * SLOWER)
        try:
            while len(run.results) < len(self._before):
                run.advance()
            answer = run.aside(cells, self._limit_s / 2, stir=stir, here=True)
        finally:
            run.close()
        self.left_s -= answer.cost_s
        cause = "" if answer.cause else differs(self._before, run.results, answer.results)
        return Counterfactual(cause=cause) if cause else answer


def cost_s(before: Sequence[CellResult]) -> float:
    """Return about how long a fresh kernel computes to come as far as these results."""
    return START_S + sum(result.cost_s for result in before)


def differs(
    before: Sequence[CellResult], again: Sequence[CellResult], asked: Sequence[CellResult]
) -> str:
    """Return why nothing follows from cells that were asked, empty when something does.

    They were `asked` after the runs `again`, which must have come out as those `before`: each with
    the same status, and with the same values of the names that are read.
    """
    for first, second in zip(before, again, strict=True):
        if first.status != second.status:
            return f"cell {first.cell} does not end in the same way each time"
    was, now = values_at_end(before), values_at_end(again)
    for name in sorted({name for result in asked for name in result.reads}):
        if compared(name, was, now) == "differs":
            return f"`{name}` differs each time the plan runs"
    return ""
