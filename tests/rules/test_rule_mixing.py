"""NBS203: what it tells of a cell that could mix new with old, and what it leaves alone."""

from __future__ import annotations

import pytest
from rulecase import facts_of, found

from pytest_nbsafe.config import Config
from pytest_nbsafe.rules import evaluate

ASKED = Config(select=("NBS203",), named=("NBS203",))
MIXED = """
# %% [1]
a = 1
# %% [2]
b = a + 1
# %% [3]
c = b + 1
# %% [4]
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
        "# %% [1]\na = 1\n# %% [2]\nb = a\n# %% [3]\nprint(b)\n",  # a chain, nothing mixed
        "# %% [1]\nimport m\n# %% [2]\nb = m.f()\n# %% [3]\nprint(m.g(b))\n",
        "# %% [1]\ndef f():\n    pass\n# %% [2]\nb = f()\n# %% [3]\nprint(f(), b)\n",
        "# %% [1]\na = 1\n# %% [2]\nb = 2\n# %% [3]\nprint(a, b)\n",
        "# %% [1]\na = [1]\n# %% [2]\na.append(2)\n# %% [3]\nprint(a)\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found(text, ASKED) == []


def test_false_negative_only_the_first_mixture_of_a_cell_is_told() -> None:
    text = MIXED.replace("print(a, c)", "print(a, b, c)")
    assert found(text, ASKED) == ["NBS203 4:1 suspected note"]


def test_not_asked_for_by_default() -> None:
    assert not any(f.code == "NBS203" for f in evaluate(facts_of(MIXED)))
