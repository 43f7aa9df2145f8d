"""Which cells need not run, where a test asks for some of them only.

What a cell needs is known from the text, in page order and in the order that was recorded. Where
the text is not sure (state that no name holds, shell commands, files of unknown names), a cell
runs.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from pytest_nbsafe.analysis import dependencies, files, syntax, trees
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.analysis.scopes import root
from pytest_nbsafe.notebook.magics import PYTHON_CELLS, PYTHON_LINES
from pytest_nbsafe.notebook.model import LEFT_OUT, Notebook
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.sentences import cells as in_words
from pytest_nbsafe.values import replace

_LEAVES_NOTHING = frozenset({"time.sleep", "print", "display", "IPython.display.display"})
"""What a statement may call without a trace that another cell could see."""


def unneeded(graph: Graph, plan: Plan, selected: Collection[int]) -> frozenset[int]:
    """Return the cells above the last selected one that none of these needs."""
    if not selected or not graph.budget.suffices or graph.notebook.language != "python":
        return frozenset()
    above = {cell for cell in graph.cells if cell <= max(selected)}
    unsure = {cell for cell in above if _is_unsure(graph, cell)}
    needed = _needed(graph, plan, {*selected, *unsure})
    if any(graph.cells[cell].opaque for cell in needed & above):
        return frozenset()
    needed |= {*_writers(graph, needed)}
    return frozenset(above - _needed(graph, plan, needed))


def without(notebook: Notebook, cells: Collection[int]) -> Notebook:
    """Return a notebook that leaves these cells out when it runs."""
    return replace(
        notebook,
        cells=tuple(
            replace(cell, tags=(*cell.tags, LEFT_OUT)) if cell.number in cells else cell
            for cell in notebook.cells
        ),
    )


def remark(cells: Collection[int]) -> str:
    """Return that cells were left out, "" where none were."""
    return f"{in_words(sorted(cells))} did not run: no selected cell needs it" if cells else ""


def _needed(graph: Graph, plan: Plan, cells: Iterable[int]) -> set[int]:
    """Return these cells, and all that they are made from, in page order or in the plan's."""
    definers: dict[int, set[int]] = {}
    for edge in (*dependencies.page_edges(graph), *dependencies.edges(graph, plan.cells)):
        definers.setdefault(edge.reader, set()).add(edge.definer)
    needed, to_do = set[int](), [*cells]
    while to_do:
        cell = to_do.pop()
        if cell not in needed:
            needed.add(cell)
            to_do.extend(definers.get(cell, ()))
    return needed


def _writers(graph: Graph, needed: Collection[int]) -> Iterator[int]:
    """Yield cells that may write what one of the needed reads below: the text does not name it."""
    uses = [*files.all_uses(graph)]
    reads = [(cell, use.symbol) for cell, use in uses if use.what == "read" and cell in needed]
    for cell, use in uses:
        if use.what != "read" and any(
            cell < reader and not (symbol and use.symbol) for reader, symbol in reads
        ):
            yield cell


def _is_unsure(graph: Graph, cell: int) -> bool:
    """Return whether a cell may do to others what no name, and no file, tells."""
    analysis = graph.cells[cell]
    if analysis.fault is not None or analysis.opaque:
        return True
    escapes = trees.python_of(graph, cell).escapes
    if any(escape.name not in {*PYTHON_LINES, *PYTHON_CELLS} for escape in escapes):
        return True
    return any(_leaves_a_trace(graph, node, cell) for node in ast.walk(trees.of(graph, cell)))


def _leaves_a_trace(graph: Graph, node: ast.AST, cell: int) -> bool:
    """Return whether a node sets what a module holds, or calls something for its effect alone.

    What is called on a name of the notebook is no such call: that changes the name.
    """
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        name = root(node)
        return name is not None and syntax.stands_for(graph, cell, name.id) != ""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    full_name = syntax.full_name(graph, called, cell)
    if full_name:
        return full_name not in _LEAVES_NOTHING
    return isinstance(called, ast.Name)
