"""One answer for every comparison of values; each test settles where two copies once disagreed."""

from __future__ import annotations

import pytest

from pytest_nbsafe.trace.results import CellResult, Comparison, Record, Value, compared, entry_reads

A, B, UNKNOWN = Value("a"), Value("b"), Value("", "socket", "cannot be pickled")
Held = dict[str, Value]


@pytest.mark.parametrize(
    ("held", "other", "answer"),
    [
        ({"x": A}, {"x": A}, "same"),
        ({"x": A}, {"x": B}, "differs"),
        ({"x": A}, {"x": UNKNOWN}, "nothing-to-compare"),
        ({"x": UNKNOWN}, {"x": UNKNOWN}, "nothing-to-compare"),
        ({"x": A}, {}, "gone"),
        ({}, {"x": UNKNOWN}, "gone"),
        ({}, {}, "same"),
    ],
)
def test_two_runs(held: Held, other: Held, answer: Comparison) -> None:
    assert compared("x", held, other) == answer


@pytest.mark.parametrize(
    ("repeated", "answer"),
    [
        ({"x": B}, "differs"),
        ({"x": A}, "nondeterministic"),
        ({"x": UNKNOWN}, "nondeterministic"),
        ({}, "nondeterministic"),  # a run that has no such name does not repeat one that has
    ],
)
def test_what_the_repetition_does_not_repeat_is_chance(repeated: Held, answer: Comparison) -> None:
    assert compared("x", {"x": A}, {"x": B}, repeated) == answer
    assert compared("x", {"x": B}, {"x": B}, repeated) == "same"


@pytest.mark.parametrize(
    ("held", "other", "repeated", "answer"),
    [
        ({"x": A}, {}, {}, "gone"),
        ({"x": A}, {}, {"x": A}, "nondeterministic"),
        ({}, {"x": A}, {"x": B}, "gone"),  # its value is chance, that it is there is not
        ({}, {"x": A}, {}, "nondeterministic"),
    ],
)
def test_a_name_is_gone_only_where_the_repetition_agrees(
    held: Held, other: Held, repeated: Held, answer: Comparison
) -> None:
    assert compared("x", held, other, repeated) == answer


def at(identity: int, content: str = "") -> Held:
    return {"x": Value(content, identity=identity)}


@pytest.mark.parametrize(
    ("then", "now", "answer"),
    [
        (at(1), at(1), "same"),
        (at(1), at(2), "differs"),
        (at(1, "a"), at(2, "a"), "same"),
        (at(1, "a"), at(1), "nothing-to-compare"),  # neither surely changed nor surely the same
        (at(1, "a"), at(2), "differs"),
    ],
)
def test_in_one_kernel_the_object_counts_where_no_content_does(
    then: Held, now: Held, answer: Comparison
) -> None:
    assert compared("x", then, now, in_one_kernel=True) == answer


def record(ordinal: int, **does: object) -> Record:
    reads, writes, mutates, deletes = (
        frozenset(str(does.get(kind, "")).split())
        for kind in ("reads", "writes", "mutates", "deletes")
    )
    none: frozenset[str] = frozenset()
    made, changed = dict.fromkeys(writes, none), dict.fromkeys(mutates, none)
    return Record((1, ordinal), 1, ordinal, reads, made, changed, deletes)


def test_what_a_run_made_read_and_kept() -> None:
    records = (
        record(1, reads="a b", writes="b"),
        record(2, reads="b c d", mutates="d", deletes="e"),
        record(3, writes="t", reads="e"),
        record(4, deletes="t"),
    )
    result = CellResult(1, 1, "ok", records=records, after={"b": A, "d": A, "a": A})
    assert entry_reads(records) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert result.entry_names == {"a", "b", "c", "d", "e"}
    assert result.bound == {"b", "t"}
    assert result.made == {"b", "d", "t"}
    assert result.kept == {"b", "d"}
    assert result.deleted == {"e", "t"}
