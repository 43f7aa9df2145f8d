from __future__ import annotations

import marshal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.kernel.contract import ORDER
from pytest_nbsafe.kernel.hashing import bulk
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

numbers = st.integers(-(2**31), 2**31 - 1)
forms = st.one_of(
    st.just(numbers),
    st.just(st.floats()),
    st.just(st.tuples(numbers, st.floats())),
    st.just(st.lists(numbers, min_size=3, max_size=3)),
)


def of(value: object) -> str:
    found = Snapshot(Texts(), {"__name__": "__main__"}).fingerprint(value)
    return found["hash"] or found["cause"]


@given(forms.flatmap(lambda form: st.lists(form, min_size=1)))
@settings(deadline=None, max_examples=100)
def test_values_of_one_form(values: list[object]) -> None:
    assert [marshal.dumps(values, 2)] == bulk.uniform(values)


class Own(int):
    pass


@pytest.mark.parametrize(
    "odd",
    [True, None, 2**31, 1.0, "1", b"1234", Own(1), np.int32(1), np.float64(1), (1,), [1], {}],
    ids=repr,
)
@pytest.mark.parametrize("place", [0, 7, 99])
def test_one_of_another_form(odd: object, place: int) -> None:
    values: list[Any] = list(range(100))
    values[place] = odd
    assert bulk.uniform(values) is None


def test_pairs_that_differ_in_form() -> None:
    pairs: list[Any] = [(i, i) for i in range(100)]
    for odd in ([1, 1], (1, 1.0), (1, True), (1, 1, 1), (1,)):
        assert bulk.uniform([*pairs[:50], odd, *pairs[50:]]) is None


def test_lists_that_hold_themselves() -> None:
    values: list[Any] = list(range(100))
    values[50] = values
    assert bulk.uniform(values) is None
    assert len(of(values)) == 32


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_a_changed_number_shows(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([3, 511, 512, 513, 40_000]))
    array: Any = np.arange(size, dtype=data.draw(st.sampled_from(["i1", "i4", "f4", "f8", "i8"])))
    before = of(array)
    assert before == of(array.copy())
    place = data.draw(st.integers(0, size - 1))
    array[place : place + 1] = array[place : place + 1] + 1 if data.draw(st.booleans()) else 77
    if not (array == np.arange(size, dtype=array.dtype)).all():
        assert before != of(array)


def test_orders_and_signs_show() -> None:
    array: Any = np.arange(100_000, dtype="f8")
    swapped = array.copy()
    swapped[[10, 90_000]] = swapped[[90_000, 10]]
    negative = array.copy()
    negative[0] = -0.0
    flipped = array.copy()
    flipped[1:3] = [-1, -2]
    found = [of(a) for a in (array, swapped, negative, flipped, array[::-1], array.reshape(10, -1))]
    assert len(set(found)) == len(found)
    table = array.reshape(10, -1)
    turned = np.asfortranarray(table)
    assert of(turned) == of(table) + ORDER  # equal, but its sums may end in other digits
    assert of(turned) == of(turned.copy(order="A")) == of(table.T.copy().T)
    assert of(table[::-1, ::2]) == of(table[::-1, ::2].copy())


def test_texts_of_frames() -> None:
    one = pd.Series(["a", None, "b", float("nan")] * 100, dtype=object)
    two = pd.Series(["ab"[:1], None, "ba"[:1], np.nan] * 100, dtype=object)
    assert of(one) == of(two)
    others = [
        pd.Series(["a", np.nan, "b", None] * 100, dtype=object),
        pd.Series(["a", None, "b", pd.NaT] * 100, dtype=object),
        pd.Series(["a", None, "b", pd.NA] * 100, dtype=object),
        pd.Series(["a", None, "b", "nan"] * 100, dtype=object),
        pd.Series(["a", None, "b", 1.5] * 100, dtype=object),
        pd.Series(["a\0", None, "b", np.nan] * 100, dtype=object),
        pd.Series(["a", None, "\0b", np.nan] * 100, dtype=object),
    ]
    found = [of(one), *map(of, others)]
    assert len(set(found)) == len(found)
    assert of(one[::2]) == of(two[::2].copy())


def test_joined_texts() -> None:
    assert bulk.joined(["a", "b"]) == b"a\0b"
    assert bulk.joined(["a\0", "b"]) is None
    assert of(["a", "b\0c", "d"] * 10) != of(["a\0b", "c", "d"] * 10)
    assert of(["a", "\ud800"] * 10) != of(["a", "\ud801"] * 10)


def test_dictionaries_of_numbers() -> None:
    plain = {n: n * 1.5 for n in range(100)}
    assert of(plain) == of(dict(plain))
    others: list[dict[Any, Any]] = [
        {**plain, 50: 1},
        {**plain, 50: 75.5},
        {**plain, 99: None},
        {n: n * 1.5 for n in reversed(range(100))},
        {(n if n != 50 else 50.0): n * 1.5 for n in range(100)},
        {(n if n != 1 else True): n * 1.5 for n in range(100)},
        {n: n * 1.5 for n in range(1, 101)},
        {n: n * 1.5 for n in range(101)},
        {n: 2**40 if n == 7 else n * 1.5 for n in range(100)},
    ]
    found = [of(plain), *map(of, others)]
    assert len(set(found)) == len(found)
    pairs = {(n, n % 7): n for n in range(100)}
    assert of(pairs) == of(dict(pairs)) != of({**pairs, (3, 3): 4})


@given(st.dictionaries(numbers, st.one_of(numbers, st.floats()), min_size=8))
@settings(deadline=None, max_examples=100)
def test_dictionaries_are_told_apart_by_what_they_hold(one: dict[int, float]) -> None:
    last = list(one)[-1]
    others = [
        {**one, last: str(one[last])},
        {**one, last: [one[last]]},
        {key: one[key] for key in one if key != last},
    ]
    found = [of(one), *map(of, others)]
    assert of(dict(one)) == found[0]
    assert len(set(found)) == len(found)


def test_a_large_frame_is_refused_before_it_is_read() -> None:
    snapshot = Snapshot(Texts(), {"__name__": "__main__"})
    numbers_only = {f"c{number}": np.zeros(1_000_000) for number in range(9)}
    frame = pd.DataFrame({"texts": ["some text"] * 1_000_000, **numbers_only})
    frame["day"] = pd.Timestamp("2026-01-01")
    assert snapshot.fingerprint(frame)["cause"] == "too large to compare"
    assert snapshot.work < 10_000
    assert len(of(frame.drop(columns=["c5", "c6", "c7", "c8", "day"]))) == 32
