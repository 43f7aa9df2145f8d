"""Edits of a cell after which others hold what they held: those are not run again.

And those edits which look alike, after which they do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from resume.test_resume import Runs

pytestmark = pytest.mark.kernel

FUNCTIONS = """
# %% [1]
import warnings
limit = 3
# %% [2]
factor = 2
def scaled(value, by=factor):
    return value * by
class Box:
    def __init__(self, value):
        self.value = value
    def twice(self):
        return scaled(self.value)
# %% [3]
box = Box(5)
# %% [4]
print(scaled(3), box.twice())
# %% [5]
def told(value):
    warnings.warn("careful")
    return value
# %% [6]
told(scaled(limit))
"""
NAMES = """
# %% [1]
import pandas as pd
prices = pd.DataFrame({"price": [1, 2, 3]})
# %% [2]
prices["price"].max(skipna=True)
# %% [3]
prices.query("price > 1")
# %% [4]
def held(low=0):
    "Tell the mean."
    return low
held()
"""


@pytest.fixture
def runs(own_store: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(own_store, monkeypatch)


def run_again(runs: Runs, page: str, edits: dict[tuple[str, str], list[int]]) -> None:
    """Run a page, then with each edit: only these cells run again."""
    for (was, now), cells in edits.items():
        runs.write(page)
        runs.made()
        assert page.count(was) == 1, was
        runs.write(page.replace(was, now))
        assert (now, runs.made()) == (now, cells)


def test_another_line_of_a_cell_that_defines_functions(runs: Runs) -> None:
    edits = {
        ("factor = 2", "factor = 2\nother = 1"): [2, 6],  # its warning stands in one of two cells
        ("limit = 3", "limit = 3\ndef other(): pass"): [1],
        ("factor = 2", "factor = 3"): [2, 3, 4, 6],
        ("scaled(self.value)", "scaled(self.value) + 0"): [2, 3, 4, 6],
        ("def told(", "other = 1\ndef told("): [5, 6],  # which shows the line
    }
    run_again(runs, FUNCTIONS, edits)


@pytest.mark.corpus
def test_a_new_name_of_what_is_a_column_or_an_attribute(runs: Runs) -> None:
    first = "import pandas as pd"
    edits = {
        (first, f"{first}\nmax = skipna = mean = 1"): [1],
        (first, f"{first}\nlow = 1"): [1, 4],
    }
    run_again(runs, NAMES, edits)
    runs.write(NAMES.replace(first, f"{first}\nprice = 1"))
    assert runs.made() == [1, 3], "the query may look it up"


@pytest.mark.corpus
def test_a_command_of_the_shell_sets_nothing_by_being_first(runs: Runs) -> None:
    page = "# %%\n!true\n# %%\nlimit = 3\n# %%\nprint(limit)\n"
    run_again(runs, page, {("print(limit)", "print(limit + 1)"): [1, 3]})


CHANGED_CLASS = """
# %% [1]
class Page:
    seen = {}
    def __init__(self, file):
        self.file = file
        Page.seen[file.name] = self
# %% [2]
from pathlib import Path
pages = [Page(Path("b.html"))]
# %% [3]
for name in ["index.html"]:
    pass
# %% [4]
pages[0].extra = "x"
# %% [5]
Page.seen.clear()
# %% [6]
print(len(Page.seen))
"""


@pytest.mark.corpus
def test_what_a_class_mentions_that_was_changed_since_is_held_where_it_runs(runs: Runs) -> None:
    """Its functions mention `name`, and the cell that changed it does not."""
    runs.write(CHANGED_CLASS)
    runs.made()
    edited = CHANGED_CLASS.replace('extra = "x"', 'extra = "y"')
    runs.write(edited)
    assert runs.made() == [4, 5]
    runs.write(edited.replace("print(len", "print(name, len"))
    assert (runs.made(), runs.started) == ([6], 1), "nothing is run anew"
