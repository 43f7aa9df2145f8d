"""How long further runs may take, by what the page's own run took."""

from __future__ import annotations

import pytest

from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.runner.pace import Pace
from pytest_nbsafe.trace.results import CellResult, PlanResult


def clean(*took_s: float, cpu: float = 1.0) -> PlanResult:
    """A run whose cells took so long, computing for a part of that time."""
    results = tuple(
        CellResult(n, n, "ok", duration_s=s, cpu_s=s * cpu) for n, s in enumerate(took_s, 1)
    )
    return PlanResult(Plan("top-down", ()), results, sum(took_s))


def test_ten_times_as_long_and_five_seconds_at_least() -> None:
    pace = Pace(clean(0.1, 2.0))
    assert [pace.limit_s(1), pace.limit_s(2), pace.limit_s(3)] == [5.0, 20.0, None]
    assert pace.stopped(2) == "stopped after 20 s; from top to bottom it takes 2.0 s"


def test_a_loaded_machine_has_more_time() -> None:
    assert Pace(clean(1.0, cpu=0.25)).limit_s(1) == pytest.approx(20.0)


@pytest.mark.parametrize(("spent_s", "ends"), [(29.0, False), (31.0, True)])
def test_all_further_runs_together(spent_s: float, *, ends: bool) -> None:
    pace = Pace(clean(10.0))
    pace.spend(spent_s)
    assert bool(pace.reason()) is ends


def test_a_run_that_was_reused_counts_as_long_as_it_took() -> None:
    full = clean(10.0)
    reused = PlanResult(full.plan, full.results, 0.1)
    for run in (full, reused):
        pace = Pace(run)
        pace.spend(29.0)
        assert not pace.reason()
