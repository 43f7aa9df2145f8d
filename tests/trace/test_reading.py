"""Which names a text reads only later, and what runs on the side say of a read."""

from __future__ import annotations

import pytest

from pytest_nbsafe.trace import reading
from pytest_nbsafe.trace.model import CellResult, Failure, Record, Value

PLAIN = CellResult(1, 1, "ok", after={"y": Value("1")})
TOLD, UNTOLD = reading.Doubt("c", "x", told=True), reading.Doubt("c", "x", told=False)


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
    assert reading.lazily_read(source) == names


def test_a_missing_name_was_read() -> None:
    missed = CellResult(1, 1, "raised", Failure("NameError", "name 'x' is not defined", 1))
    assert reading.settled(UNTOLD, PLAIN, missed)
    other = CellResult(1, 1, "raised", Failure("NameError", "name 'y' is not defined", 1))
    assert not reading.settled(UNTOLD, PLAIN, other)


def test_the_same_result_without_it_was_not_read() -> None:
    assert not reading.settled(TOLD, PLAIN, CellResult(1, 1, "ok", after={"y": Value("1")}))
    assert reading.settled(TOLD, PLAIN, CellResult(1, 1, "ok", after={"y": Value("2")}))


def test_what_cannot_be_compared_leaves_it_as_told() -> None:
    unknown = CellResult(1, 1, "ok", after={"y": Value("")})
    assert reading.settled(TOLD, unknown, unknown)
    assert not reading.settled(UNTOLD, unknown, unknown)


def test_a_generator_in_between_tells_nothing() -> None:
    begun = CellResult(1, 1, "ok", after={"g": Value("", kind="generator")})
    assert not reading.settled(TOLD, begun, begun)
    assert reading.settled(TOLD, begun, CellResult(1, 1, "ok"))


def test_what_a_run_changed_it_has_read() -> None:
    """`with suppress(Exception): x.append(1)` does without `x`, and shows nothing of it."""
    record = Record((1, 1), 1, 1, frozenset({"x"}), {}, {"x": frozenset()})
    changed = CellResult(1, 1, "ok", after={"x": Value("2")}, records=(record,))
    without = CellResult(1, 1, "ok")
    assert reading.settled(TOLD, changed, without)
    made = Record((1, 1), 1, 1, frozenset(), {"x": frozenset()}, {})
    anew = CellResult(1, 1, "ok", after={"x": Value("2")}, records=(made, record))
    assert not reading.settled(TOLD, anew, without)
