"""Cells that no selected one needs are not run; what a selected one needs is."""

from __future__ import annotations

from pathlib import Path

import pytest
from makenb import write
from tiers import every

pytestmark = pytest.mark.kernel

PAGE = """
# %% [1]
import json
import os
open("ran-1", "w").close()
# %% [2]
a = 2
open("ran-2", "w").close()
# %% [3] tags=slow
import time
time.sleep(0.01)
slow = [open("ran-3", "w").close()]
# %% [4]
b = a + 4
open("ran-4", "w").close()
# %% [5]
assert b == 6
open("ran-5", "w").close()
"""
NOT_SLOW = ("-m", "not slow")


def ran(pytester: pytest.Pytester, text: str, *options: str, **outcomes: int) -> str:
    """Return the numbers of the cells that ran."""
    folder = Path(pytester.mkdir(f"run{len(list(pytester.path.iterdir()))}"))
    write(folder / "nb.ipynb", text)
    result = pytester.runpytest("--nbsafe", *options, str(folder))
    result.assert_outcomes(**outcomes)
    return "".join(sorted(file.name[-1] for file in folder.glob("ran-*")))


def test_what_nothing_selected_needs_is_not_run(pytester: pytest.Pytester) -> None:
    assert ran(pytester, PAGE, passed=6) == "12345"
    assert ran(pytester, PAGE, *NOT_SLOW, passed=5, deselected=1) == "1245"
    assert ran(pytester, PAGE, "-k", "cell-3", passed=1, deselected=5) == "3"
    assert ran(pytester, PAGE, "-k", "cell-5", passed=1, deselected=5) == "245"


@pytest.mark.parametrize(
    "slow",
    every(
        3,
        [
            "a = 2",
            "os.environ['A'] = 'x'",
            "import warnings\nwarnings.filterwarnings('error')",
            "def setting(n):\n    os.umask(n)\nsetting(0o22)",
            "exec('a = 2')",
            "!true",
            "json.total = a",
            "json.dump(a, open(os.devnull, 'w'))",
        ],
    ),
)
def test_what_others_may_see_runs(pytester: pytest.Pytester, slow: str) -> None:
    page = PAGE.replace("slow = [", f"{slow}\nslow = [")
    page = page.replace("b = a + 4", "json, os.environ.get('A')\nb = a + 4")
    assert ran(pytester, page, *NOT_SLOW, passed=5, deselected=1) == "12345"


@pytest.mark.corpus
def test_where_the_text_was_wrong_the_whole_page_runs(pytester: pytest.Pytester) -> None:
    page = PAGE.replace("slow = [", "done = [setattr(json, 'to' + 'tal', 4)]\nslow = [")
    right = page.replace("b = a + 4", "b = a + getattr(json, 'total')")
    assert ran(pytester, right, *NOT_SLOW, passed=5, deselected=1) == "12345"
    wrong = page.replace("b = a + 4", "b = getattr(json, 'total')")
    assert ran(pytester, wrong, *NOT_SLOW, passed=4, failed=1, deselected=1) == "1234"


def test_it_is_told(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", PAGE)
    result = pytester.runpytest("--nbsafe", *NOT_SLOW, "-v", "-p", "no:randomly", "-rP")
    result.stdout.fnmatch_lines(["cell 3 did not run: no selected cell needs it"])
