"""What a fix changes, shown in terms of cells."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.notebook.model import Notebook


def shown(notebook: Notebook, edits: Mapping[int, CellEdit]) -> Iterator[str]:
    """Yield the lines of a unified diff for each cell whose source changes."""
    for number, edit in sorted(edits.items()):
        if edit.source is None:
            continue
        name = f"{notebook.path}, cell {number}"
        old, new = notebook.cell(number).source.split("\n"), edit.source.split("\n")
        yield from difflib.unified_diff(old, new, name, name, lineterm="")
