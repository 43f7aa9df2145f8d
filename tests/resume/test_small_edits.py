"""Comments, text cells and tags that nobody heeds: the report of the page as it was goes for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import makenb
import pytest
import tiers

from pytest_nbsafe.app import session, whole_reports
from pytest_nbsafe.app.inputs import configuration
from resume.given_whole import comparable, is_given_whole, report

PAGE = """
# %% [markdown]
# Some words.
# %% [1]
numbers = [1, 2, 5]
# %% [2]
# how many there are
many = len(numbers)
# %% [3]
total = sum(numbers)
print(total)
#> 9
# %% [4]
print(many)
#> 3
# %% [5]
print(numbers[7])
# %% [6]
# many = 4
"""
"""Cell 4 shows something else than was saved, 6 fails, and all of 7 is a comment.

What is told of 4 names 2, of which it is made, and not 3.
"""
_CELLS = {"words": 1, "first": 2, "second": 3, "wrong": 4, "last": 5, "failing": 6, "comment": 7}


@pytest.fixture
def page(own_store: Path) -> Path:
    path = makenb.write(own_store / "nb.ipynb", PAGE)
    edit(path, "first", lambda _: None)
    return path


def edit(path: Path, cell: int | str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a cell of the file, and save it as an editor does: each line of a cell is one."""
    page = json.loads(path.read_text(encoding="utf-8"))
    for each in page["cells"]:
        each["source"] = "".join(each["source"])
    change(page["cells"][(_CELLS[cell] if isinstance(cell, str) else cell) - 1])
    for each in page["cells"]:
        each["source"] = each["source"].splitlines(keepends=True)
    path.write_text(json.dumps(page, indent=1), encoding="utf-8")


def _text(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(cell: dict[str, Any]) -> None:
        assert old in cell["source"]
        cell["source"] = cell["source"].replace(old, new, 1)

    return change


def _tags(*tags: str) -> Callable[[dict[str, Any]], None]:
    return lambda cell: cell["metadata"].update(tags=[*tags])


SMALL: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "a comment": ("second", _text("how many there are", "as many")),
    "a line more": ("second", _text("many =", "# how often\n# it was seen\nmany =")),
    "spaces": ("second", _text("len(numbers)", "len(  numbers\n )")),
    "a text cell": ("words", _text("Some words.", "Other words,\n\nand more of them.")),
    "a tag": ("second", _tags("hide-input")),
    "a tag of a text cell": ("words", _tags("intro")),
}


@pytest.mark.parametrize("name", tiers.sampled(SMALL, "a text cell".__eq__))
def test_the_report_goes_for_it(page: Path, name: str) -> None:
    first = report(page)
    assert {finding.code for finding in first.findings} >= {"NBS401", "NBS402"}
    edit(page, *SMALL[name])
    assert is_given_whole(page)
    whole = report(page)
    recalled = session.examine(page, configuration(page, {"resume": "on"}))
    assert comparable(whole) == comparable(recalled)
    assert whole.findings == report(page, resume="off").findings


@pytest.mark.corpus
def test_each_cell_says_it_with_the_lines_of_today(page: Path) -> None:
    before = report(page).findings
    edit(page, *SMALL["a line more"])
    config = configuration(page, {"resume": "on"})
    place = whole_reports.place_of(page, config)
    assert place is not None
    given = whole_reports.session(place, config, session.NOBODY_LISTENS)
    assert given is not None
    after = [finding for cell in given.cells for finding in given.outcome(cell.number).findings]
    lines = {finding.code: finding.file_line or 0 for finding in after}
    assert lines == {finding.code: (finding.file_line or 0) + 2 for finding in before}
    shown = page.read_text(encoding="utf-8").splitlines()
    assert "print(total)" in shown[lines["NBS402"] - 1]
    assert "print(numbers[7])" in shown[lines["NBS401"] - 1]


NOT_SMALL: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "a value": ("first", _text("[1, 2, 5]", "[1, 2, 6]")),
    "what is silent": ("wrong", _text("print(total)", "total;")),
    "a comment to this tool": ("second", _text("how many", "nbsafe: ignore  how many")),
    "a comment to another": ("second", _text("how many there are", "NBVAL_SKIP")),
    "a tag that says how it runs": ("second", _tags("nbsafe:skip")),
    "a tag for parameters": ("first", _tags("parameters")),
    "a line of a finding": ("wrong", _text("print", "# shown\nprint")),
    "a line of a traceback": ("failing", _text("print", "# shown\nprint")),
    "what is no more than a comment": ("comment", _text("many = 4", "many = 5")),
    "a comment taken away": ("comment", _text("# many = 4", "")),
    "a count": ("last", lambda cell: cell.update(execution_count=9)),
    "a saved output": ("last", lambda cell: cell.update(outputs=[])),
    "the kind of a cell": ("words", lambda cell: cell.update(cell_type="raw")),
}


@pytest.mark.parametrize("name", tiers.sampled(NOT_SMALL, {"a line of a finding"}.__contains__, 2))
def test_it_does_not_go_for_what_may_say_more(page: Path, name: str) -> None:
    report(page)
    edit(page, *NOT_SMALL[name])
    assert not is_given_whole(page)
    assert report(page).findings == report(page, resume="off").findings


OTHER_PAGES = {
    "it reads its text": "# %% [1]\na = 1\n# %% [2]\nimport inspect\nf = inspect.getsource",
    "it reads earlier texts": "# %% [1]\na = 1\n# %% [2]\nprint(len(In))",
    "one text stands twice": "# %% [1]\na = 1\n# %% [2]\na = 1",
    "a line of it is logged": "# %% [1]\na = 1\n# %% [2]\nimport sys\n"
    "print('/tmp/ipykernel_1/2.py:1', file=sys.stderr)",
}


@pytest.mark.parametrize("name", tiers.sampled(OTHER_PAGES, "a line of it is logged".__eq__))
def test_it_does_not_go_for_a_page_on_which_lines_show(own_store: Path, name: str) -> None:
    path = makenb.write(own_store / "nb.ipynb", OTHER_PAGES[name])
    report(path)
    edit(path, 1, _text("a = 1", "# one\na = 1"))
    assert not is_given_whole(path)


@pytest.mark.corpus
def test_no_number_is_too_long(own_store: Path) -> None:
    shows = "print('/tmp/ipykernel_1/2.py:' + '9' * 5000 + ': old', '7' * 5000)"
    path = makenb.write(own_store / "nb.ipynb", f"# %% [1]\na = 1\n# %% [2]\n{shows}\n#> 1\n")
    report(path)
    edit(path, 1, _text("a = 1", "# one\na = 1"))
    assert report(path).findings == report(path, resume="off").findings


def test_a_warning_is_of_the_cell_whose_line_it_shows(own_store: Path) -> None:
    warns = "import warnings\ndef old():\n    warnings.warn('it is\\nold')"
    text = f"# %% [1]\na = 1\n# %% [2]\n{warns}\n# %% [3]\nold()\n"
    path = makenb.write(own_store / "nb.ipynb", text)
    report(path)
    for cell, old in ((3, "old()"), (1, "a = 1")):
        edit(path, cell, _text(old, f"# as it was\n{old}"))
        assert is_given_whole(path)
    edit(path, 2, _text("import", "# why\nimport"))
    assert not is_given_whole(path)


@pytest.mark.corpus
def test_contracts_may_ask_for_all_of_a_page(page: Path) -> None:
    query = "SELECT cell FROM cells WHERE lines > 2"
    own = {"contract": [{"name": "short", "sql": query}]}
    report(page, **own)
    assert is_given_whole(page, **own)
    edit(page, *SMALL["a line more"])
    assert not is_given_whole(page, **own)
    assert any(finding.code == "NBS501" for finding in report(page, **own).findings)
