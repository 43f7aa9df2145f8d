"""Hashes of settings: equal wherever they are, and none where the notebook's code is in them."""

from __future__ import annotations

import os.path
import types
from typing import Any

import pytest

from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot
from pytest_nbsafe.kernel.inputs.state_hashes import hash_of


def hashed(state: object) -> str:
    return hash_of(state, Snapshot(Texts(), {}))


@pytest.mark.parametrize(
    ("state", "other"),
    [
        ({"kinds": {"b", "a"}}, {"kinds": {"a", "b"}}),
        ({"shows": [os.path.join]}, {"shows": [os.path.join]}),
        ([[].append], [[].append]),
        ({int: ("a", {2: 3})}, {int: ("a", {2: 3})}),
    ],
)
def test_what_is_set_alike(state: object, other: object) -> None:
    assert hashed(state) == hashed(other) != ""


@pytest.mark.parametrize(
    ("state", "other"),
    [
        ({"width": 3}, {"width": 4}),
        ({"kinds": {"a"}}, {"kinds": {"a", "b"}}),
        ([os.path.join], [os.path.split]),
        ([int], [float]),
        ([1, 2], [2, 1]),
        ({"a": 1, "b": 2}, {"a": 1}),
    ],
)
def test_what_is_set_otherwise(state: object, other: object) -> None:
    assert hashed(state) != hashed(other)


def test_a_function_of_the_notebook_tells_nothing() -> None:
    home: dict[str, Any] = {"__name__": "__main__"}
    exec("def shown(value): return 3", home)  # as a cell does
    function: types.FunctionType = home["shown"]
    assert hash_of({"shows": function}, Snapshot(Texts(), home)) == ""
