"""A value that is made again and is equal, and no longer shares what the one before shared."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiers

from pytest_nbsafe.resume import keeping_budget
from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

# what is made, how it comes to a second name, what that is edited to, what is done, what is shown
PAGES = (
    ("a = [1, 2]", "b = a", "b = list(a)", "b.append(3)", "print(a)"),
    ("a = [1, 2]", "b = list(a)", "b = a", "b.append(3)", "print(a)"),
    ("a = [1, 2]", "b = a", "b = list(a)", "b.append(3); print(len(a))", "print(a)"),
    ("a = [1, 2]", "b = a", "b = list(a)", "c = [a, b]", "c[0].append(3)\nprint(c)"),
    ("a = [1]", "b = a\nc = b", "b = list(a)\nc = b", "c.append(3)", "print(a, b)"),
    ("a = [1]", "b = a", "b = list(a)", "print(a is b)", "pass"),
    ("n = 3", "a = [[0] * n] * 2", "a = [[0] * n for _ in 'ab']", "a[0][0] = 1", "print(a)"),
    ("a = {'x': []}", "a['y'] = a['x']", "a['y'] = []", "a['x'].append(1)", "print(a)"),
    ("a = [1]", "b = [a]", "b = [list(a)]", "b[0].append(3)", "print(a)"),
    (
        "a = {'o': {'k': 0}, 'p': {'k': 0}}",
        "b = a['o']",
        "b = a['p']",
        "b['k'] = 1",
        "print(a)",
    ),
    (
        "import pandas as pd\na = pd.DataFrame({'x': [1, 2]})",
        "b = a",
        "b = a.copy()",
        "b['y'] = b.x * 10",
        "print([*a])",
    ),
    ("import numpy as np\na = np.arange(5)", "b = a[:]", "b = a.copy()", "b[0] = 9", "print(a)"),
    ("import numpy as np\na = np.arange(5)", "b = a", "b = a.copy()", "b[0] += a[1]", "print(a)"),
    (
        "class Box:\n    def __init__(self, it): self.it = it\na = [1]",
        "b = Box(a)",
        "b = Box([*a])",
        "b.it.append(2)",
        "print(a)",
    ),
)


@pytest.mark.parametrize("page", tiers.spread(14, 4, PAGES))
def test_what_is_shown_is_what_a_full_run_shows(
    own_store: Path, page: tuple[str, str, str, str, str]
) -> None:
    made, second, edited, done, last = page
    if "import " in made:
        pytest.importorskip(made.split()[1])
    path = own_store / "nb.ipynb"
    shown(path, made, second, done, last, resumed=True)
    for cells in (
        (made, edited, done, last),
        (made, edited, done, f"{last}\nedited = 1"),
        (made, second, done, f"{last}\nedited = 1"),
    ):
        assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)


@pytest.mark.parametrize(
    "takes",
    tiers.by_hand(
        2,
        [
            "c = b.pop()",
            "c = b[0]; b = None",
            "c = b[0]\ndel b",
            "def take(it):\n    global b\n    b = None\n    return it[0]\nc = take(b)",
            "d = [0]\nd.append(b.pop())\nc = d[1]",
        ],
    ),
)
def test_what_was_taken_of_a_value_that_shares_now(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, takes: str
) -> None:
    """The cell that took it is reused, and its value is no more a part of what that has found."""
    for name, value in {
        "_WORTH_S": 0.05,
        "_LONG_S": 0.05,
        "MOST_SHARE": 20.0,
        "_WAIT_SHARE": 20.0,
    }.items():
        monkeypatch.setattr(keeping_budget, name, value)  # so that it is kept
    path, made = own_store / "nb.ipynb", "a = [1]"
    takes = f"{takes}\nlast = sum(n * n for n in range(2_000_000))"
    shown(path, made, "b = [list(a)]", takes, "k = 1", "print(c)", resumed=True)
    for cells in (
        (made, "b = [a]", takes, "k = 1", "print(c)"),
        (made, "b = [a]", takes, "a.append(2)", "print(c)"),
        (made, "b = [a]", takes, "c.append(3)", "print(a)"),
        (made, "b = [list(a)]", takes, "c.append(3)", "print(a)"),
    ):
        assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
