"""Which cells the judge calls stale, from runs that are given."""

from __future__ import annotations

import pytest
from sessioncase import bench, clean, passed, values

from pytest_nbsafe.replay import stale_cells, stale_names
from pytest_nbsafe.replay.session_runs import SessionEvidence
from pytest_nbsafe.trace.results import Failure, Holding
from pytest_nbsafe.values import replace

NEW = passed(1, "c1", 1, {"d": ""}, {}, {"d": 0})
FILL = passed(2, "c2", 2, {"d": "d"}, {"d": 0}, {"d": 1})
MORE = passed(3, "c3", 3, {"d": "d"}, {"d": 1}, {"d": 5})
CLEAN = clean([NEW, FILL, MORE], {"d": 5})


def wrong(*runs: object, now: object, page: str = "c1 c2 c3") -> list[str]:
    given = bench(page, list(runs), {"d": now}, CLEAN)  # type: ignore[arg-type]  # runs
    return sorted(stale_cells.cells(given, stale_names.names(given)).wrong)


def test_what_a_cell_leaves_as_the_whole_page_does_is_right() -> None:
    again = passed(4, "c2", 2, {"d": "d"}, {"d": 5}, {"d": 5})
    assert wrong(NEW, FILL, MORE, again, now=5) == []


def test_what_a_cell_leaves_otherwise_is_wrong() -> None:
    again = passed(4, "c2", 2, {"d": "d"}, {"d": 5}, {"d": 7})
    assert wrong(NEW, FILL, MORE, again, now=7) == ["c2"]


def test_what_only_looks_like_the_end_of_the_page_is_wrong() -> None:
    again = passed(4, "c2", 2, {"d": "d"}, {"d": 4}, {"d": 5})
    assert wrong(NEW, FILL, MORE, again, now=9) == ["c2"]


def test_a_deleted_cell_is_never_told() -> None:
    gone = passed(4, "c9", 4, {"d": "d"}, {"d": 5}, {"d": 7})
    given = bench("c1 c2 c3", [NEW, FILL, MORE, gone], {"d": 7}, CLEAN)
    names = stale_names.names(given)
    assert list(names.stale) == ["d"]
    found = stale_cells.cells(given, names)
    assert sorted(found.stale) == ["c2", "c3"]


def test_a_cell_that_raised_with_the_right_inputs_would_raise_again() -> None:
    """Where it cannot be run on the side, since it moves files."""
    first = passed(1, "c1", 1, {"path": ""}, {}, {"path": "a"})
    move = passed(2, "c2", 2, {}, {"path": "a"}, {"path": "a"})
    failed = passed(3, "c2", 2, {}, {"path": "a"}, {"path": "a"}, status="raised")
    early = passed(3, "c2", 2, {}, {"path": "b"}, {"path": "b"}, status="raised")
    judged = clean([first, move], {"path": "a"})
    for last, stale, fresh in ((failed, ("c2",), ()), (early, (), ("c2",))):
        given = bench("c1 c2", [first, move, last], {"path": "a"}, judged)
        assert told(given) == (stale, fresh)


@pytest.mark.parametrize(
    ("message", "unrunnable"),
    [
        ("name 'd' is not defined", ["c2"]),
        ("name 'e' is not defined. Did you mean: 'd'?", ["c2"]),
        ("cannot access free variable 'd'", []),
        ("name 'made' is not defined", []),
    ],
)
def test_a_cell_that_cannot_delete_cannot_run(message: str, unrunnable: list[str]) -> None:
    failure = Failure("NameError", message, 1)
    failed = passed(2, "c2", 2, {"made": ""}, {}, {}, status="raised", failure=failure)
    given = bench("c1 c2", [passed(1, "c1", 1, {}, {}, {}), failed], {}, clean([], {}))
    assert sorted(stale_cells.cells(given, stale_names.names(given)).unrunnable) == unrunnable


def told(given: SessionEvidence) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names = stale_names.names(given)
    found = stale_cells.answer(given, names, stale_cells.cells(given, names), {})
    return found.stale_cells, found.fresh_cells


@pytest.mark.parametrize(
    ("now", "stale"),
    [
        ({"file:log": "one", "file:out": "1"}, False),
        ({"file:log": "one", "file:out": "2"}, False),
        ({"file:log": "two"}, True),
        ({"file:log": "one", "file:more": "1"}, True),
        ({"random": "x", "file:log": "one"}, False),
    ],
)
def test_a_cell_that_cannot_run_aside_is_stale_while_it_finds_other_files(
    now: dict[str, str], *, stale: bool
) -> None:
    count = passed(2, "c1", 1, {"n": ""}, {}, {"n": 2})
    before, after = {"file:log": "one"}, {"file:log": "one", "file:out": "1"}
    judged = clean([passed(1, "c1", 1, {"n": ""}, {}, {"n": 1})], {"n": 1}, before, after)
    given = replace(bench("c1", [count], {"n": 2}, judged), now=Holding(values({"n": 2}), now))
    assert told(given) == ((("c1",), ()) if stale else ((), ("c1",)))
