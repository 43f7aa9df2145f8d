"""Which names a text reads only later, and what runs on the side say of a read."""

from __future__ import annotations

import pytest

from pytest_nbsafe.replay import read_doubts
from pytest_nbsafe.trace.results import CellResult, Failure, Record, Value

PLAIN = CellResult(1, 1, "ok", after={"y": Value("1")})
RECORDED, UNRECORDED = (
    read_doubts.ReadDoubt("c", "x", recorded=True),
    read_doubts.ReadDoubt("c", "x", recorded=False),
)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("f = lambda v: v * k", {"v", "k"}),
        ("g = (i * k for i in xs)", {"i", "k", "xs"}),
        ("%time f = lambda: k", {"k"}),
        ("y = [k for k in xs]", set()),
        ("x = k", set()),
        ("lambda :", set()),
        ("def g():\n    yield k", {"k"}),
        ("def g():\n    yield from (yield)", set()),
        ("def f():\n    return k", set()),
    ],
)
def test_names_that_are_read_later(source: str, names: set[str]) -> None:
    assert read_doubts.lazily_read(source) == names


def test_a_missing_name_was_read() -> None:
    missed = CellResult(1, 1, "raised", Failure("NameError", "name 'x' is not defined", 1))
    assert read_doubts.settled(UNRECORDED, PLAIN, missed)
    other = CellResult(1, 1, "raised", Failure("NameError", "name 'y' is not defined", 1))
    assert not read_doubts.settled(UNRECORDED, PLAIN, other)


def test_the_same_result_without_it_was_not_read() -> None:
    assert not read_doubts.settled(RECORDED, PLAIN, CellResult(1, 1, "ok", after={"y": Value("1")}))
    assert read_doubts.settled(RECORDED, PLAIN, CellResult(1, 1, "ok", after={"y": Value("2")}))


def test_what_cannot_be_compared_leaves_it_as_told() -> None:
    unknown = CellResult(1, 1, "ok", after={"y": Value("")})
    assert read_doubts.settled(RECORDED, unknown, unknown)
    assert not read_doubts.settled(UNRECORDED, unknown, unknown)


def test_a_generator_in_between_tells_nothing() -> None:
    begun = CellResult(1, 1, "ok", after={"g": Value("", kind="generator")})
    assert not read_doubts.settled(RECORDED, begun, begun)
    assert read_doubts.settled(RECORDED, begun, CellResult(1, 1, "ok"))


def test_what_a_run_changed_it_has_read() -> None:
    """`with suppress(Exception): x.append(1)` does without `x`, and shows nothing of it."""
    record = Record((1, 1), 1, 1, frozenset({"x"}), {}, {"x": frozenset()})
    changed = CellResult(1, 1, "ok", after={"x": Value("2")}, records=(record,))
    without = CellResult(1, 1, "ok")
    assert read_doubts.settled(RECORDED, changed, without)
    made = Record((1, 1), 1, 1, frozenset(), {"x": frozenset()}, {})
    again = CellResult(1, 1, "ok", after={"x": Value("2")}, records=(made, record))
    assert not read_doubts.settled(RECORDED, again, without)
