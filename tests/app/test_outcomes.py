"""What a cell says, from its findings and its run alone."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.app.outcomes import may_change_findings, outcome
from pytest_nbsafe.findings import Finding, Step
from pytest_nbsafe.locations import Location
from pytest_nbsafe.notebook.model import Cell, Output
from pytest_nbsafe.trace.results import CellResult, Failure, Incident
from pytest_nbsafe.values import replace

FIRST, SECOND, SKIPPED = percent.parse(
    "# %%\na = 1\n# %%\nprint(a)\n# %% tags=nbsafe:skip\n1 / 0\n"
).code_cells
OK = CellResult(1, 1, "ok")
RAISED = CellResult(1, 1, "raised", Failure("ValueError", "no", 1, "Traceback"))
WARNING = Finding("NBS103", "warning", "suspected", "nb.ipynb", Location(1, 1, 1), "out of order")
ERROR = replace(WARNING, code="NBS401", severity="error", message="cell 1 failed")


def said(
    cell: Cell | None, result: CellResult | None, *findings: Finding, strict: bool = False
) -> tuple[str, str]:
    answer = outcome(cell, result, findings, strict=strict)
    return answer.status, answer.reason


def test_an_error_fails_its_cell_and_a_warning_only_under_strict() -> None:
    assert said(FIRST, OK, ERROR) == ("failed", "cell 1 failed")
    assert said(SECOND, OK, ERROR) == ("passed", "")
    assert said(FIRST, OK, WARNING) == ("passed", "")
    assert said(FIRST, OK, WARNING, strict=True) == ("failed", "out of order")


def test_a_failure_may_be_told_at_another_cell() -> None:
    told = replace(ERROR, location=Location(2, 1, 1), steps=(Step(1, 1, "read `b` too early"),))
    reason = "this cell read `b` too early (NBS401, reported at cell 2)"
    assert said(FIRST, RAISED, told) == ("failed", reason)
    assert said(FIRST, OK, told) == ("passed", "")


def test_a_cell_that_did_not_run_is_skipped() -> None:
    skipped = CellResult(1, 1, "skipped", reason="because of cell 2")
    assert said(FIRST, skipped) == ("skipped", "because of cell 2")
    assert said(SKIPPED, None) == ("skipped", "tagged nbsafe:skip")
    by_comment = replace(SKIPPED, source="# NBVAL_SKIP\nraise SystemExit")
    assert said(by_comment, None) == ("skipped", "marked NBVAL_SKIP")
    by_tag = replace(SKIPPED, tags=("nbval-skip", "nbsafe:skip"))
    assert said(by_tag, None) == ("skipped", "tagged nbval-skip")
    assert said(FIRST, None) == ("passed", "")
    assert said(None, None, replace(ERROR, location=Location(0, 1, 1)))[0] == "failed"


def test_a_failure_of_which_no_finding_tells_is_no_pass() -> None:
    reason = "ValueError: no (the finding about it is switched off, or in the baseline)"
    assert said(FIRST, RAISED) == ("skipped", reason)
    assert said(replace(FIRST, tags=("raises-exception",)), RAISED) == ("passed", "")
    assert said(replace(FIRST, tags=("raises-exception=ValueError",)), RAISED) == ("passed", "")
    assert said(replace(FIRST, tags=("raises-exception=KeyError",)), RAISED) == ("skipped", reason)


def test_what_was_printed_and_raised_is_handed_on() -> None:
    printed = replace(RAISED, outputs=(Output("stream", name="stdout", text="a\n"),))
    answer = outcome(FIRST, printed, (), strict=False)
    assert (answer.output, answer.errors, answer.traceback) == ("a\n", "", "Traceback")


@pytest.mark.parametrize(
    ("cell", "result", "findings", "expected"),
    [
        (FIRST, OK, (), False),
        (FIRST, RAISED, (), True),
        (FIRST, replace(OK, incidents=(Incident("shell", 1, ""),)), (), True),
        (FIRST, OK, (WARNING,), True),
        (SECOND, OK, (WARNING,), False),
        (replace(FIRST, tags=("raises-exception",)), OK, (), True),
        (replace(FIRST, source="a = 1  # nbsafe: ignore[NBS103]"), OK, (), True),
    ],
)
def test_the_rules_are_asked_again_only_where_something_shows(
    cell: Cell, result: CellResult, findings: tuple[Finding, ...], *, expected: bool
) -> None:
    assert may_change_findings(cell, result, findings) is expected
