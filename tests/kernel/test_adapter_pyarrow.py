"""What the kernel knows of pyarrow: equal content has equal hashes, other content others."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa
import pytest
from adapted import aspects_of, fingerprint, row_words

COLUMNS: dict[str, Any] = {
    "a": [1, 2, None],
    "s": ["x", None, "yz"],
    "large": pa.array(["x", None, "yz"], pa.large_string()),
    "f": [0.5, 1.0, 2.0],
    "b": [True, None, False],
    "l": [[1], [2, 3], None],
    "c": pa.array(["u", "v", "u"]).dictionary_encode(),
    "d": pa.array([1, 2, 3], pa.date32()),
    "n": [{"q": 1}, {"q": 2}, {"q": 3}],
    "bytes": [b"1", b"2", None],
    "fixed": pa.array([b"123", b"456", None], pa.binary(3)),
    "view": pa.array(["x", None, "yz"], pa.string_view()),
}
CHANGED: dict[str, Any] = {
    "a": [1, 2, 0],
    "s": ["x", "", "yz"],
    "large": pa.array(["xy", None, "z"], pa.large_string()),
    "f": [0.5, 1.0, 3.0],
    "b": [True, None, None],
    "l": [[1], [2, 4], None],
    "c": pa.array(["u", "v", "v"]).dictionary_encode(),
    "d": pa.array([1, 2, 4], pa.date32()),
    "n": [{"q": 1}, {"q": 2}, {"q": 4}],
    "bytes": [b"1", b"2", b""],
    "fixed": pa.array([b"123", None, b"456"], pa.binary(3)),
    "view": pa.array(["x", None, "y"], pa.string_view()),
}


def table(**others: Any) -> pa.Table:
    return pa.table({**COLUMNS, **others})


def test_equal_tables_have_equal_hashes() -> None:
    columns = {name: column for name, column in COLUMNS.items() if name != "view"}
    whole = pa.table(columns)
    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1)])
    assert fingerprint(whole) == fingerprint(pa.table(columns)) == fingerprint(pieces)


@pytest.mark.parametrize("name", COLUMNS)
def test_other_content_has_another_hash(name: str) -> None:
    before, after = table()[name], table(**{name: CHANGED[name]})[name]
    assert fingerprint(before)
    assert fingerprint(before) != fingerprint(after)
    assert fingerprint(before.chunk(0)) != fingerprint(after.chunk(0))
    assert fingerprint(table()) != fingerprint(table(**{name: CHANGED[name]}))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_slice_is_what_it_shows(name: str) -> None:
    whole = pa.concat_arrays([table()[name].chunk(0)] * 4) if name != "c" else COLUMNS["c"]
    part = whole.slice(1, 2)
    copied = pa.array(part.to_pylist(), whole.type)
    if name == "c":  # the slice keeps words that it does not use
        assert part.to_pylist() == copied.to_pylist()
    else:
        assert fingerprint(part) == fingerprint(copied)


def test_names_types_and_metadata_count() -> None:
    numbers = pa.table({"a": [1, 2]})
    assert fingerprint(numbers) != fingerprint(numbers.rename_columns(["b"]))
    assert fingerprint(numbers["a"]) != fingerprint(numbers["a"].cast(pa.int32()))
    assert fingerprint(numbers) != fingerprint(numbers.replace_schema_metadata({"k": "v"}))
    assert fingerprint(pa.int8()) != fingerprint(pa.int16())


def test_what_stands_where_a_value_is_missing_means_nothing() -> None:
    import numpy as np

    masked = pa.array(np.array([1, 2]), mask=np.array([False, True]))
    assert fingerprint(masked) == fingerprint(pa.array([1, None]))


def test_a_large_array_is_unknown() -> None:
    import numpy as np

    assert fingerprint(pa.array(np.zeros(9_000_000)), unknown=True) == "too large to compare"


def test_nothing_more_of_the_library_is_imported() -> None:
    held = table()
    loaded = {name for name in sys.modules if name.startswith("pyarrow")}
    fingerprint(held)
    aspects_of(held)
    assert loaded == {name for name in sys.modules if name.startswith("pyarrow")}


def test_a_few_words() -> None:
    held = pa.table({"a": [1, 2], "s": ["x", "y"]})
    assert aspects_of(held) == {"shape": "(2, 2)", "columns": "a, s"}
    assert aspects_of(held["a"]) == {"length": "2"}
    assert aspects_of(held.schema) == {}


def test_rows_are_those_of_the_same_lists() -> None:
    held = pa.table({"a": [1, 2, 3], "s": ["x", "y", None]})
    assert row_words(held)[:2] == row_words(held.slice(0, 2))
    assert row_words(held["a"]) == row_words([1, 2, 3])
