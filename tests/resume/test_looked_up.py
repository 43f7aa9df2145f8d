"""What a cell finds by a text, a class's name or a setting, and not by a word of its own.

The cell above is edited, its VALUE: the one below is run again, for it would show another thing.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import makenb
import pytest
import tiers

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from resume.shown_pages import shown

pytestmark = pytest.mark.kernel


def pages(name: str) -> list[tuple[str, ...]]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [tuple(page.strip("\n").split("\n---\n")) for page in text.split("\n===\n")]


BY_TEXTS, BY_MODULES = pages("looked_up_by_texts.txt"), pages("set_by_modules.txt")
PUT_ELSEWHERE = pages("put_elsewhere.txt")
"""What puts a lambda where no name leads to it, and what calls that."""


def needs(*texts: str) -> None:
    for library in ("numpy", "pandas", "matplotlib", "numexpr", "polars", "duckdb", "patsy"):
        if any(f"import {library}" in text or f", {library}" in text for text in texts):
            pytest.importorskip(library)


@pytest.mark.parametrize(("made", "found"), tiers.spread_rows(18, 6, BY_TEXTS))
def test_what_is_found_by_a_text(own_store: Path, made: str, found: str) -> None:
    needs(made)
    path = own_store / "nb.ipynb"
    first = shown(path, made.replace("VALUE", "1"), found, resumed=True)
    now = shown(path, made.replace("VALUE", "2"), found, resumed=True)
    assert now == shown(path, made.replace("VALUE", "2"), found, resumed=False)
    assert now != first


@pytest.mark.parametrize(("made", "found"), tiers.spread_rows(10, 4, BY_MODULES))
def test_what_a_module_sets_when_it_is_imported(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, made: str, found: str
) -> None:
    needs(made)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # it would be taken for the old one
    path, helper = own_store / "nb.ipynb", own_store / "helper.py"
    helper.write_text(made.replace("VALUE", "1"), encoding="utf-8")
    first = shown(path, "import helper", found, resumed=True)
    helper.write_text(made.replace("VALUE", "2"), encoding="utf-8")
    now = shown(path, "import helper", found, resumed=True)
    assert now == shown(path, "import helper", found, resumed=False)
    assert now != first


@pytest.mark.parametrize(("put", "calls"), tiers.every_row(10, PUT_ELSEWHERE))
def test_what_a_lambda_reads_that_lies_elsewhere(own_store: Path, put: str, calls: str) -> None:
    needs(put)
    path = own_store / "nb.ipynb"
    cells = "class C:\n    pass", "limit = 3", put, "limit = VALUE", calls
    shown(path, *(cell.replace("VALUE", "5") for cell in cells), resumed=True)
    now = shown(path, *(cell.replace("VALUE", "7") for cell in cells), resumed=True)
    assert "7" in now[-1]
    assert now == shown(path, *(cell.replace("VALUE", "7") for cell in cells), resumed=False)


@pytest.mark.corpus
def test_a_name_that_stands_in_the_text_of_another_cell_is_there(own_store: Path) -> None:
    path, helper = own_store / "nb.ipynb", own_store / "helper.py"
    text = "import sys\ndef found(name): return sys._getframe(1).f_globals.get(name)\n"
    helper.write_text(text, encoding="utf-8")
    cells = "import helper, time", "x = 7", "time.sleep(0.6)\nq = 'x'"  # it is kept
    shown(path, *cells, "print(helper.found(q))", resumed=True)
    assert shown(path, *cells, "print(helper.found(q), 1)", resumed=True)[-1] == "7 1\n"


@pytest.mark.corpus
def test_a_text_that_a_function_of_another_cell_finds_by_name(own_store: Path) -> None:
    pytest.importorskip("pandas")
    path = own_store / "nb.ipynb"
    above = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3]})\nasked = 'a > @least'"
    below = "def few(df): return [*df.query(asked).a]", "print(few(df))"
    shown(path, above, "least = 1", *below, resumed=True)
    assert shown(path, above, "least = 2", *below, resumed=True)[-1] == "[3]\n"


@pytest.mark.corpus
def test_a_name_that_is_found_in_the_module_of_the_cells_is_there(own_store: Path) -> None:
    path = own_store / "nb.ipynb"
    cells = "import sys, time\nown = sys.modules[__name__]", "x = 7\ntime.sleep(0.6)\nq = chr(120)"
    shown(path, *cells, "print(getattr(own, q))", resumed=True)
    assert shown(path, *cells, "print(getattr(own, q), 1)", resumed=True)[-1] == "7 1\n"


@pytest.mark.parametrize(
    "below",
    [
        "import logging\nlogging.getLogger('a').warning('x')",
        "from collections import namedtuple\nprint(namedtuple('N', 'x')(1))",
        pytest.param(
            "import pandas as pd\nprint(pd.Series([1], name='x'))", marks=pytest.mark.corpus
        ),
    ],
)
def test_a_text_in_which_nobody_looks_is_no_name(own_store: Path, below: str) -> None:
    needs(below)
    path = own_store / "nb.ipynb"
    shown(path, "x = 1", below, "print(2)", resumed=True)
    makenb.write(path, f"# %% [1]\nx = 2\n# %% [2]\n{below}\n# %% [3]\nprint(2)\n")
    config = configuration(path, {"resume": "on"})
    with closing(session.NotebookSession(path, config)) as each:
        for cell in each.cells:
            each.outcome(cell.number)
        each.outcome(0)
        assert each.report().remarks[0].endswith("run again: cell 1")


@pytest.mark.corpus
def test_what_a_magic_raised_tells_its_new_place(own_store: Path) -> None:
    path, last = own_store / "nb.ipynb", "%%capture out\nnowhere + 1"
    shown(path, "print(1)", "print(2)", last, resumed=True)

    def told(*, resumed: bool) -> list[str]:
        makenb.write(path, f"# %% [1]\nprint(2)\n# %% [2]\n{last}\n")
        config = configuration(path, {"resume": "on" if resumed else "off"})
        with closing(session.NotebookSession(path, config)) as each:
            for cell in each.cells:
                each.outcome(cell.number)
            each.outcome(0)
            assert each.trial is not None
            return [repr(result.outputs) for result in each.trial.clean.results]

    assert told(resumed=True) == told(resumed=False)
