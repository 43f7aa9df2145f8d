"""Help for the leakage tests: the leaks of a notebook in percent text."""

from __future__ import annotations

import percent

from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.passes import leaks
from pytest_nbsafe.analysis.build import build


def leaks_of(text: str, extra: str = "") -> tuple[Leak, ...]:
    """Return the leaks of a notebook, run from top to bottom; `extra` is a user's table."""
    notebook = percent.parse(text)
    return leaks(build(notebook), [cell.number for cell in notebook.code_cells], extra)
