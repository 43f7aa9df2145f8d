"""What a cell itself says about being run: its tags, its count and the error it was saved with."""

from __future__ import annotations

from pytest_nbsafe.notebook.model import Cell, Notebook, Output

SKIP_TAGS = frozenset({"skip-execution", "nbsafe:skip"})
"""A cell with one of these tags is in no plan: nbmake's tag, and our own."""


def is_skipped(cell: Cell) -> bool:
    """Return whether the author asks not to run this cell."""
    return not SKIP_TAGS.isdisjoint(cell.tags)


def may_raise(cell: Cell) -> bool:
    """Return whether the author says that this cell raises."""
    return "raises-exception" in cell.tags


def counted(notebook: Notebook) -> tuple[Cell, ...]:
    """Return the code cells that have a count, in page order, those emptied since then too."""
    return tuple(c for c in notebook.cells if c.kind == "code" and c.count is not None)


def saved_error(cell: Cell) -> Output | None:
    """Return the error that the cell was saved with, if any."""
    return next((output for output in cell.outputs if output.kind == "error"), None)
