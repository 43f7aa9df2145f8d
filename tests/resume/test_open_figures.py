"""Figures that stay open after their cell, where `pyplot` goes on drawing in the last of them.

That is how matplotlib works but for the backend of notebooks (`inline`), which closes them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import tiers

from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

USE = "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt"
LINES = "print([line.get_xydata().tolist() for line in {}.lines], {}.get_title())"
PAGES = {
    "by a name": ("fig = plt.figure()", "plt.plot([EDIT]);", LINES.replace("{}", "fig.axes[0]")),
    "by nothing": (
        "plt.plot([1, EDIT]);",
        "plt.title('a' * EDIT);",
        LINES.replace("{}", "plt.gca()"),
    ),
    "by its axes": (
        "fig, ax = plt.subplots()\nax.plot([1, EDIT]);",
        "ax.set_title('a' * EDIT);",
        "print(len(plt.gca().lines))\nplt.plot([EDIT]);",
        LINES.replace("{}", "ax"),
    ),
    "in a container": (
        "figs = {'one': plt.figure()}",
        "plt.title('a' * EDIT);",
        "print(figs['one'].axes[0].get_title())",
    ),
    "by a function": (
        "def draw(n):\n    plt.plot([n])\n    plt.title('a' * n)",
        "fig = plt.figure()",
        "draw(EDIT)",
        LINES.replace("{}", "fig.axes[0]"),
    ),
    "that is chosen": (
        "fig, axs = plt.subplots(1, 2)",
        "plt.sca(axs[EDIT - 1])",
        "plt.title('a' * EDIT);",
        "print([ax.get_title() for ax in axs])",
    ),
    "by the number": ("fig = plt.figure()", "plt.figure(EDIT + 2);", "print(plt.get_fignums())"),
    "that is closed": (
        "fig = plt.figure()",
        "if EDIT == 1: plt.close('all')",
        "print(plt.get_fignums())",
    ),
    "that is written": (
        "plt.plot([1, EDIT]);",
        "plt.title('a' * EDIT);",
        "plt.savefig('a.svg', metadata={'Date': None})\nplt.close()",
        "print(open('a.svg').read().count('use'), EDIT)",
    ),
}


@pytest.mark.parametrize("name", tiers.by_hand(9, PAGES))
def test_what_is_drawn_in_it(own_store: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    path, first = own_store / "nb.ipynb", (USE, *PAGES[name])
    cells = tuple(cell.replace("EDIT", "1") for cell in first)
    for place, cell in enumerate(first):
        shown(path, *cells, resumed=True)
        other = cell.replace("EDIT", "2") if "EDIT" in cell else f"edited = 1\n{cell}"
        edited = (*cells[:place], other, *cells[place + 1 :])
        assert shown(path, *edited, resumed=True) == shown(path, *edited, resumed=False)


@pytest.mark.corpus
def test_a_module_of_the_project_draws_in_it(own_store: Path) -> None:
    pytest.importorskip("matplotlib")
    helper = (
        "import matplotlib.pyplot as p\ndef label(text): p.title(text)\ndef told(): return p.gca()"
    )
    (own_store / "helper.py").write_text(helper, encoding="utf-8")
    told = LINES.replace("{}", "helper.told()")
    cells = f"{USE}\nimport helper", "fig = plt.figure()", "plt.plot([1]);", "few = 1", told
    shown(own_store / "nb.ipynb", *cells, resumed=True)
    for place, edit in ((3, "helper.label('b')"), (3, "few = 2"), (2, "plt.plot([2]);")):
        edited = (*cells[:place], edit, *cells[place + 1 :])
        both = [
            shown(own_store / "nb.ipynb", *edited, resumed=resumed) for resumed in (True, False)
        ]
        assert both[0] == both[1]


@pytest.mark.corpus
def test_the_first_to_be_opened_is_so_in_a_cell_that_is_reused(own_store: Path) -> None:
    """It changes what is open, while nothing was; a name above it is made anew."""
    pytest.importorskip("matplotlib")
    opens = "fig, ax = plt.subplots(); ax.plot([1, 2]);"
    cells = USE, "rows = [1, 2]", opens, "print(rows, plt.get_fignums())"
    path = own_store / "nb.ipynb"
    shown(path, *cells, resumed=True)
    edited = (cells[0], "rows = [1, 2]\nmore = 1", *cells[2:])
    assert shown(path, *edited, resumed=True) == shown(path, *edited, resumed=False)
