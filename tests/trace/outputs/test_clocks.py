"""Dates near the present are clocks; others are data."""

from datetime import datetime, timezone

import pytest

from pytest_nbsafe.trace.outputs.clocks import masked

NOW = datetime(2026, 3, 5, 14, 30, 10, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("saved", "new"),
    [
        ("run on 2021-11-30", "run on 2026-03-05"),
        ("2021-11-30 09:12:44.123456 start", "2026-03-05 14:30:10.001122 start"),
        ("2021-11-30T09:12:44+00:00", "2026-03-04T23:30:10+00:00"),
        ("Tue Nov 30 09:12:44 2021", "Thu Mar  5 14:30:10 2026"),
        ("November 30, 2021", "March 5, 2026"),
        ("30/11/2021", "05/03/2026"),
        ("datetime.datetime(2021, 11, 30, 9, 12)", "datetime.datetime(2026, 3, 5, 14, 30)"),
        ("now 09:12:44", "now 14:29:59"),
        ("saved as run_20211130-091244", "saved as run_20260305-143010"),
        ("t = 1638263564.12", "t = 1772721010.55"),
    ],
)
def test_the_present_stands_for_any_time(saved: str, new: str) -> None:
    before, after = masked(saved, new, NOW)
    assert before == after
    assert masked(new, saved, NOW) == (new, saved)


@pytest.mark.parametrize(
    ("saved", "new"),
    [
        ("first sale 2019-12-24", "first sale 2019-12-25"),
        ("opens 09:00", "opens 10:00"),
        ("order 1638263564", "order 1438263564"),
    ],
)
def test_another_time_is_data(saved: str, new: str) -> None:
    assert masked(saved, new, NOW) == (saved, new)


def test_what_stands_beside_a_clock_is_compared() -> None:
    before, after = masked("2021-11-30 total 5", "2026-03-05 total 6", NOW)
    assert before != after
