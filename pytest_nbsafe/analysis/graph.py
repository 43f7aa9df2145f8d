"""The cells of a notebook and what links them, every edge with its cause in English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import callees, changes, state, syntax
from pytest_nbsafe.analysis.cell import analyse
from pytest_nbsafe.analysis.model import CellAnalysis, Definition, Edge, Use
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.values import dataclass, field, replace

_NOT_BINDING = frozenset({"delete", "mutation"})
_SINCE = 16
"""A read is linked to so many cells that changed a name since it was surely bound; the ones
before them are linked to these in turn, for a cell that changes a name reads it. It keeps the
number of edges linear in the number of cells."""
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Graph:
    """A notebook with the analysis of each code cell that holds any code.

    `binders` and `changers` are the cells that may bind a name, or change its object in place,
    in page order. Names that only imports bind are modules, whose changes are left out.
    """

    notebook: Notebook
    cells: Mapping[int, CellAnalysis]
    binders: Mapping[str, tuple[int, ...]]
    changers: Mapping[str, tuple[int, ...]]
    _needs: dict[int, tuple[callees.Need, ...]] = field(default_factory=dict, compare=False)
    _effects: dict[int, Mapping[str, Definition]] = field(default_factory=dict, compare=False)
    _trees: dict[int, ast.Module] = field(default_factory=dict, compare=False)
    _syntax: syntax.Memo = field(default_factory=syntax.Memo, compare=False)


def build(notebook: Notebook) -> Graph:
    """Return the graph of a notebook."""
    cells = _analyse_all(notebook)
    binders: dict[str, list[int]] = {}
    changers: dict[str, list[int]] = {}
    imported: dict[str, bool] = {}
    for number, analysis in cells.items():
        for name in analysis.leaves:
            binders.setdefault(name, []).append(number)
        for definition in analysis.definitions:
            name, kind = definition.name, definition.kind
            if kind not in _NOT_BINDING:
                imported[name] = imported.get(name, True) and kind == "import"
            elif kind == "mutation":
                cells_of = changers.setdefault(name, [])
                if not cells_of or cells_of[-1] != number:
                    cells_of.append(number)
    graph = Graph(
        notebook,
        cells,
        {name: tuple(found) for name, found in binders.items()},
        {name: tuple(found) for name, found in changers.items() if not imported.get(name)},
    )
    graph = _with_changes_through_calls(_with_writes_through_calls(graph), imported)
    return state.with_state(graph)


def _analyse_all(notebook: Notebook) -> dict[int, CellAnalysis]:
    """Analyse each cell; those that name a builtin which some cell binds, once more."""
    major = notebook.python_major
    cells = {cell.number: analyse(cell, major) for cell in notebook.code_cells}
    bound = {
        d.name for a in cells.values() for d in a.definitions if d.kind not in _NOT_BINDING
    } | {n for a in cells.values() for f in a.functions.values() for n in f.writes}
    shadowed = frozenset(name for name in bound if is_known(name, major))
    if shadowed:
        mentioned = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(shadowed)))})\b")
        for cell in notebook.code_cells:
            if mentioned.search(cell.source):
                cells[cell.number] = analyse(cell, major, shadowed)
    return cells


def _with_writes_through_calls(graph: Graph) -> Graph:
    """Return the graph in which a cell that calls a function with `global x` may bind `x`."""
    if not any(f.writes for a in graph.cells.values() for f in a.functions.values()):
        return graph
    binders = {name: set(cells) for name, cells in graph.binders.items()}
    for number in graph.cells:
        graph._effects[number] = callees.effects(graph, number)  # noqa: SLF001 - its own module
        for name in graph._effects[number]:  # noqa: SLF001
            binders.setdefault(name, set()).add(number)
    return replace(graph, binders={name: tuple(sorted(found)) for name, found in binders.items()})


def _with_changes_through_calls(graph: Graph, imported: Mapping[str, bool]) -> Graph:
    """Return the graph in which `add(items)` changes `items` if `add` does so to what it gets."""
    found = changes.through_calls(graph)
    if not found:
        return graph
    changers = {name: set(cells) for name, cells in graph.changers.items()}
    for number, definitions in found.items():
        own = {name: d for name, d in definitions.items() if not imported.get(name)}
        graph._effects[number] = {**own, **graph._effects.get(number, {})}  # noqa: SLF001
        for name in own:
            changers.setdefault(name, set()).add(number)
    return replace(graph, changers={name: tuple(sorted(cells)) for name, cells in changers.items()})


# -- names and cells -----------------------------------------------------------------------------


def definers(graph: Graph, name: str) -> tuple[int, ...]:
    """Return the cells that may leave a name bound, in page order."""
    return graph.binders.get(name, ())


def mutators(graph: Graph, name: str) -> tuple[int, ...]:
    """Return the cells that may change the object of a name in place, in page order."""
    return graph.changers.get(name, ())


def changed_by_calls(graph: Graph, cell: int) -> tuple[Definition, ...]:
    """Return where calls of the notebook's functions change the object of a name of the cell."""
    found = graph._effects.get(cell, {}).values()  # noqa: SLF001 - its own module
    return tuple(definition for definition in found if definition.kind == "mutation")


def needs(graph: Graph, cell: int) -> tuple[Use, ...]:
    """Return the names that a run of the cell reads from outside, also through what it calls.

    First those of its own text, in its order, then those read in functions that it calls; these
    stand at the call, with `via`.

    Source: Macke et al. 2021, section 4.4. Departs: what is called is found by name, so a
    function in a container counts as called when anything in that container is.
    """
    return tuple(need.use for need in _all_needs(graph, cell))


def _all_needs(graph: Graph, cell: int) -> tuple[callees.Need, ...]:
    cache = graph._needs  # noqa: SLF001 - its own module
    if cell not in cache:
        cache[cell] = callees.needs(graph, cell)
    return cache[cell]


# -- edges ---------------------------------------------------------------------------------------

_Reaching = dict[int, Definition]
"""The cells whose definition of a name may be the one that is read, oldest first."""


def edges(graph: Graph, order: Sequence[int]) -> tuple[Edge, ...]:
    """Return what each run reads from earlier ones when the cells run in this order.

    Reaching definitions between cells: a read is linked to the last run that surely bound the
    name (or deleted it), and to those since that may have bound it or changed its object in place.
    A cell that reads and changes a name is linked first, as its run reads before it ends.
    """
    found: list[Edge] = []
    reaching: dict[str, _Reaching] = {}
    for cell in order:
        if cell not in graph.cells:
            continue
        for need in _all_needs(graph, cell):
            for definer, definition in reaching.get(need.use.name, {}).items():
                cause = _cause(need, definer, definition)
                found.append(Edge(cell, definer, need.use.name, need.use, definition, cause))
        _run(graph, cell, reaching)
    return tuple(found)


def _run(graph: Graph, cell: int, reaching: dict[str, _Reaching]) -> None:
    """Let a run of the cell bind, change and delete names."""
    analysis = graph.cells[cell]
    last: dict[str, Definition] = {}
    for definition in analysis.definitions:
        name = definition.name
        if definition.kind == "mutation":
            changes = name not in last and name not in analysis.removed
            if changes and cell in graph.changers.get(name, ()):
                last[name] = definition
        elif definition.kind != "delete" and name in analysis.leaves:
            last[name] = definition
    for name, definition in graph._effects.get(cell, {}).items():  # noqa: SLF001 - its own module
        last.setdefault(name, definition)
    for name in analysis.replaced:
        reaching.pop(name, None)
    for name, definition in last.items():
        since = reaching.setdefault(name, {})
        since.pop(cell, None)
        since[cell] = definition
        if len(since) > _SINCE:
            del since[list(since)[1]]  # the first may be the one that surely bound it


def _cause(need: callees.Need, definer: int, definition: Definition) -> str:
    does = "changes in place" if definition.kind == "mutation" else "defines"
    does = "may change in place" if definition.doubtful else does
    where = f"which cell {definer} (line {definition.span.line}) {does}"
    return f"{need.cause}, {where}"


# -- what is not there ---------------------------------------------------------------------------


def unbound(graph: Graph, order: Sequence[int]) -> tuple[tuple[int, Use], ...]:
    """Return the reads that no earlier run can have bound, each with its index in the order.

    Left out: names of Python and IPython, state that no name holds, and reads after something
    opaque. Any word of an earlier cell that does not parse may be a name that it binds.
    """
    found: list[tuple[int, Use]] = []
    bound: set[str] = set()
    hidden = False
    for index, cell in enumerate(order):
        analysis = graph.cells.get(cell)
        if analysis is None:
            continue
        if not hidden:
            found.extend((index, use) for use in _missing(graph, analysis, bound))
        hidden = hidden or bool(analysis.opaque)
        bound -= analysis.removed
        bound |= analysis.leaves
        effects = graph._effects.get(cell, {})  # noqa: SLF001 - its own module
        bound.update(name for name, d in effects.items() if d.kind != "mutation")
        if analysis.fault is not None:
            bound.update(_WORD.findall(graph.notebook.cell(cell).source))
    return tuple(found)


def _missing(graph: Graph, analysis: CellAnalysis, bound: set[str]) -> Iterator[Use]:
    major = graph.notebook.python_major
    first = min(((o.span.line, o.span.column) for o in analysis.opaque), default=None)
    for use in needs(graph, analysis.cell):
        if use.name in bound or is_known(use.name, major) or state.is_state(use.name):
            continue
        if first is None or (use.span.line, use.span.column) < first:
            yield use
