"""What is kept first where there is not time for all: what it pays for most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_nbsafe.kernel.checkpoint.counted_references import Holders
from pytest_nbsafe.kernel.checkpoint.covariables import found_one_by_one, guess_s
from pytest_nbsafe.kernel.checkpoint.reachable import CONTAINER_S, Reached, Surface, keeping_s

TEXTS = pd.StringDtype("pyarrow")


class Row:
    """An object of a class of the notebook."""

    def __init__(self, number: int) -> None:
        self.number, self.words = number, [str(number)]


Row.__module__ = "__main__"


class Model:
    """What it holds is not seen from outside."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays


def order(home: dict[str, Any], worth_s: Mapping[str, float], limit_s: float = 60) -> list[str]:
    left = iter([limit_s] * 100)
    found = found_one_by_one(
        Holders(home, [*home], [], [home]), [*home], Surface(), worth_s, lambda: next(left)
    )
    return [name for group in found for name in group.names]


def array(megabytes: int) -> Any:
    return np.zeros(megabytes << 17)


def test_a_large_value_lets_a_small_one_go_first_that_took_as_long() -> None:
    home = {"layers": [array(20) for _ in range(4)], "model": Model(array(1))}
    assert order(home, {"layers": 1, "model": 1}) == ["model", "layers"]
    assert order(home, {"layers": 1000, "model": 1}) == ["layers", "model"]


def test_what_turns_out_large_once_it_is_looked_at_goes_behind() -> None:
    home = {"large": Model(array(80)), "plain": array(20)}
    assert order(home, {"large": 1, "plain": 1}) == ["plain", "large"]


def test_each_name_has_its_turn_once() -> None:
    shared = array(1)
    home = {"large": Model(array(80), shared), "view": shared[:5], "plain": array(20)}
    assert sorted(order(home, {"large": 1, "plain": 1, "view": 1})) == ["large", "plain", "view"]


def test_what_would_take_longer_than_is_left_is_not_even_looked_at() -> None:
    assert order({"large": array(200), "small": [1]}, {}, limit_s=0.1) == ["small"]


@pytest.mark.parametrize(
    "value",
    [
        [array(2) for _ in range(20)],
        {n: array(1) for n in range(20)},
        [{"a": [n], "b": {n: n}} for n in range(20_000)],
        [[[n]] for n in range(20_000)],
        array(5),
        [Row(n) for n in range(20_000)],
        [*range(100_000)],
        [str(n) for n in range(100_000)],
        np.array([str(n) for n in range(100_000)], dtype=object),
        pd.DataFrame({"a": np.arange(500_000), "b": pd.array([1, None] * 250_000)}),
        pd.DataFrame({"a": ["a", None] * 100_000}, dtype=object),
    ],
)
def test_a_guess_by_a_few_parts_is_about_what_looking_at_all_of_them_says(value: Any) -> None:
    assert guess_s(value) == pytest.approx(keeping_s([Reached(value, Surface())]), rel=0.5)


def test_a_column_of_texts_takes_longer_than_one_of_numbers_of_its_size() -> None:
    texts = pd.DataFrame({"a": pd.array(["some words"] * 100_000, dtype=TEXTS)})
    numbers = pd.DataFrame({"a": np.zeros(int(texts["a"].array.nbytes) // 8)})
    assert guess_s(texts) > 1.5 * guess_s(numbers)


def test_a_guess_counts_the_keys_too() -> None:
    by_text = {str(n): n for n in range(20_000)}
    both = guess_s([*by_text]) + guess_s([*by_text.values()])
    assert guess_s(by_text) == pytest.approx(both, rel=0.1)


def test_a_guess_of_what_holds_itself_and_of_what_is_empty() -> None:
    rows: list[Any] = []
    assert guess_s(rows) == CONTAINER_S
    rows.append(rows)
    assert guess_s(rows) < 10 * CONTAINER_S
