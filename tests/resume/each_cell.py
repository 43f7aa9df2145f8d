"""A page of which each cell is edited in turn: a resumed run has to show what a full one does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_nbsafe.resume import kept_values
from resume.test_state_of_many_kinds import shown


def assert_as_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch, page: Sequence[str]) -> None:
    """Run a page, then each cell edited, resumed and in full; values are kept one by one."""
    for name in ("LEAST_S", "_WORTH_S", "_LONG_S", "_LEAST_SPENT_S"):
        monkeypatch.setattr(kept_values, name, 0.0)
    path = folder / "nb.ipynb"
    shown(path, tuple(page), resumed=True)
    for place, cell in enumerate(page):
        cells = (*page[:place], f"{cell}\nedited = 1", *page[place + 1 :])
        assert shown(path, cells, resumed=True) == shown(path, cells, resumed=False), cell
