"""What a cell itself says about being run: its tags and the error it was saved with."""

from __future__ import annotations

import re

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.notebook.model import Cell, Notebook, Output
from pytest_nbsafe.order.cells import SKIP_TAGS
from pytest_nbsafe.trace.model import Failure

_ADDRESS = patterns.compile(r"0x[0-9a-fA-F]+")
_UNDEFINED = patterns.compile(r"name '([^']+)' is not defined")


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


def shows_failure(cell: Cell, failure: Failure) -> bool:
    """Return whether the page shows just this failure: the same exception, the same message."""
    saved = saved_error(cell)
    return saved is not None and (saved.ename, _plain(saved.evalue)) == (
        failure.ename,
        _plain(failure.evalue),
    )


def mention(cell: Cell, line: int, name: str) -> Span | None:
    """Return where a line of the cell first mentions a name."""
    found = re.search(rf"\b{re.escape(name)}\b", cell.line(line))
    return Span(line, found.start() + 1, line, found.end() + 1) if found else None


def undefined_name(ename: str, evalue: str) -> str | None:
    """Return the name that a NameError speaks of."""
    found = _UNDEFINED.search(evalue) if ename == "NameError" else None
    return found[1] if found else None


def _plain(text: str) -> str:
    return _ADDRESS.sub("0x", " ".join(text.split()))
