"""What `nbsafe replay` prints."""

from __future__ import annotations

import json

from pytest_nbsafe.replay.predictive_power import Power
from pytest_nbsafe.replay.session_runs import RecordedSession, StepAnswer
from pytest_nbsafe.reports.colour import ansi
from pytest_nbsafe.reports.replay_report import ReplayReport, as_json, as_text

REPORT = ReplayReport(
    RecordedSession("s.jsonl", ("a", "b\x1b[31m", "c"), ()),
    (
        StepAnswer(1, "a", "ok", fresh_cells=("c",)),
        StepAnswer(
            2,
            "b\x1b[31m",
            "error",
            stale_symbols=("x",),
            stale_cells=("a",),
            fresh_cells=("b\x1b[31m", "c"),
            refresher_cells=("c",),
            unrunnable_cells=("c",),
            unknown=("g",),
            causes={"x": "cell a made it"},
            judged=True,
            reason="not done after 2 s",
        ),
    ),
    {"fresh": Power(1.5, 2), "stale": Power(0.0, 1), "next": Power(None, 0)},
    ("a short session",),
)


def test_json_has_a_line_for_each_step_and_one_of_power() -> None:
    first, second, last = (json.loads(line) for line in as_json(REPORT).splitlines())
    assert list(second)[:7] == [
        "step", "cell", "status", "stale_symbols", "stale_cells", "fresh_cells", "refresher_cells",
    ]  # fmt: skip
    assert second["stale_symbols"] == ["x"]
    assert second["new_fresh_cells"] == ["b\x1b[31m"]
    assert second["new_refresher_cells"] == ["c"]
    assert second["causes"] == {"x": "cell a made it"}
    assert (first["judged"], second["judged"]) == (False, True)
    assert last["predictive_power"]["fresh"] == {"mean": 1.5, "measured": 2}
    assert last["predictive_power"]["next"] == {"mean": None, "measured": 0}
    assert last["notes"] == ["a short session"]
    assert "step" not in last


def test_text_tells_the_end_in_full() -> None:
    assert as_text(REPORT).splitlines() == [
        "s.jsonl: 2 steps, 3 cells",
        "",
        "step   1  a         ok  fresh c",
        "step   2  b         error  stale x  in cells a  fresh b, c  (not done after 2 s)",
        "",
        "In the end (judged by a clean run)",
        "  `x` is stale: cell a made it",
        "  Stale cells: a",
        "  Fresh cells (their result is old; running them again corrects it): b, c",
        "  Refreshers (they make a stale name again): c",
        "  Cannot run (a name that they read is missing): c",
        "  Not known (values that cannot be compared): g",
        "",
        "How much more often than by chance the next run was of",
        "  fresh cells         1.50  (measured 2 times)",
        "  stale cells         0.00  (measured once)",
        "",
        "Note: a short session.",
    ]


def test_text_of_a_session_without_fault() -> None:
    report = ReplayReport(
        RecordedSession("s.jsonl", ("a",), ()), (StepAnswer(1, "a", "ok"),), {}, ()
    )
    assert as_text(report).splitlines()[-2:] == [
        "In the end (by lineage alone: no clean run judged it)",
        "  Nothing is stale.",
    ]


def test_colour() -> None:
    assert "\x1b[" not in as_text(REPORT)
    assert "\x1b[" in as_text(REPORT, ansi)
