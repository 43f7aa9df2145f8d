"""What saved errors tell of the past: names that were not there when a cell ran."""

from __future__ import annotations

import re

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.notebook.model import saved_error

_MISSING = re.compile(r"name '(\w+)' is not defined")


def missing_then(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names that were not bound when the cell ran last: a saved NameError says so."""
    if graph.notebook.cell(cell).kind != "code":
        return frozenset()
    error = saved_error(graph.notebook.cell(cell))
    if error is None or error.ename != "NameError":
        return frozenset()
    return frozenset(_MISSING.findall(error.evalue)[:1])
