"""The limits that the benchmark of orders prints: small histories whose answers are plain."""

from collections.abc import Sequence

import orders_limits
import pytest
from linked_sessions import Linked, graph_of, makers
from orders_limits import Answers

from pytest_nbsafe.order import orderings


def record(
    counts: Sequence[int | None],
    defines: Sequence[str],
    reads: Sequence[str],
    steps: Sequence[tuple[int, int, int | None]],
    edges: dict[tuple[int, str], int | None],
) -> Linked:
    """Return a page of cells that define and read the names of these words."""
    names = [text.split() for text in defines], [text.split() for text in reads]
    sessions = {
        cell: session
        for session, count, cell in steps
        if cell is not None and counts[cell] == count
    }
    return Linked("r", "p", counts, *names, [[] for _ in counts], edges, sessions, steps)


def by_page(page: Linked) -> Answers:
    plan = orderings.plan(graph_of(page), "inferred")
    return makers(page, (cell - 1 for cell in plan.cells))


def limits(page: Linked) -> dict[str, Answers]:
    return {
        "true runs": orders_limits.by_true_runs(page),
        "true sessions": orders_limits.by_true_sessions(page),
    }


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([1, 2, 3], "clean"),
        ([1, None, 2], "clean"),
        ([1, 4], "gaps"),
        ([2, 1, 3], "jumps"),
        ([4, 1], "gaps and jumps"),
        ([1, 2, 1], "repeated counts"),
        ([None, None], "no counts"),
    ],
)
def test_the_class_of_a_page_is_told_by_its_counts(counts: list[int | None], expected: str) -> None:
    empty = [""] * len(counts)
    assert orders_limits.class_of(record(counts, empty, empty, [], {})) == expected


def test_a_run_that_was_overwritten_is_known_to_the_history_alone() -> None:
    steps = [(0, 1, 0), (0, 2, 2), (0, 3, 1), (0, 4, 2)]
    page = record([1, 3, 4], ["x", "", "x"], ["", "x", ""], steps, {(1, "x"): 2})
    known = limits(page)
    assert by_page(page)[1, "x"] == 0
    assert known["true runs"][1, "x"] == 2
    assert known["true sessions"][1, "x"] == 0
    assert orders_limits.cause(page, (1, "x"), known) == "overwritten"


def test_a_text_that_was_edited_since_misleads_even_the_history() -> None:
    steps = [(0, 1, 0), (0, 2, 1), (0, 3, 2)]
    page = record([1, 2, 3], ["x", "x", ""], ["", "", "x"], steps, {(2, "x"): 0})
    known = limits(page)
    assert known["true runs"][2, "x"] == 1
    assert orders_limits.cause(page, (2, "x"), known) == "edited since"


def test_who_is_told_the_sessions_knows_which_cell_was_not_there() -> None:
    """Counts do not repeat, so the page shows one session; cell 1 ran in another."""
    steps = [(0, 1, 1), (0, 2, 1), (1, 1, 0), (1, 3, 2)]
    page = record([1, 2, 3], ["x", "x", ""], ["", "", "x"], steps, {(2, "x"): 0})
    known = limits(page)
    assert by_page(page)[2, "x"] == 1
    assert known["true sessions"][2, "x"] == 0
    assert orders_limits.cause(page, (2, "x"), known) == "sessions"


def test_a_cleared_count_tells_nothing() -> None:
    steps = [(0, 1, 1), (0, 2, 0), (0, 3, 2)]
    page = record([None, 1, 3], ["x", "x", ""], ["", "", "x"], steps, {(2, "x"): 0})
    assert orders_limits.cause(page, (2, "x"), limits(page)) == "count cleared"
