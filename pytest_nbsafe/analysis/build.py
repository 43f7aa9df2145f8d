"""The graph of a notebook: each cell analysed, and what reaches from cell to cell through calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import changes_by_calls, state_links
from pytest_nbsafe.analysis.budget import Budget
from pytest_nbsafe.analysis.cell import analyse, fault_of
from pytest_nbsafe.analysis.model import CellAnalysis, Graph, Opaque, Span
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.notebook.model import Notebook, saved_python
from pytest_nbsafe.values import replace

TEXT = "what the cells read and define"
"""What is cut short where the graph is: nothing is known then but which cells do not parse."""
_ASKED_FOR = (3, 14)
"""The first Python that evaluates an annotation only when something asks for it."""
_FUTURE = patterns.compile(
    r"^from[ \t]+__future__[ \t]+import\b[^#\n]*\bannotations\b", re.MULTILINE
)


def build(notebook: Notebook) -> Graph:
    """Return the graph of a notebook: of its cells alone, unlinked, where it is too much."""
    budget = Budget()
    with budget.share(TEXT):
        return _linked(notebook, budget)
    return replace(unlinked(notebook), budget=budget)


def unlinked(notebook: Notebook) -> Graph:
    """Return a graph in which each cell may do anything, and nothing is known of what."""
    cells = {}
    for cell in notebook.code_cells:
        lines = cell.source.count("\n") + 1
        everywhere = Span(1, 1, lines, len(cell.source) + 1)
        is_python = notebook.language == "python"
        fault = fault_of(cell, notebook.python_major) if is_python else None
        anything = Opaque(everywhere, "too much to be analysed")
        cells[cell.number] = CellAnalysis(cell.number, opaque=(anything,), fault=fault)
    return Graph(notebook, cells, {}, {})


def _linked(notebook: Notebook, budget: Budget) -> Graph:
    cells = _analyse_all(notebook, budget)
    binders: dict[str, list[int]] = {}
    changers: dict[str, dict[int, None]] = {}
    imported: dict[str, bool] = {}
    for number, analysis in cells.items():
        for name in analysis.leaves:
            binders.setdefault(name, []).append(number)
        for definition in analysis.definitions:
            name, kind = definition.name, definition.kind
            if definition.binds:
                imported[name] = imported.get(name, True) and kind == "import"
            elif kind == "mutation":
                changers.setdefault(name, {})[number] = None
    graph = Graph(
        notebook,
        cells,
        {name: tuple(numbers) for name, numbers in binders.items()},
        {name: tuple(numbers) for name, numbers in changers.items() if not imported.get(name)},
        budget=budget,
    )
    return state_links.with_state(_with_calls(graph, imported))


def _analyse_all(notebook: Notebook, budget: Budget) -> dict[int, CellAnalysis]:
    """Analyse each cell; those that name a builtin which some cell binds, again."""
    budget.scan(sum(len(cell.source) for cell in notebook.code_cells))
    major, known, future = notebook.python_major, notebook.libraries, _keeps_annotations(notebook)
    cells = {
        cell.number: analyse(cell, major, libraries=known, future=future)
        for cell in notebook.code_cells
    }
    bound = {name for analysis in cells.values() for name in analysis.defines}
    bound |= {n for a in cells.values() for f in a.functions.values() for n in f.writes}
    shadowed = frozenset(name for name in bound if is_known(name, major))
    if shadowed:
        mentioned = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(shadowed)))})\b")
        for cell in notebook.code_cells:
            if mentioned.search(cell.source):
                cells[cell.number] = analyse(cell, major, shadowed, known, future=future)
    return cells


def _keeps_annotations(notebook: Notebook) -> bool:
    """Return whether annotations may be kept without being evaluated.

    IPython keeps what a cell imports of the future for all that run after it, wherever they stand.
    """
    return (saved_python(notebook) or (0, 0)) >= _ASKED_FOR or any(
        "__future__" in cell.source and _FUTURE.search(cell.source) for cell in notebook.code_cells
    )


def _with_calls(graph: Graph, imported: Mapping[str, bool]) -> Graph:
    """Return the graph with what calls do: bind `x` by `global x`, change `xs` by `add(xs)`."""
    if any(f.writes for a in graph.cells.values() for f in a.functions.values()):
        bound = {number: changes_by_calls.global_bindings(graph, number) for number in graph.cells}
        binders = added(graph.binders, bound)
        graph = replace(graph, binders=binders, through_calls=bound)
    changed = {
        number: {name: d for name, d in definitions.items() if not imported.get(name)}
        for number, definitions in changes_by_calls.through_calls(graph).items()
    }
    known = graph.through_calls
    both = {number: {**own, **known.get(number, {})} for number, own in changed.items()}
    changers = added(graph.changers, changed)
    return replace(graph, changers=changers, through_calls={**known, **both})


def added(
    table: Mapping[str, tuple[int, ...]], effects: Mapping[int, Iterable[str]]
) -> Mapping[str, tuple[int, ...]]:
    """Return a table of the cells of each name with those that calls add to it."""
    cells = {name: set(numbers) for name, numbers in table.items()}
    for number, names in effects.items():
        for name in names:
            cells.setdefault(name, set()).add(number)
    return {name: tuple(sorted(numbers)) for name, numbers in cells.items()}
