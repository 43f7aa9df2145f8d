"""Orders that begin alike run what they share once: the rest runs from a state that was held.

A state is held as a fork of the kernel, where another order goes another way (`PlanRun`). What runs
from there runs on the side: it may do nothing that reaches outside, and is taken for the run of an
order only where all of it came to its end. Else that order runs in a kernel of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from pytest_nbsafe.judge.hidden_runs import RunAsFar
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.runner.planrun import PlanRun
from pytest_nbsafe.trace.results import PlanResult, settled

_TIMES, _LEAST_S = 4.0, 5.0
"""How many times as long as in their own run cells may compute, and how long in any case."""


def branches(plan: Plan, others: Iterable[Plan]) -> frozenset[int]:
    """Return after how many runs of a plan others go another way, where they begin alike."""
    steps = {shared(plan, other) for other in others}
    return frozenset(step for step in steps if 0 < step < len(plan.runs))


def shared(plan: Plan, other: Plan) -> int:
    """Return how many runs two plans have in common, from the first on."""
    for step, (one, two) in enumerate(zip(plan.cells, other.cells, strict=False)):
        if one != two:
            return step
    return min(len(plan.runs), len(other.runs))


def continued(runs: Iterable[PlanRun], asked: RunAsFar) -> PlanResult | None:
    """Return what a plan gives as far as a cell, from the last state that one of the runs held.

    None where no state fits, or what runs from there does not come to its end.
    """
    fitting = [(at, run) for run in runs for at in run.held if at <= shared(run.plan, asked.plan)]
    if not fitting:
        return None
    at, run = max(fitting, key=lambda each: each[0])
    end = asked.plan.last_run(asked.cell) if asked.cell is not None else None
    last = end.step if end is not None else len(asked.plan.runs)
    cells = asked.plan.cells[at:last]
    if not cells:
        return None
    began_s = time.perf_counter()
    took = {result.cell: result.cost_s for result in run.results}
    limit_s = _TIMES * sum(took.get(cell, 0.0) for cell in cells) + _LEAST_S
    came = run.aside(cells, limit_s, at=at)
    run.held.discard(at)
    results = (*run.results[:at], *came.results)
    if came.cause or len(results) < last or any(r.status != "ok" for r in results):
        return None
    costs = time.perf_counter() - began_s, came.cost_s
    return PlanResult(asked.plan, settled(results), *costs, run.python)
