"""Which cells something reaches that begins on some lines."""

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.flow import reached


@pytest.mark.parametrize(
    ("first", "second", "cells"),
    [
        ("x = draw()", "y = x", {1, 2}),
        ("x = draw()\nz = 1", "y = z", {1}),
        ("x = draw()\nx = 3", "y = x", {1}),
        ("x = draw()\nif a:\n    x = 3", "y = x", {1, 2}),
        ("x = []\nx.append(draw())", "y = x", {1, 2}),
        ("x = draw()\nz = x + 1", "y = z", {1, 2}),
        ("x = draw()\ndef f(): return x", "y = f()", {1, 2}),
    ],
)
def test_by_the_names_that_pass_it_on(first: str, second: str, cells: set[int]) -> None:
    graph = build(percent.parse(f"# %% [1]\n{first}\n# %% [2]\n{second}\n"))
    assert reached(graph, {1: frozenset({1})}) == cells
