"""Notebooks for the tests that start kernels."""

from __future__ import annotations

from collections.abc import Callable

from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.trace.results import CellResult

RunCells = Callable[..., list[CellResult]]


def notebook(*sources: str) -> Notebook:
    cells = (Cell(CellId(str(n)), n, "code", source) for n, source in enumerate(sources, 1))
    return Notebook("nb.ipynb", tuple(cells))
