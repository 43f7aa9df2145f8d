"""What modules of the project keep of what they gave to cells, or were given by them."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiers

from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

COUNTED = """
import functools
calls = []
def counted(function):
    @functools.wraps(function)
    def counting(): calls.append(7)
    return counting
"""
PAGES = {
    "a value that a module holds": (
        "_held = []\ndef register(value): _held.append(value)\ndef show(): print(_held)",
        ("import helper", "x = []\nhelper.register(x)", "x.append(7)", "helper.show()"),
    ),
    "a result that a function keeps": (
        "import functools\n@functools.lru_cache\ndef load(n): return [n]",
        ("import helper", "x = helper.load(1)", "x.append(7)", "print(helper.load(1))"),
    ),
    "a result that a method keeps": (
        "import functools\nclass Loader:\n    @functools.cache\n    def load(self): return []",
        (
            "import helper\nloader = helper.Loader()\nx = loader.load()",
            "x.append(7)",
            "print(loader.load())",
        ),
    ),
    "what counts calls of functions of cells": (
        COUNTED,
        (
            "from helper import calls, counted\n@counted\ndef work(): return 7",
            "work()",
            "x = work()",
            "print(calls)",
        ),
    ),
    "what counts objects of classes of cells": (
        "calls = []\nclass Counted:\n    def __set__(self, at, value): calls.append(value)",
        (
            "import helper\nclass C:\n    count = helper.Counted()\nc = C()",
            "c.count = 7",
            "c.count = 1",
            "print(helper.calls)",
        ),
    ),
    "whether a function has kept a result": (
        "import functools\n@functools.lru_cache\ndef load(n):\n    print('loading')\n    return n",
        ("import helper", "helper.load(7)", "print(helper.load(7), helper.load.cache_info().hits)"),
    ),
}


@pytest.mark.parametrize("name", tiers.sampled(PAGES, "a result that a function keeps".__eq__))
def test_whichever_cell_is_edited(own_store: Path, name: str) -> None:
    text, cells = PAGES[name]
    path = own_store / "nb.ipynb"
    path.with_name("helper.py").write_text(text)
    shown(path, *cells, resumed=True)
    for at, cell in enumerate(cells):
        page = [*cells[:at], f"{cell}\nedited = {at}", *cells[at + 1 :]]
        assert shown(path, *page, resumed=True) == shown(path, *page, resumed=False)
    page = [cell.replace("7", "8") for cell in cells]
    assert shown(path, *page, resumed=True) == shown(path, *page, resumed=False)
