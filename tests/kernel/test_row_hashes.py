"""Rows have the same hash whatever holds them, and different ones when they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.kernel.learning import row_hashes

sp: Any = pytest.importorskip("scipy.sparse")


def hashes(value: Any) -> list[int]:
    found: list[int] = row_hashes.hashes(row_hashes.table_of(value)).tolist()
    return found


def sampled(value: Any) -> Any:
    return row_hashes.sampled(row_hashes.table_of(value))


NUMBERS = np.array([[0.5, -0.0, np.nan], [1.0, 2.0, -3.0], [1e9, 0.1, 7.0]] * 30)
COUNTS = np.random.default_rng(0).integers(0, 3, (200, 40))


@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        pd.DataFrame,
        np.ndarray.tolist,
        lambda x: pd.DataFrame(x).astype(object),
        lambda x: pd.DataFrame(x).convert_dtypes(),
        lambda x: np.repeat(x, 2, axis=0)[::2],
        np.ma.masked_invalid,
        lambda x: x + 0.0,
    ],
)
def test_the_form_makes_no_difference(form: Any) -> None:
    assert hashes(NUMBERS) == hashes(form(NUMBERS))
    assert (sampled(NUMBERS) == sampled(form(NUMBERS))).all()


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_sparse_rows_are_those_of_the_dense_matrix(kind: str) -> None:
    matrix = sp.csr_matrix(COUNTS).asformat(kind)
    assert hashes(COUNTS) == hashes(matrix)
    assert hashes(COUNTS.astype("float32")) == hashes(matrix)


def test_a_sparse_matrix_with_duplicate_entries_stays_as_it_is() -> None:
    matrix = sp.csr_matrix((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert hashes([[0.0, 2.0], [1.0, 0.0]]) == hashes(matrix)
    assert matrix.nnz == 3


def test_whole_numbers_are_the_floats_they_equal() -> None:
    assert hashes(COUNTS) == hashes(COUNTS.astype(float)) == hashes(COUNTS.astype("uint8"))
    assert hashes(COUNTS > 1) == hashes((COUNTS > 1) * 1.0)


def test_large_whole_numbers_do_not_run_together() -> None:
    large: Any = 2**60 + np.arange(100)
    assert len(set(hashes(large))) == 100


@pytest.mark.parametrize(
    "column",
    [
        ["a", "b", None, "a"],
        pd.Series(["a", "b", None, "a"], dtype=object),
        pd.Series(["a", "b", None, "a"], dtype="category"),
        pd.Series(["a", "b", None, "a"], dtype="string"),
        np.array(["a", "b", None, "a"], dtype=object),
    ],
)
def test_texts_and_what_is_missing(column: Any) -> None:
    first, second, third, fourth = hashes(column)
    assert first == fourth
    assert len({first, second, third}) == 3
    assert [first, second, third, fourth] == hashes(["a", "b", None, "a"])


def test_mixed_frames() -> None:
    frame = pd.DataFrame(
        {"a": ["x", "y"], "b": [1, 2], "c": pd.to_datetime(["2020-01-01", None]), "d": [0.5, 1]}
    )
    assert len(set(hashes(frame))) == 2
    assert hashes(frame[["a", "b", "d"]]) == hashes(frame[["a", "b", "d"]].values)
    assert hashes(frame[["a", "b"]]) != hashes(frame[["b", "a"]])


def test_images_are_rows() -> None:
    images = np.random.default_rng(0).integers(0, 255, (50, 8, 8), dtype="uint8")
    assert hashes(images) == hashes(images.reshape(50, 64))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_grids_of_small_numbers_do_not_meet(width: int) -> None:
    side = {1: 60_000, 2: 250, 5: 9}[width]
    grid = np.stack(np.meshgrid(*[np.arange(side, dtype=float)] * width), -1).reshape(-1, width)
    assert len(grid) == len(set(hashes(grid)))
    assert len(grid) == len(set(hashes(grid / 8)))


def test_the_order_of_columns_counts() -> None:
    rows = [[float(a), float(b)] for a in range(50) for b in range(50)]
    assert len(set(hashes(rows))) == 2_500


@given(st.lists(st.floats(allow_subnormal=True), min_size=1, max_size=40, unique=True))
def test_one_column_of_any_floats(values: list[float]) -> None:
    distinct = len({0.0 if v == 0 else v for v in values if v == v})  # noqa: PLR0124  # NaN
    distinct += any(v != v for v in values)  # noqa: PLR0124  # NaN
    assert distinct == len(set(hashes(np.array(values))))


@pytest.mark.parametrize(
    "value",
    [None, 5, "text", {"a": 1}, [{"a": 1}], [[1], [1, 2]], np.float64(3), object(), range(3)],
)
def test_what_is_no_table(value: object) -> None:
    with pytest.raises(row_hashes.Unknown):
        row_hashes.table_of(value)


def test_objects_of_the_users_own_are_not_asked_for_their_hash() -> None:
    class Spy:
        def __hash__(self) -> int:
            raise AssertionError("it was asked")

    with pytest.raises(row_hashes.Unknown):
        hashes(np.array([Spy(), Spy()], dtype=object))


def test_a_table_that_is_too_large_is_unknown() -> None:
    with pytest.raises(row_hashes.Unknown):
        row_hashes.table_of(np.zeros((101, 1)), most_cells=100)
    with pytest.raises(row_hashes.Unknown):
        row_hashes.table_of(pd.DataFrame(np.zeros((51, 2))), most_cells=100)


def test_the_sample_is_spread_and_never_more_than_there_is() -> None:
    assert row_hashes.spread(3).tolist() == [0, 1, 2]
    assert row_hashes.spread(0).tolist() == []
    rows = row_hashes.spread(1_000)
    assert (rows[0], rows[-1], len(set(rows.tolist()))) == (0, 999, row_hashes.SAMPLE)
