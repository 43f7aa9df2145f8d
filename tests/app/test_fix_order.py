"""`nbsafe fix` with runs: what is mended is proved, and the rest of the file stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import tiers
from makenb import write

from pytest_nbsafe.app.run import run
from pytest_nbsafe.cli import main
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Output

pytestmark = pytest.mark.kernel

MOVED = """
# %% [markdown]
# Text stays where it is.
# %% [2]
print(rate * 2)
#> 6
# %% [3]
total = rate + 1
total
#> 4
# %% [1]
rate = 3
"""
IN_ORDER = """
# %% [markdown]
# Text stays where it is.
# %% [1]
rate = 3
# %% [2]
print(rate * 2)
#> 6
# %% [3]
total = rate + 1
total
#= 4
"""
STALE = """
# %% [4]
def area(r):
    return 3 * r * r
# %% [2]
small = area(1)
print(small)
#> 2
# %% [3]
print(small + 1)
#> 3
"""
FRESH = """
# %% [1]
def area(r):
    return 3 * r * r
# %% [2]
small = area(1)
print(small)
#> 3
# %% [3]
print(small + 1)
#> 4
"""
UNSAVED = """
# %%
print(late)
# %%
late = 1
"""
MENDED = ((MOVED, IN_ORDER), (STALE, FRESH))
KEPT: Mapping[str, str] = {
    "clean": IN_ORDER,
    "fails": "\n# %% [3]\ndef f():\n    return 2\n# %% [2]\nprint(f(), gone)\n#> 1 1\n",
    "another": "\n# %%\nprint(late)\n#> 2\n# %%\nopen('seen.txt', 'a')\nlate = 1\n",
}


def _cells(page: Path) -> list[tuple[str, int | None, tuple[Output, ...]]]:
    return [(cell.source, cell.count, cell.outputs) for cell in load.read(page).cells]


def _fixed(folder: Path, text: str) -> Path:
    """Return a page that was mended, beside which nothing is left that was tried."""
    folder.mkdir()
    page = write(folder / "a.ipynb", text)
    assert main(["fix", str(page)]) == 0
    assert [*folder.iterdir()] == [page]
    return page


@pytest.mark.parametrize(("before", "after"), tiers.every_row(2, MENDED), ids=("moved", "stale"))
def test_what_is_proved_is_written(tmp_path: Path, before: str, after: str) -> None:
    expected = write(tmp_path / "expected.ipynb", after)
    assert _cells(expected) == _cells(_fixed(tmp_path / "page", before))


@pytest.mark.parametrize("text", tiers.every(2, KEPT.values()), ids=tuple(KEPT))
def test_all_else_stays_byte_by_byte(tmp_path: Path, text: str) -> None:
    expected = write(tmp_path / "expected.ipynb", text).read_bytes()
    assert expected == _fixed(tmp_path / "page", text).read_bytes()


@pytest.mark.corpus
def test_a_move_is_shown_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = write(tmp_path / "a.ipynb", UNSAVED)
    assert main(["fix", "--diff", str(page)]) == 0
    assert capsys.readouterr().out == f"moved {page}, cell 2: above cell 1\n late = 1\n"


@pytest.mark.corpus
def test_draws_that_nothing_seeds_are_told_and_hinder_nothing(tmp_path: Path) -> None:
    page = write(
        tmp_path / "a.ipynb",
        f"# %% [4]\nimport random\nx = random.random()\n{MOVED}",
    )
    found = run([page], {"repeat": 2}).findings
    told = [f.message for f in found if f.code == "NBS404"]
    assert told == [
        "`x` of this cell is another in each run: it draws random numbers without a seed"
    ]
    assert main(["fix", str(page)]) == 0
    assert [cell.source for cell in load.read(page).cells][2] == "rate = 3"


def test_a_cell_that_shows_what_was_saved_is_not_told_as_saved_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "\n# %% [1]\nx = 1\n# %% [3]\nprint(x)\n#> 5\n# %% [2]\nx = 5\n"
    page = write(tmp_path / "a.ipynb", text)
    assert main(["fix", str(page)]) == 0
    assert capsys.readouterr().out == f"{page}: cell 3 moves above cell 2\n"
