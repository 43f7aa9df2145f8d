"""Text, JSON and transport of a report."""

import io
import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import percent
import pytest

from pytest_nbsafe.findings import Cost, Finding, NotebookReport, Outcome, Report, Resumed, Step
from pytest_nbsafe.locations import Location
from pytest_nbsafe.order.measures import Measures, OrderMeasure
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.order.readings import Reading
from pytest_nbsafe.reports import colour, escape, order_report, svg, text, transport
from pytest_nbsafe.reports import json as json_report
from pytest_nbsafe.reports.order_plot import as_svg
from pytest_nbsafe.reports.order_report import OrderReport, TextVerdict

STALE = Finding(
    code="NBS201",
    severity="error",
    verdict="confirmed",
    path="analysis.ipynb",
    location=Location(3, 1, 21, 1, 31),
    message="The saved result was made from an older version of `agg_by_col`.",
    steps=(
        Step(2, 1, "made `agg_by_col` from `custom_agg` when it ran as [2]"),
        Step(1, 1, "made `custom_agg` again as [4]"),
    ),
    remedy="run cell 2 again, then this cell, and save.",
    cell_id="c3",
    count=5,
    file_line=42,
    anchor="df_x_agg = df_x.agg(agg_by_col)",
)
UNREADABLE = Finding(
    "NBS901", "error", "proved", "broken.ipynb", Location(0), "the file is empty", file_line=1
)
LATE = replace(STALE, code="NBS103", severity="warning", verdict="suspected", steps=(), remedy="")
NOTEBOOKS = (
    NotebookReport("analysis.ipynb", 3, ("inferred", "top-down"), "failed", 1.23456),
    NotebookReport("broken.ipynb", 0, (), "failed", 0.0),
    NotebookReport("r.ipynb", 3, (), "not-analysed", 0.0, "not analysed: its language is r"),
)


def test_a_finding_in_full() -> None:
    assert text.block(STALE) == [
        "analysis.ipynb, cell 3 [5], line 1: NBS201 stale-output (confirmed)",
        "The saved result was made from an older version of `agg_by_col`.",
        "    1 | df_x_agg = df_x.agg(agg_by_col)",
        "      |                     ^^^^^^^^^^",
        "How it came about:",
        "  1. cell 2 (line 1): made `agg_by_col` from `custom_agg` when it ran as [2]",
        "  2. cell 1 (line 1): made `custom_agg` again as [4]",
        "To fix: run cell 2 again, then this cell, and save.",
    ]


def test_the_text_report() -> None:
    lines = text.render(Report((LATE, STALE, UNREADABLE), NOTEBOOKS)).split("\n")
    said = STALE.message
    assert f"analysis.ipynb:cell 3:line 1  error NBS201 stale-output (confirmed)  {said}" in lines
    assert "broken.ipynb:1  error NBS901 unreadable-notebook (proved)  the file is empty" in lines
    assert "r.ipynb: not analysed: its language is r" in lines
    assert lines[-2:] == ["2 errors, 1 warning in 3 notebooks", ""]


def test_a_notebook_with_a_fault_of_another_kind_is_not_called_clean() -> None:
    leaking = replace(NOTEBOOKS[0], verdict="clean")
    passing = replace(leaking, path="b.ipynb", status="passed")
    assert text.summary(Report((STALE,), (leaking, passing))) == (
        "1 error in 2 notebooks: 1 clean, 1 clean order"
    )
    assert text.verdicts([passing]) == ""


def test_what_is_the_same_of_several_notebooks_is_told_once() -> None:
    kernel = replace(UNREADABLE, code="NBS905", message="no kernel 'x'", file_line=None)
    findings = tuple(replace(kernel, path=f"{number}.ipynb") for number in range(22))
    lines = text.render(Report((*findings, STALE), NOTEBOOKS)).split("\n")
    assert lines[0] == "0.ipynb  error NBS905 no-such-kernel (proved)  no kernel 'x'"
    assert lines[1].startswith("The same in 1.ipynb, 2.ipynb, ")
    assert lines[1].endswith("19.ipynb and 2 more")
    assert sum("NBS905" in line for line in lines) == 1
    assert lines[-2] == "23 errors in 3 notebooks"


def test_nothing_found() -> None:
    assert text.render(Report((), NOTEBOOKS[:1])) == "no findings in 1 notebook\n"


def test_what_a_notebook_says_cannot_steer_the_terminal() -> None:
    evil = "\x1b[2J\x07 ]]>\u202e\ud800\nNBS000 forged"
    finding = replace(
        STALE, message=evil, anchor=evil, remedy=evil, path=evil, steps=(Step(1, 1, evil),)
    )
    shown = text.render(Report((finding,), (replace(NOTEBOOKS[2], note=evil, path=evil),)))
    assert not any(ord(c) < 32 and c != "\n" for c in shown)
    assert "\u202e" not in shown
    assert "\ud800" not in shown
    assert not any(line.startswith("NBS000") for line in shown.split("\n"))


def test_colour_changes_nothing_but_colour() -> None:
    report = Report((LATE, STALE, UNREADABLE), NOTEBOOKS)
    coloured = text.render(report, colour.ansi)
    assert "\x1b[1;31m" in coloured
    assert text.render(report) == escape.clean(coloured)


@pytest.mark.parametrize(
    ("environ", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_is_for_terminals(
    environ: dict[str, str],
    terminal: bool,  # noqa: FBT001
    expected: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    assert expected is colour.wanted(stream, environ)


def test_an_item_shows_what_failed_it_and_its_traceback() -> None:
    outcome = Outcome(3, "failed", "r", (LATE, STALE), "-----\nTraceback\n\x1b[31mValueError\n")
    lines = text.item(outcome, None, strict=False)
    assert lines[0] == "analysis.ipynb, cell 3 [5], line 1: NBS201 stale-output (confirmed)"
    assert not any("NBS103" in line for line in lines)
    assert lines[-3:] == ["What the cell raised:", "    Traceback", "    ValueError"]
    assert any("NBS103" in line for line in text.item(outcome, None, strict=True))


def test_an_item_without_findings_shows_its_reason() -> None:
    assert text.item(Outcome(3, "failed", "it is gone"), None, strict=False) == ["it is gone"]


def test_the_frame_of_an_item_has_lines_around() -> None:
    notebook = percent.parse("# %%\n# %%\n# %% [5]\ndf_x_agg = df_x.agg(agg_by_col)\nprint(1)\n")
    assert "    2 | print(1)" in text.block(STALE, notebook)


def test_the_json_report() -> None:
    document = json.loads(json_report.render(Report((UNREADABLE, STALE), NOTEBOOKS[:2])))
    assert list(document) == ["version", "findings", "notebooks"]
    assert document["version"] == 1
    assert document["findings"][0] == {
        "code": "NBS201",
        "name": "stale-output",
        "severity": "error",
        "verdict": "confirmed",
        "path": "analysis.ipynb",
        "cell": 3,
        "cell_id": "c3",
        "count": 5,
        "line": 1,
        "column": 21,
        "end_line": 1,
        "end_column": 31,
        "file_line": 42,
        "message": STALE.message,
        "steps": [
            {"cell": 2, "line": 1, "cause": STALE.steps[0].cause},
            {"cell": 1, "line": 1, "cause": STALE.steps[1].cause},
        ],
        "remedy": STALE.remedy,
        "fingerprint": STALE.fingerprint,
    }
    assert document["notebooks"] == [
        {
            "path": "analysis.ipynb",
            "cells": 3,
            "orders": ["inferred", "top-down"],
            "status": "failed",
            "duration_s": 1.235,
        },
        {
            "path": "broken.ipynb",
            "cells": 0,
            "orders": [],
            "status": "failed",
            "duration_s": 0.0,
        },
    ]


def test_json_is_sorted_and_the_same_bytes_whatever_came_first() -> None:
    one = json_report.render(Report((STALE, LATE, UNREADABLE), NOTEBOOKS))
    other = json_report.render(Report((UNREADABLE, LATE, STALE), NOTEBOOKS[::-1]))
    assert one == other


def test_json_tells_what_the_orders_cost() -> None:
    notebook = replace(NOTEBOOKS[0], costs=(Cost("top-down", 1.50004, 0.49996),))
    document = json.loads(json_report.render(Report((), (notebook,))))
    assert document["notebooks"][0]["costs"] == [{"order": "top-down", "wall_s": 1.5, "cpu_s": 0.5}]


def test_json_holds_no_lone_surrogate() -> None:
    shown = json_report.render(Report((replace(STALE, message="\ud800é"),), ()))
    assert json.loads(shown)["findings"][0]["message"] == "\ufffdé"
    assert shown.isascii()


def test_a_packed_report_comes_back() -> None:
    notebooks = (replace(NOTEBOOKS[0], costs=(Cost("top-down", 1.5, 0.5),)), *NOTEBOOKS[1:])
    report = Report((STALE, UNREADABLE), notebooks)
    packed = transport.pack(report)
    assert report == transport.unpack(json.loads(json.dumps(packed)))


RUNS = (
    Run(step=1, cell=1, count=None, recorded=False, reason="defines `a`", probability=0.7),
    Run(step=2, cell=2, count=1, recorded=True, reason="[1]", probability=1.0),
)


PLAN = Plan("inferred", RUNS)
ORDER = OrderReport(
    notebook=percent.parse("# %% [2]\na = 1\n# %% [1]\nb = a\n", "nb.ipynb"),
    plan=PLAN,
    orders={"inferred": PLAN, "top-down": Plan("top-down", ())},
    verdict="out-of-order",
    stats={"steps": 2},
    cells={"stale": (3, 4), "fresh": (), "refresher": (2,)},
    readings=(
        Reading(2, "a", RUNS[0], 0.7, unrecoverable=False, why="its run is inferred"),
        Reading(2, "b", None, 0.998, unrecoverable=True, why="no other cell binds it"),
    ),
    measures=Measures(
        cells=2,
        executed=1,
        gaps=1,
        missing=3,
        jumps=1,
        gap_jumps=((1, 1, 5), (2, 1, 3)),
        sessions=1,
        runs=4,
        dependent=1,
        ambiguous=0,
        orders={"inferred": OrderMeasure(1, 0)},
    ),
    by_text=TextVerdict("hidden state", ("cell 2: `b` is read (NBS101)",)),
)


def test_an_order_as_text() -> None:
    assert order_report.as_text(ORDER).split("\n") == [
        "nb.ipynb: inferred order (out-of-order, 85% sure)",
        "   1. cell 1          70%  defines `a`",
        "   2. cell 2 [1]     100%  [1]",
        "",
        "Doubtful:",
        "  cell 2 reads `a`, perhaps as cell 1 left it (70%): its run is inferred",
        (
            "  cell 2 reads `b`, which nothing that is left on the page can have made: "
            "no other cell binds it"
        ),
        "",
        "The notebook: hidden state, as far as the text tells (`nbsafe run` tries it)",
        "  cell 2: `b` is read (NBS101)",
        "",
        "After it:",
        "  stale      cells 3, 4  an input is older than what that was made from",
        "  refresher  cell 2      to be run, to make again what is stale",
        "",
        "order         runs  unbound  out of order  cells",
        "inferred         2        1             0  1 2",
        "top-down         0                         nothing",
        "steps 2",
        "",
    ]


def test_measures_of_an_order() -> None:
    text = order_report.measures_as_text(ORDER)
    assert "  gap-jumps (1,1) 5 and (2,1) 3\n" in text
    assert "  sessions at least 1, runs at least 4, ratio 0.25\n" in text
    document = json.loads(order_report.measures_as_json(ORDER))
    assert (document["ratio"], document["missing"]) == (0.25, 3)


def test_a_drawing_of_an_order_spells_what_is_no_text() -> None:
    plan = Plan("inferred", (replace(RUNS[0], reason="<script> & \x1b[31m"), RUNS[1]))
    root = ET.fromstring(as_svg(replace(ORDER, plan=plan)))
    dots = [e for e in root if e.tag.endswith("circle")]
    assert [dot.get("fill") for dot in dots] == ["white", svg.COLOURS[0]]
    assert dots[0][0].text == "step 1: cell 1, <script> & "


def test_a_drawing_of_an_order_is_as_wide_as_its_heading() -> None:
    notebook = replace(ORDER.notebook, path=f"{'n' * 80}.ipynb")
    root = ET.fromstring(as_svg(replace(ORDER, notebook=notebook)))
    assert float(root.get("width", "")) > 60 + 6 * 80


def test_a_drawing_of_an_order_is_as_wide_as_the_names_of_its_sessions() -> None:
    runs = tuple(replace(RUNS[1], session=session) for session in range(1, 7))
    root = ET.fromstring(as_svg(replace(ORDER, plan=Plan("inferred", runs))))
    (last,) = (e for e in root if e.text == "session 6")
    assert float(last.get("x", "")) + 70 < float(root.get("width", ""))


def test_an_order_as_json() -> None:
    assert json.loads(order_report.as_json(ORDER)) == {
        "version": 1,
        "plan": [
            {
                "step": 1,
                "cell": 1,
                "count": None,
                "session": 1,
                "reason": "defines `a`",
                "probability": 0.7,
            },
            {
                "step": 2,
                "cell": 2,
                "count": 1,
                "session": 1,
                "reason": "[1]",
                "probability": 1.0,
            },
        ],
        "orders": {"inferred": [1, 2], "top-down": []},
        "verdict": "out-of-order",
        "notebook": {
            "verdict": "hidden state",
            "sure": False,
            "reasons": ["cell 2: `b` is read (NBS101)"],
        },
        "cut_short": "",
        "confidence": 0.849,
        "stats": {
            "steps": 2,
            "stale_cells": [3, 4],
            "fresh_cells": [],
            "refresher_cells": [2],
        },
        "edges": [
            {
                "reader": 2,
                "name": "a",
                "definer": 1,
                "probability": 0.7,
                "unrecoverable": False,
                "why": "its run is inferred",
            },
            {
                "reader": 2,
                "name": "b",
                "definer": None,
                "probability": 0.998,
                "unrecoverable": True,
                "why": "no other cell binds it",
            },
        ],
    }


def test_what_was_reused_is_summed_and_reasons_are_told_once() -> None:
    def of(path: str, *told: str, reused: int = 0) -> NotebookReport:
        resumed = Resumed(2, reused, 0.25 * reused, told)
        return NotebookReport(path, 2, (), "passed", 0.0, resumed=resumed)

    assert text.resumed([of("b", "refused"), of("a", "refused")]) == ["a and b: refused"]
    assert text.resumed([of("a"), of("b")]) == ["0 of 4 runs reused, 0.0 s saved"]
    mixed = [of("a", reused=2), of("b", "refused"), of("c", reused=1)]
    assert text.resumed(mixed) == ["b: refused", "3 of 6 runs reused, 0.8 s saved"]
    made_again = text.reused(Resumed(6, 3, 0.0, again_s=1.26))
    assert made_again == "3 of 6 runs reused, 0.0 s saved (1.3 s went into making values again)"
    assert text.resumed([NotebookReport("a", 2, (), "passed", 0.0)]) == []


@pytest.mark.parametrize(
    ("verdicts", "end"),
    [
        (("clean", "clean"), "2 notebooks"),
        (("", ""), "2 notebooks"),
        (("stale",), "1 notebook: stale"),
        (("clean", "stale", "clean"), "3 notebooks: 2 clean, 1 stale"),
    ],
)
def test_the_last_line_says_what_became_of_notebooks_that_are_not_clean(
    verdicts: tuple[str, ...], end: str
) -> None:
    notebooks = (NotebookReport("a.ipynb", 1, (), "passed", 0.0, verdict=v) for v in verdicts)
    assert text.summary(Report((), tuple(notebooks))) == f"no findings in {end}"
