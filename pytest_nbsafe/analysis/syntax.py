"""What the text of each cell shows beyond names: imports, calls, texts; read when asked for."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter

from pytest_nbsafe.analysis import imports as import_statements
from pytest_nbsafe.analysis import invocations, trees
from pytest_nbsafe.analysis.cell import Places
from pytest_nbsafe.analysis.imports import Import
from pytest_nbsafe.analysis.invocations import CellSyntax
from pytest_nbsafe.analysis.model import Graph, Span, kept
from pytest_nbsafe.analysis.scopes import is_known, words

_Targets = Mapping[str, tuple[tuple[int, str], ...]]
"""For each name that an import binds: the cells that bind it, and what it stands for after each."""


@kept
def of(graph: Graph, cell: int) -> CellSyntax:
    """Return what the text of a code cell shows; nothing of one that cannot be read.

    A name stands for the import that bound it last above (or in this cell); a name that anything
    else bound since stands for nothing known. Imports below count where there are none above.
    """
    analysis = graph.cells.get(cell)
    if analysis is None or analysis.fault is not None:
        return CellSyntax(cell)
    try:
        calls, texts = invocations.read(
            trees.of(graph, cell),
            imports(graph, cell),
            partial(stands_for, graph, cell),
            span_of(graph, cell),
        )
    except RecursionError:  # the stack is deeper here than that of the analysis was
        return CellSyntax(cell)
    return CellSyntax(cell, calls, texts, trees.python_of(graph, cell).escapes)


@kept
def imports(graph: Graph, cell: int) -> tuple[Import, ...]:
    """Return the imports of a code cell; cheaper than all of its syntax."""
    analysis = graph.cells.get(cell)
    if analysis is None or "import" not in graph.notebook.cell(cell).source:
        return ()
    try:
        return import_statements.bound(trees.of(graph, cell), span_of(graph, cell))
    except RecursionError:
        return ()


def stands_for(graph: Graph, cell: int, name: str) -> str:
    """Return what a name of the notebook stands for in a cell through imports, "" if unknown."""
    bound = _targets(graph).get(name)
    if not bound:
        return ""
    above = bisect_right(bound, cell, key=itemgetter(0))
    return bound[max(above - 1, 0)][1]


def full_name(graph: Graph, func: ast.expr, cell: int) -> str:
    """Return the full name of what is called in a cell, through its imports; "" if unknown."""
    first, *rest = words(func) or [""]
    module = stands_for(graph, cell, first)
    if module or not first:
        return ".".join((module, *rest))
    builtin = not rest and is_known(first, graph.notebook.python_major)
    return first if builtin and not graph.binders.get(first) else ""


def span_of(graph: Graph, cell: int) -> Callable[[ast.AST], Span]:
    """Return what tells where a node of a cell's tree stands."""
    return Places(graph.notebook.cell(cell).source, trees.python_of(graph, cell).text).span


@kept
def _targets(graph: Graph) -> _Targets:
    last: dict[str, dict[int, str]] = {}
    for cell in graph.cells:
        for imported in imports(graph, cell):
            if not imported.function:
                last.setdefault(imported.name, {})[cell] = imported.target
    targets: dict[str, tuple[tuple[int, str], ...]] = {}
    for name, cells in last.items():
        binders = sorted({*graph.binders.get(name, ()), *cells})
        targets[name] = tuple((cell, _left(graph, cell, name, cells)) for cell in binders)
    return targets


def _left(graph: Graph, cell: int, name: str, imported: Mapping[int, str]) -> str:
    """Return what a name stands for after a cell; nothing known if not only imports bind it."""
    if cell not in imported:
        return ""
    kinds = {d.kind for d in graph.cells[cell].definitions if d.name == name}
    return imported[cell] if kinds <= {"import", "mutation"} else ""
