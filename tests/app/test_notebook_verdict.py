"""What a notebook as a whole is: the table of verdicts, and one notebook that is run."""

from __future__ import annotations

from dataclasses import replace

import percent
import pytest

from pytest_nbsafe.app.notebook_verdict import by_text, resumed, run_anew, verdict
from pytest_nbsafe.codes import Severity
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, Resumed, Step
from pytest_nbsafe.judge.trial import NOTHING_RAN, RanOtherwise
from pytest_nbsafe.locations import Location
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.trace.suspicions import OutdatedResult, Suspicions

RAN = replace(NOTHING_RAN, clean=PlanResult(Plan("top-down", ()), (CellResult(1, 1, "ok"),)))


def finding(code: str, severity: Severity = "error", cell: int = 2) -> Finding:
    where = Location(cell)
    return Finding(code, severity, "confirmed", "nb.ipynb", where, f"says {code}", count=cell)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ("", "clean"),
        ("NBS101", "hidden state"),
        ("NBS102", "order-dependent"),
        ("NBS106", "order-dependent"),
        ("NBS201", "stale"),
        ("NBS402", "drift"),
        ("NBS404", "nondeterministic"),
        ("NBS401", "unknown"),
        ("NBS402 NBS403", "order-dependent"),
        ("NBS103 NBS201", "stale"),
        ("NBS101 NBS102", "hidden state"),
        ("NBS101 NBS903", "unknown"),
        ("NBS301", "clean"),
    ],
)
def test_the_strongest_fault_is_the_verdict(codes: str, expected: str) -> None:
    assert expected == verdict(RAN, [finding(code) for code in codes.split()])[0]


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ("NBS201", "unknown"),
        ("NBS103", "unknown"),
        ("NBS106", "clean"),
        ("NBS405", "clean"),
        ("NBS103 NBS404", "nondeterministic"),
    ],
)
def test_what_the_run_could_not_settle_leaves_the_page_unknown(codes: str, expected: str) -> None:
    assert expected == verdict(RAN, [finding(code, "warning") for code in codes.split()])[0]


def test_a_result_that_a_cell_explains_which_never_ran_depends_on_the_order() -> None:
    trial = replace(RAN, ran_otherwise=RanOtherwise(1, (), 2))
    assert verdict(trial, [finding("NBS201")])[0] == "order-dependent"


def test_a_cell_without_output_that_never_ran_has_not_drifted() -> None:
    assert verdict(RAN, [replace(finding("NBS402"), count=None)])[0] == "clean"


@pytest.mark.parametrize(("definer", "expected"), [(1, "stale"), (4, "unknown")])
def test_a_cell_that_fails_since_its_input_was_made_again_is_stale(
    definer: int, expected: str
) -> None:
    old = OutdatedResult(1, 2, 1, "board", definer, 1, (2, 1))
    trial = replace(RAN, suspicions=Suspicions(outdated=(old,)))
    failed = replace(finding("NBS401"), steps=(Step(1, 1, "made `board` again"),))
    assert verdict(trial, [failed])[0] == expected


def test_what_did_not_run_is_unknown() -> None:
    assert verdict(NOTHING_RAN, [finding("NBS101")])[0] == "unknown"


def test_reasons_stand_in_page_order_and_are_few() -> None:
    several = [finding("NBS102", cell=cell) for cell in (9, 3, 5, 7)]
    _, reasons = verdict(RAN, several)
    assert [reason.split(":")[0] for reason in reasons] == ["cell 3", "cell 5", "cell 7"]
    assert reasons[0] == "cell 3: says NBS102 (NBS102)"


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], ("clean", False)),
        ([finding("NBS101")], ("hidden state", True)),
        ([finding("NBS103", "warning")], ("order-dependent", False)),
        ([finding("NBS103", "warning"), finding("NBS102")], ("order-dependent", True)),
        ([finding("NBS201", "warning"), finding("NBS109", "note")], ("stale", False)),
    ],
)
def test_the_text_alone_gives_a_verdict_and_says_whether_it_is_sure(
    findings: list[Finding], expected: tuple[str, bool]
) -> None:
    told = by_text(findings, has_run=True)
    assert expected == (told.verdict, told.sure)


def test_of_a_notebook_that_nobody_ran_the_text_knows_nothing() -> None:
    assert by_text([], has_run=False).verdict == "unknown"


def test_a_notebook_that_was_not_looked_at_whole_is_not_called_clean() -> None:
    told = by_text([], has_run=True, cut_short="too much")
    assert (told.verdict, told.reasons) == ("unknown", ("too much",))
    assert by_text([], has_run=True).verdict == "clean"


def test_what_was_run_anew_names_a_cell_only_where_it_is_known() -> None:
    page = percent.parse("# %% [1]\na = 1\n# %% [2]\nb = 2\n# %% [3]\na = 1\n", "nb.ipynb")
    said = "gave something else than before: all was run anew"
    assert run_anew(page, "b = 2") == f"cell 2 {said}"
    unknown = "what is kept of earlier runs has given something else than before: all was run anew"
    assert {run_anew(page, "a = 1"), run_anew(page, "")} == {unknown}


@pytest.mark.parametrize(("again_s", "saved_s"), [(0.0, 5.0), (1.5, 3.5), (6.0, 0.0)])
def test_what_is_made_again_for_its_values_is_not_called_saved(
    again_s: float, saved_s: float
) -> None:
    results = (
        CellResult(1, 1, "ok", duration_s=2.0, cpu_s=2.0, reused=True),
        CellResult(2, 2, "ok", duration_s=3.0, cpu_s=3.0, reused=True),
        CellResult(3, 3, "ok", duration_s=4.0, cpu_s=4.0, again_s=again_s),
    )
    trial = replace(RAN, clean=PlanResult(Plan("top-down", ()), results))
    told = resumed(Config(resume="on"), trial, ())
    assert told == Resumed(3, 2, saved_s, again_s=again_s)
