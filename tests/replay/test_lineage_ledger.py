"""What lineage says after a step that no clean run judges."""

from __future__ import annotations

from sessioncase import passed

from pytest_nbsafe.replay.lineage_ledger import LineageLedger
from pytest_nbsafe.replay.session_runs import SessionRun, SessionText, StepAnswer

A1 = passed(1, "c1", 1, {"a": ""}, {}, {"a": 1})
B = passed(2, "c2", 2, {"b": "a"}, {"a": 1}, {"a": 1, "b": 2})
C = passed(3, "c3", 3, {"c": "b"}, {"b": 2}, {"b": 2, "c": 3})
MAKES = {1: "a", 2: "b", 3: "c", 4: "a", 5: "z"}


def answered(*runs: SessionRun, page: str = "c1 c2 c3") -> StepAnswer:
    made = {text: frozenset(names.split()) for text, names in MAKES.items()}
    texts = {text: SessionText(makes=names, dead=names) for text, names in made.items()}
    ledger = LineageLedger(page.split(), texts)
    for run in runs:
        ledger.add(run)
    return ledger.answer()


def test_what_was_made_from_an_older_value_is_stale_all_the_way() -> None:
    told = answered(A1, B, C, passed(4, "c1", 4, {"a": ""}, {}, {"a": 5}))
    assert told.causes == {
        "b": "cell c2 in step 2 made it from `a`, which cell c1 has made again since",
        "c": "made from `b`, which is stale",
    }
    assert told.stale_cells == ("c3",)
    assert told.fresh_cells == ("c2",)
    assert told.refresher_cells == ("c2",)
    assert not told.judged


def test_the_same_value_again_makes_nothing_stale() -> None:
    told = answered(A1, B, C, passed(4, "c1", 4, {"a": ""}, {}, {"a": 1}))
    assert told.stale_symbols == told.fresh_cells == ()


def test_no_laundering() -> None:
    edited = passed(4, "c1", 4, {"a": ""}, {}, {"a": 5})
    again = passed(5, "c3", 3, {"c": "b"}, {"b": 2}, {"b": 2, "c": 3})
    assert answered(A1, B, C, edited, again).stale_symbols == ("b", "c")


def test_what_a_cell_below_makes_anew_is_meant() -> None:
    below = passed(2, "c3", 5, {"a": ""}, {"a": 1}, {"a": 9})
    assert answered(A1, B, below).stale_symbols == ()


def test_what_only_an_older_text_made_is_left_over() -> None:
    told = answered(A1, B, passed(3, "c1", 5, {"z": ""}, {}, {"z": 1}))
    assert told.causes == {
        "a": "left over: an older text of cell c1 made it in step 1",
        "b": "made from `a`, which is stale",
    }
    assert told.stale_cells == ("c2",)


def test_a_text_that_raised_has_not_replaced_what_was_made() -> None:
    raised = passed(3, "c1", 5, {}, {}, {}, status="raised")
    assert answered(A1, B, raised).stale_symbols == ()


def test_what_a_deleted_cell_made_is_left_over() -> None:
    told = answered(A1, B, C, page="c1 c3")
    assert told.causes == {
        "b": "left over: cell c2, which is not on the page, made it in step 2",
        "c": "made from `b`, which is stale",
    }
    assert told.stale_cells == ("c3",)
    again = passed(3, "c2", 5, {"a": ""}, {}, {"a": 9})
    assert answered(A1, C, again, page="c1 c3").stale_symbols == ("a",)
