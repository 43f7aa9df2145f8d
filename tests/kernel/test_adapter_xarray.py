"""What the kernel knows of xarray: equal content has equal hashes, other content others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr
from adapted import aspects_of, fingerprint, row_words


def array() -> xr.DataArray:
    return xr.DataArray(
        np.arange(6.0).reshape(2, 3), {"x": ["a", "b"]}, ("x", "y"), name="q", attrs={"unit": "m"}
    )


def dataset() -> xr.Dataset:
    return xr.Dataset({"q": array(), "r": ("y", [1, 2, 3])}, attrs={"title": "t"})


def test_equal_arrays_have_equal_hashes() -> None:
    assert fingerprint(array()) == fingerprint(array().copy(deep=True))
    assert fingerprint(array().variable) == fingerprint(array().variable)
    assert fingerprint(dataset()) == fingerprint(dataset().copy(deep=True))
    stacked = array().stack(z=("x", "y"))
    assert fingerprint(stacked) == fingerprint(stacked.copy(deep=True))


def test_the_order_of_variables_means_nothing() -> None:
    assert fingerprint(dataset()) == fingerprint(dataset()[["r", "q"]])


def _changed(change: Callable[[Any], object], made: Any) -> Any:
    change(made)
    return made


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held.__setitem__((0, 0), 9.0),
        lambda held: held.attrs.update(unit="km"),
        lambda held: setattr(held, "name", "other"),
        lambda held: held.coords.update({"x": ["a", "c"]}),
        lambda held: held.coords.update({"k": 3}),
    ],
)
def test_a_changed_array_has_another_hash(change: Callable[[Any], object]) -> None:
    assert fingerprint(array()) != fingerprint(_changed(change, array()))


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held["q"].__setitem__((0, 0), 9.0),
        lambda held: held.attrs.update(title="other"),
        lambda held: held.update({"s": ("y", [1, 2, 3])}),
        lambda held: held.update({"r": ("y", [1, 2, 4])}),
    ],
)
def test_a_changed_set_has_another_hash(change: Callable[[Any], object]) -> None:
    assert fingerprint(dataset()) != fingerprint(_changed(change, dataset()))


def test_dimensions_count() -> None:
    assert fingerprint(array()) != fingerprint(array().rename(x="z"))
    assert fingerprint(array()) != fingerprint(array().transpose())
    assert fingerprint(dataset()) != fingerprint(dataset().set_coords("r"))


def test_to_look_leaves_no_trace() -> None:
    held = xr.DataArray(np.zeros(3))
    fingerprint(held)
    aspects_of(held)
    assert held.variable._attrs is None


def test_what_is_not_loaded_is_unknown_and_stays_so() -> None:
    from xarray.core.indexing import LazilyIndexedArray, NumpyIndexingAdapter

    lazy = xr.DataArray(
        xr.Variable("x", LazilyIndexedArray(NumpyIndexingAdapter(np.arange(3))), fastpath=True)
    )
    assert fingerprint(lazy, unknown=True) == "an array that is not loaded is not compared"
    assert aspects_of(lazy) == {"shape": "(3,)"}
    assert not lazy.variable._in_memory


def test_a_few_words() -> None:
    assert aspects_of(array()) == {"shape": "(2, 3)", "mean": "2.5"}
    assert aspects_of(dataset()) == {"sizes": "x: 2, y: 3", "names": "q, r"}


def test_rows_are_those_of_the_array() -> None:
    assert row_words(array()) == row_words(array().values)


def tree() -> xr.DataTree:
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs={"title": "t"}), "/n": dataset()})


def test_to_look_at_a_tree_changes_nothing() -> None:
    held = xr.DataTree(xr.Dataset({"q": ("y", [1, 2])}))
    before = fingerprint(held)
    assert held._attrs is None
    held.attrs, held["q"], str(held)
    assert fingerprint(held) == before
    assert fingerprint(tree()) == fingerprint(tree())


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held["n"]["q"].__setitem__((0, 0), 9.0),
        lambda held: held.attrs.update(title="other"),
        lambda held: held["n"].attrs.update(title="other"),
        lambda held: held.update({"m": xr.DataTree()}),
        lambda held: setattr(held, "name", "m"),
    ],
)
def test_a_changed_tree_has_another_hash(change: Callable[[Any], object]) -> None:
    assert fingerprint(tree()) != fingerprint(_changed(change, tree()))


def test_a_part_of_a_tree_changes_with_what_is_above_it() -> None:
    above = tree()
    part = above["n"]
    before = fingerprint(part)
    assert fingerprint(above) != before
    above.attrs["title"] = "other"
    assert fingerprint(part) != before
