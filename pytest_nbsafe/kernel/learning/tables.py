"""Values as tables, for whoever knows a value that has rows."""

from __future__ import annotations

from typing import Any


class Table:
    """The rows of a value: `n` of them, in a `matrix`, in `columns`, or in a `sparse` matrix.

    `index` is pandas' own, None elsewhere.
    """

    __slots__ = ("columns", "index", "matrix", "n", "sparse", "width")

    def __init__(self, n: int, width: int) -> None:
        self.n, self.width = n, width
        self.matrix: Any = None
        self.columns: list[Any] = []
        self.sparse: Any = None
        self.index: Any = None

    def cells(self) -> int:
        """Return how many values there are to hash."""
        return self.n * self.width if self.sparse is None else int(self.sparse.nnz)


def of_columns(columns: list[Any]) -> Table:
    """Return columns of one length as a table."""
    table = Table(len(columns[0]) if columns else 0, len(columns))
    table.columns = columns
    return table
