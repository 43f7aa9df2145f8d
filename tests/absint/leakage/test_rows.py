"""Sets of rows: which have rows in common, which are within others, what is left of them."""

import pytest

from pytest_nbsafe.absint.leakage.rows import (
    Division,
    Rows,
    complement,
    disjoint,
    divide,
    opposite,
    overlap,
    source,
    within,
)

A, B = source("a.csv"), source("b.csv")
TRAIN = divide(A, Division("split", ("is", 0), "random"))
TEST = divide(A, Division("split", ("is", 1), "random"))
HEAD = divide(A, Division("slice", ("range", None, 80)))
TAIL = divide(A, Division("slice", ("range", 80, None)))
RARE = divide(A, Division("y == 1", ("is", 1)))
OTHER = divide(A, Division("x < 5", ("is", 1)))
AGAIN = divide(A, Division("split again", ("is", 1), "random"))
MIXED = divide(A | B, Division("part", ("is", "train")))


@pytest.mark.parametrize(
    ("answer", "one", "two"),
    [
        ("yes", A, A),
        ("no", A, B),
        ("yes", A, TEST),
        ("no", TRAIN, TEST),
        ("no", HEAD, TAIL),
        ("yes", TRAIN, AGAIN),
        ("yes", RARE, TEST),
        ("unknown", RARE, OTHER),
        ("unknown", RARE, HEAD),
        ("yes", TRAIN | TEST, TEST),
        ("no", divide(TRAIN, Division("inner", ("is", 0), "random")), TEST),
        ("unknown", A, MIXED),
        ("no", frozenset(), A),
    ],
)
def test_overlap(answer: str, one: Rows, two: Rows) -> None:
    assert answer == overlap(one, two)
    assert answer == overlap(two, one)


def test_a_part_is_within_the_whole_and_not_the_other_way() -> None:
    assert within(TEST, A)
    assert not within(A, TEST)
    assert within(TRAIN | TEST, A)
    assert not within(TRAIN | B, A)


def test_what_is_left_of_rows_has_none_of_what_was_taken() -> None:
    left = complement(A, TRAIN)
    assert left is not None
    assert overlap(left, TRAIN) == "no"
    assert within(left, A)


def test_what_is_left_cannot_be_told_for_rows_from_elsewhere() -> None:
    assert complement(A, B) is None
    assert complement(A, A) is None


@pytest.mark.parametrize(
    ("answer", "one", "two"),
    [
        (True, ("is", 0), ("is", 1)),
        (False, ("is", 0), ("is", 0)),
        (True, ("is", 0), opposite(("is", 0))),
        (True, ("range", None, 10), ("range", 10, None)),
        (True, ("range", None, 10), ("range", 12, 20)),
        (False, ("range", None, 12), ("range", 10, None)),
        (True, ("range", None, -5), ("range", -5, None)),
        (None, ("range", None, 10), ("range", -5, None)),
        (None, ("range", None, "n"), ("range", 5, None)),
        (True, ("range", None, ("2020", False)), ("range", ("2021", False), None)),
        (None, ("is", 3), ("range", 5, None)),
        (None, ("is", 0), opposite(("is", 1))),
    ],
)
def test_parts_of_one_division(
    answer: bool | None,  # noqa: FBT001 - it is what is expected
    one: tuple[object, ...],
    two: tuple[object, ...],
) -> None:
    assert answer is disjoint(one, two)
    assert answer is disjoint(two, one)


def test_rows_that_are_divided_in_the_same_way_twice_are_the_same() -> None:
    assert divide(TEST, Division("split", ("is", 1), "random")) == TEST
