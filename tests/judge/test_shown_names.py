"""Which names a cell's saved output shows wholly."""

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.judge.verdicts import shown_names


def names(text: str) -> str:
    graph = build(percent.parse(f"# %% [1]\n{text}\n"))
    return " ".join(sorted(shown_names(graph, 1)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n#= 1", "x"),
        ("print(x, 'and', y)\n#> 1 and 2", "x y"),
        ("print(f'{x:.2f} of {y}')\n#> 1.00 of 2", "x y"),
        ("sorted(x.items()), [y.round(2)]\n#= ([], [1])", "x y"),
        ("x.to_dict()\n#= {}", "x"),
        ("len(x)\n#= 3", ""),
        ("x.head()\n#= 1", ""),
        ("print(x['a'], x.shape)\n#> 1 2", ""),
        ("y = x", ""),
        ("x\n#= 1 ... 9", ""),
    ],
)
def test_what_is_shown_wholly(text: str, expected: str) -> None:
    assert names(text) == expected


def test_a_cell_that_does_not_parse_shows_nothing() -> None:
    assert names("print(x") == ""
