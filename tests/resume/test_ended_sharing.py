"""A value that is made again and is equal, and no longer shares what the one before shared."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiers

from resume.test_state_of_many_kinds import shown

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


@pytest.mark.parametrize("page", tiers.spread(6, 1, PAGES))
def test_what_is_shown_is_what_a_full_run_shows(
    own_store: Path, page: tuple[str, str, str, str, str]
) -> None:
    made, second, edited, done, last = page
    if "import " in made:
        pytest.importorskip(made.split()[1])
    path = own_store / "nb.ipynb"
    shown(path, (made, second, done, last), resumed=True)
    for cells in (
        (made, edited, done, last),
        (made, edited, done, f"{last}\nedited = 1"),
        (made, second, done, f"{last}\nedited = 1"),
    ):
        assert shown(path, cells, resumed=True) == shown(path, cells, resumed=False)
