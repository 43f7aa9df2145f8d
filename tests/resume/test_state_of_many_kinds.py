"""State of many kinds that cells share: one is edited, and those below show what it left."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiers

from resume.shown_pages import shown

pytestmark = pytest.mark.kernel

HELPER = """
rows = []
def grow(value): rows.append(value)
class Thing:
    rows = []
    def grow(self, value): Thing.rows.append(value)
"""
TEXT = Path(__file__).with_name("state_of_many_kinds.txt").read_text(encoding="utf-8")
PAGES = [tuple(page.strip("\n").split("\n---\n")) for page in TEXT.split("\n===\n")]
"""A cell that makes something, one that changes it, what that becomes, and one that shows it."""


@pytest.mark.parametrize("page", tiers.spread(144, 12, PAGES))
def test_what_a_cell_left(own_store: Path, page: tuple[str, str, str, str]) -> None:
    made, changed, other, last = page
    for library in ("numpy", "pandas", "matplotlib", "scipy", "sklearn"):
        if library in made:
            pytest.importorskip(library)
    (own_store / "data.txt").write_text("1\n2\n3\n4\n", encoding="utf-8")
    (own_store / "helper.py").write_text(HELPER, encoding="utf-8")
    path = own_store / "nb.ipynb"
    shown(path, made, changed, "pass", last, resumed=True)
    cells = made, other, "pass", last
    assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
    cells = made, other, "pass", f"{last}\nedited = 1"
    assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False)
