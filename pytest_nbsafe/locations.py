"""Where something stands in a notebook, counted as a reader counts: from 1."""

from __future__ import annotations

from pytest_nbsafe.values import dataclass

NOTEBOOK = 0
"""The cell number of what belongs to the notebook and to no single cell."""


@dataclass(frozen=True, slots=True)
class Location:
    """A span in a cell; lines and columns are 1-based, `end_column` is one past the last character.

    `cell` counts over all cells of the notebook, text cells too; 0 is the notebook itself.
    """

    cell: int
    line: int = 1
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None
