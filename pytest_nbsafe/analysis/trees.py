"""The syntax tree of a cell for those who ask later than the analysis; each is parsed once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.cell import parse
from pytest_nbsafe.notebook.source import to_python

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph


def of(graph: Graph, cell: int) -> ast.Module:
    """Return the tree of a code cell's Python, empty for one that does not parse."""
    memo = graph._trees  # noqa: SLF001 - kept there for this module
    if cell not in memo:
        analysis = graph.cells.get(cell)
        if analysis is None or analysis.fault is not None:
            memo[cell] = ast.Module([], [])
        else:
            source = graph.notebook.cell(cell).source
            memo[cell] = parse(to_python(source, graph.notebook.python_major).text)
    return memo[cell]
