"""NBS203: what it tells of a cell that could mix new with old, and what it leaves alone."""

from __future__ import annotations

import pytest
from rulecase import facts_of, found

from pytest_nbsafe.config import Config
from pytest_nbsafe.rules import evaluate

ASKED = Config(select=("NBS203",), named=("NBS203",))
MIXED = """
# %% [2]
a = 1
# %% [3]
b = a + 1
# %% [4]
c = b + 1
# %% [5]
print(a, c)
"""


def test_the_path_and_the_remedy() -> None:
    (finding,) = evaluate(facts_of(MIXED, ASKED))
    assert finding.message == (
        "running cell 1 and then this cell, without cells 2 and 3, would mix the new `a` "
        "with `c`, made by cell 3 from the old one"
    )
    assert [(step.cell, step.line) for step in finding.steps] == [(1, 1), (3, 1), (4, 1)]
    assert finding.remedy == (
        "join cells 1, 2 and 3, or, when cell 1 runs again, run cells 2 and 3 before this one"
    )


@pytest.mark.parametrize(
    "text",
    [
        "# %% [2]\na = 1\n# %% [3]\nb = a\n# %% [4]\nprint(b)\n",  # a chain, nothing mixed
        "# %% [2]\nimport m\n# %% [3]\nb = m.f()\n# %% [4]\nprint(m.g(b))\n",
        "# %% [2]\ndef f():\n    pass\n# %% [3]\nb = f()\n# %% [4]\nprint(f(), b)\n",
        "# %% [2]\na = 1\n# %% [3]\nb = 2\n# %% [4]\nprint(a, b)\n",
        "# %% [2]\na = [1]\n# %% [3]\na.append(2)\n# %% [4]\nprint(a)\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found(text, ASKED) == []


def test_false_negative_only_the_first_mixture_of_a_cell_is_told() -> None:
    text = MIXED.replace("print(a, c)", "print(a, b, c)")
    assert found(text, ASKED) == ["NBS203 4:1 suspected note"]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ("2 3 4 5", ["NBS203 4:1 suspected note"]),  # cell 1 may have run as [1], too
        ("1 2 3 4", []),
        ("5 2 3 4", ["NBS203 4:1 suspected note"]),  # it ran again
        ("1 2 5 6", []),  # others did
        ("2 3 3 5", []),  # what is missing may be another session's
    ],
)
def test_only_a_cell_that_seems_to_be_run_again_is_told_of(
    counts: str, expected: list[str]
) -> None:
    text = MIXED
    for old, new in zip("2345", counts.split(), strict=True):
        text = text.replace(f"# %% [{old}]", f"# %% <{new}>")
    assert found(text.replace("<", "[").replace(">", "]"), ASKED) == expected


def test_not_asked_for_by_default() -> None:
    assert not any(f.code == "NBS203" for f in evaluate(facts_of(MIXED)))
