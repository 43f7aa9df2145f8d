from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_nbsafe.kernel import foreign_threads
from pytest_nbsafe.kernel.checkpoint.counted_references import Holders, sharing
from pytest_nbsafe.kernel.hashing import object_arrays
from pytest_nbsafe.kernel.hashing.bulk import PLAIN
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.object_arrays import holds_plain, kinds_in, nothing_runs
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot


@pytest.fixture(autouse=True, scope="module")
def _threads_of_the_test_run() -> None:
    foreign_threads.note_own()


class OwnText(str):
    __slots__ = ("more",)
    more: list[int]


TEXTS = st.sampled_from(["", "text", "\U0001f600"])
OBJECTS = st.sampled_from(
    [
        *(None, "", "text", "\U0001f600", b"", 0, 2**70, True, 1.5, float("nan"), 1j, pd.NA),
        *(pd.NaT, [], {}, (), int, object(), OwnText("text"), np.float64(1), np.str_("text"), len),
    ]
)


CUTS = st.tuples(st.slices(6), st.slices(6))
ALL, FIRST = slice(None), slice(1)


def fingerprint(value: object) -> str:
    return Snapshot(Texts(), {"__name__": "__main__"}).fingerprint(value)["hash"]


def transposed(array: Any) -> Any:
    return array.T


ORDERS = st.sampled_from([np.asarray, transposed, np.asfortranarray])


def block(rows: list[list[object]]) -> Any:
    array: Any = np.empty((len(rows), len(rows[0])), dtype=object)
    for place, row in enumerate(rows):
        array[place] = row
    return array


def kinds(array: Any) -> set[int]:
    return {id(type(item)) for item in array.ravel().tolist()}


@pytest.mark.corpus
@given(st.lists(st.lists(OBJECTS, min_size=40, max_size=40), min_size=1, max_size=4), CUTS, ORDERS)
@settings(deadline=None, max_examples=200)
def test_kinds_are_read_where_they_lie(
    rows: list[list[object]], cuts: tuple[slice, slice], order: Callable[[Any], Any]
) -> None:
    part = order(block(rows))[cuts]
    assert kinds_in(np, part) == kinds(part)


def test_kinds_of_many_and_of_none() -> None:
    many: Any = np.array([f"text {number}" for number in range(200_000)], dtype=object)
    assert kinds_in(np, many) == {id(str)}
    many[150_000] = OwnText("one")
    assert kinds_in(np, many) == {id(str), id(OwnText)}
    assert kinds_in(np, np.empty((0, 3), dtype=object)) == set()
    no_object = kinds_in(np, np.empty(9, dtype=object))  # or None, as numpy likes
    assert no_object in (set(), {id(type(None))})


def test_other_threads_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    column = pd.Series(["text", OwnText("text"), None], dtype=object)
    alone = kinds_in(np, column.to_numpy()), fingerprint(column)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        monkeypatch.setattr(object_arrays, "_addresses", None)  # memory is not read
        assert (kinds_in(np, column.to_numpy()), fingerprint(column)) == alone
        with nothing_runs():
            array = block([["text"]])
            assert holds_plain(np, array)
            array[0, 0] = []
            assert not holds_plain(np, array), "it was noted, but a thread may change it"
    finally:
        stop.set()
        thread.join()


# ------------------------------------------------------------------ what is known of memory


@given(
    st.lists(
        st.one_of(*(st.lists(of, min_size=5, max_size=5) for of in (TEXTS, TEXTS, OBJECTS))),
        min_size=1,
        max_size=4,
    ),
    st.lists(CUTS, min_size=1, max_size=8),
    ORDERS,
)
@example([["text"] * 5, [[]] * 5], [(ALL, FIRST), (FIRST, ALL), (ALL, FIRST)], np.asarray)
@example([["text"] * 5, [[]] * 5], [(FIRST, ALL), (slice(None, None, -1), ALL)], np.asarray)
@settings(deadline=None, max_examples=100)
def test_what_is_noted_of_parts_holds_for_no_others(
    rows: list[list[object]], looks: list[tuple[slice, slice]], order: Callable[[Any], Any]
) -> None:
    array, plain = order(block(rows)), {*map(id, PLAIN)}
    with nothing_runs():
        for cuts in looks:
            part = array[cuts]
            assert holds_plain(np, part) == (kinds(part) <= plain)


def test_what_is_noted_ends_with_the_rest() -> None:
    array = block([["text"] * 9])
    with nothing_runs():
        assert holds_plain(np, array[0])
        array[0, 3] = []
        assert holds_plain(np, array[0]), "it was not noted: the next lines prove nothing"
    assert not holds_plain(np, array[0])
    with nothing_runs():
        assert not holds_plain(np, array[0])


def test_what_is_noted_ends_with_the_array() -> None:
    others = [block([["text", [], number]]) for number in range(50)]
    with nothing_runs():
        for other in others:
            assert holds_plain(np, block([["text", "text", "text"]]))  # its memory is used again
            assert not holds_plain(np, other.copy())


def test_a_note_ties_nothing() -> None:
    array: Any = np.array(["text"] * 9, dtype=object)
    home = {"x": array, "y": [1]}
    del array
    with nothing_runs():
        assert holds_plain(np, home["x"])
        assert sharing("x", Holders(home, [*home], [], [home])) == []


def test_a_text_of_another_class_is_not_taken_for_one() -> None:
    text = OwnText("text")
    text.more = [1]
    column = pd.Series(["text", text], dtype=object)
    before = fingerprint(column)
    text.more.append(2)
    after = fingerprint(column)
    assert before != after or not after
    plain = pd.Series(["text", np.str_("text"), None, float("nan"), pd.NA], dtype=object)
    assert fingerprint(plain)
