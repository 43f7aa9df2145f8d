"""How what a cell makes when it runs again is compared with what it made before."""

from __future__ import annotations

import pytest

from pytest_nbsafe.judge.rerun_evidence import DescribedRun, difference, rerun
from pytest_nbsafe.judge.trial import Rerun
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.results import CellResult, Failure, Record, Value


def ran(printed: str = "", raised: str = "", **made: str) -> CellResult:
    """Return the result of a run that made these names; an empty hash cannot be compared."""
    record = Record(
        (1, 1),
        2,
        1,
        frozenset(),
        dict.fromkeys(made, frozenset[str]()),
        dict[str, frozenset[str]](),
    )
    return CellResult(
        1,
        2,
        "raised" if raised else "ok",
        failure=Failure(raised, "no", 1) if raised else None,
        outputs=(Output("stream", name="stdout", text=printed),) if printed else (),
        after={name: Value(found) for name, found in made.items()},
        records=(record,),
    )


def compared(old: CellResult, new: CellResult, control: CellResult | None = None) -> Rerun:
    return rerun(2, (1,), DescribedRun(old), DescribedRun(new), control)


@pytest.mark.parametrize(
    ("old", "new", "result", "said"),
    [
        (ran(a="1"), ran(a="1"), "same", ()),
        (ran(a="1"), ran(a="2"), "differs", ("`a` holds a different value",)),
        (ran(a="1"), ran(), "differs", ("`a` holds a different value",)),
        (ran(a=""), ran(a="2"), "nothing-to-compare", ()),
        (ran(a="", b="1"), ran(a="", b="2"), "differs", ("`b` holds a different value",)),
        (ran("3\n"), ran("3\n"), "same", ()),
        (ran("3\n"), ran("4\n"), "differs", ('shows "3" -> "4"',)),
        (ran("3\nx\n"), ran("3\n"), "differs", ('shows "x" -> nothing',)),
        (ran("0.1234567890123\n"), ran("0.1234567890999\n"), "same", ()),
        (ran(), ran(), "same", ()),
        (ran(), ran(raised="KeyError"), "differs", ("no exception -> KeyError: no",)),
        (ran(raised="KeyError"), ran(raised="KeyError"), "same", ()),
    ],
)
def test_what_differs(old: CellResult, new: CellResult, result: str, said: tuple[str, ...]) -> None:
    found = compared(old, new)
    assert (found.result, found.differences) == (result, said)


@pytest.mark.parametrize(
    ("control", "result", "said"),
    [
        (
            ran("3\n", a="2", b="5"),
            "differs",
            ("`a` holds a different value", "`b` holds a different value"),
        ),
        (ran("3\n", a="9", b="5"), "differs", ("`b` holds a different value",)),
        (ran("3\n", a="9", b="9"), "nondeterministic", ()),
    ],
)
def test_chance_proves_nothing(control: CellResult, result: str, said: tuple[str, ...]) -> None:
    found = compared(ran("3\n", a="1", b="4"), ran("3\n", a="2", b="5"), control)
    assert (found.result, found.differences) == (result, said)


def test_output_by_chance_proves_nothing() -> None:
    found = compared(ran("3\n"), ran("4\n"), ran("5\n"))
    assert (found.result, found.output) == ("nondeterministic", "nondeterministic")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"value": "450.0"}, {"value": "375.0"}, "`x` 450.0 -> 375.0"),
        (
            {"shape": "(3, 2)", "mean": "1"},
            {"shape": "(2, 2)", "mean": "2"},
            "`x` shape (3, 2) -> (2, 2)",
        ),
        ({"shape": "(3,)", "mean": "3.2"}, {"shape": "(3,)", "mean": "4.1"}, "`x` mean 3.2 -> 4.1"),
        ({"length": "3"}, {"length": "4", "value": "[]"}, "`x` length 3 -> 4"),
        ({"value": "0.1234567890123"}, {"value": "0.1234567890999"}, ""),
        ({"length": "3"}, {"length": "3"}, ""),
        ({}, {"value": "1"}, ""),
    ],
)
def test_the_first_aspect_that_differs(old: dict[str, str], new: dict[str, str], said: str) -> None:
    assert difference("x", old, new) == said


def test_runs_that_were_not_made_alike_differ_only_where_it_shows() -> None:
    old, new = ran(a="1", b="1"), ran(a="2", b="2")
    was = {"a": {"value": "0.1234567890123"}, "b": {"value": "1"}}
    now = {"a": {"value": "0.1234567890999"}, "b": {"value": "2"}}
    found = rerun(2, (), DescribedRun(old, was, strict=True), DescribedRun(new, now))
    assert (found.result, found.differences) == ("differs", ("`b` 1 -> 2",))
    only_a = DescribedRun(ran(a="1"), was, strict=True)
    assert rerun(2, (), only_a, DescribedRun(ran(a="2"), now)).result == "nothing-to-compare"
