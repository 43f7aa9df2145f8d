"""What a page shows when it is run with what is kept of earlier runs, and without."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import makenb
import percent
import pytest

from pytest_nbsafe.app import session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.resume import keeping_budget


def shown(path: Path, *cells: str, resumed: bool) -> list[str]:
    """Return what each of some cells shows."""
    return shown_page(path, percent.page_of(*cells), resumed=resumed)


def shown_page(path: Path, page: str, *, resumed: bool) -> list[str]:
    """Return what each cell of a page shows, but for addresses, and why it failed if it did."""
    makenb.write(path, page)
    config = configuration(path, {"resume": "on" if resumed else "off"})
    with closing(session.NotebookSession(path, config)) as each:
        outcomes = [each.outcome(cell.number) for cell in each.cells]
    return [re.sub("0x[0-9a-f]+", "", f"{each.output}{each.reason}") for each in outcomes]


def assert_as_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch, page: Sequence[str]) -> None:
    """Run a page, then each cell edited, resumed and in full; values are kept one by one."""
    for name in ("LEAST_S", "_WORTH_S", "_LONG_S", "_LEAST_SPENT_S"):
        monkeypatch.setattr(keeping_budget, name, 0.0)
    path = folder / "nb.ipynb"
    shown(path, *page, resumed=True)
    for place, cell in enumerate(page):
        cells = (*page[:place], f"{cell}\nedited = 1", *page[place + 1 :])
        assert shown(path, *cells, resumed=True) == shown(path, *cells, resumed=False), cell
