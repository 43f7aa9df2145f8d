"""What the kernel knows of polars: equal content has equal hashes, other content others."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import polars as pl
import pytest
from adapted import aspects_of, fingerprint, row_words

FRAME: dict[str, Any] = {
    "a": [1, 2, None],
    "s": ["x", None, "y"],
    "f": [0.5, -0.0, 2.0],
    "b": [True, None, False],
    "l": [[1], [2, 3], None],
    "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
    "d": pl.Series([1, 2, 3]).cast(pl.Date),
    "n": [{"q": 1}, {"q": 2}, {"q": 3}],
    "large": pl.Series([1, 2, 3], dtype=pl.Int128),
    "bytes": [b"1", b"2", None],
}
CHANGED: dict[str, Any] = {
    "a": [1, 2, 0],
    "s": ["x", "", "y"],
    "f": [0.5, 1.0, 2.0],
    "b": [True, None, None],
    "l": [[1], [2, 4], None],
    "c": pl.Series(["u", "v", "v"], dtype=pl.Categorical),
    "d": pl.Series([1, 2, 4]).cast(pl.Date),
    "n": [{"q": 1}, {"q": 2}, {"q": 4}],
    "large": pl.Series([1, 2, 4], dtype=pl.Int128),
    "bytes": [b"1", b"2", b""],
}


def frame(**others: Any) -> pl.DataFrame:
    return pl.DataFrame({**FRAME, **others})


def test_equal_frames_have_equal_hashes() -> None:
    whole = fingerprint(frame())
    assert whole
    assert whole == fingerprint(frame())
    assert whole == fingerprint(pl.concat([frame()[:1], frame()[1:]]))  # in two pieces


@pytest.mark.parametrize("column", FRAME)
def test_other_content_has_another_hash(column: str) -> None:
    before, after = frame()[column], frame(**{column: CHANGED[column]})[column]
    assert fingerprint(before)
    assert fingerprint(before) != fingerprint(after)
    assert fingerprint(frame()) != fingerprint(frame(**{column: CHANGED[column]}))


def test_names_and_types_count() -> None:
    numbers = pl.Series("a", [1, 2])
    assert fingerprint(numbers) != fingerprint(numbers.alias("b"))
    assert fingerprint(numbers) != fingerprint(numbers.cast(pl.Int32))


def test_what_stands_where_a_value_is_missing_means_nothing() -> None:
    masked = pl.select(pl.when(pl.Series([True, False])).then(pl.Series([1, 2]))).to_series()
    assert fingerprint(pl.Series("", [1, None])) == fingerprint(masked.alias(""))


def test_another_process_gives_the_same_hashes() -> None:
    code = (
        "import sys; sys.path[:0] = ['tests', 'tests/kernel']\n"
        "import polars as pl; pl.Series(['v', 'u'], dtype=pl.Categorical)\n"
        "from test_adapter_polars import frame, fingerprint; print(fingerprint(frame()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint(frame())


def test_what_is_not_computed_is_unknown() -> None:
    assert fingerprint(frame().lazy(), unknown=True) == "a lazy frame is not compared"


def test_a_large_frame_is_unknown() -> None:
    large = pl.Series(range(10)).extend_constant(1, 9_000_000)
    assert fingerprint(large, unknown=True) == "too large to compare"


def test_objects_of_the_notebook_are_not_asked() -> None:
    class Own:
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    held = pl.Series("o", [Own(), Own()], dtype=pl.Object)
    assert fingerprint(held) == fingerprint(held)


def test_a_few_words() -> None:
    assert aspects_of(pl.Series([1, 2, None])) == {"length": "3", "mean": "1.5"}
    assert aspects_of(pl.DataFrame({"a": [1, 2], "s": ["x", "y"]})) == {
        "shape": "(2, 2)",
        "columns": "a, s",
        "mean of 'a'": "1.5",
    }


def test_rows_are_those_of_the_same_lists() -> None:
    table = pl.DataFrame({"a": [1, 2, 3], "s": ["x", "y", None]})
    assert row_words(table) == row_words(table.clone())
    assert row_words(table)[:2] == row_words(table[:2])
    assert row_words(table["a"]) == row_words([1, 2, 3])
