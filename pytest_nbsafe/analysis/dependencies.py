"""What links the cells of a notebook: each edge with its cause in English, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pytest_nbsafe.analysis import state
from pytest_nbsafe.analysis.call_graph import Caller, Reached, reachable
from pytest_nbsafe.analysis.model import Call, CellAnalysis, Definition, Edge, Graph, Use, kept
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.values import dataclass, replace

_SINCE = 16
"""A read is linked to so many cells that changed a name since it was surely bound; the ones
before them are linked to these in turn, for a cell that changes a name reads it. It keeps the
number of edges linear in the number of cells."""
_WORD = re.compile(r"[^\W\d]\w*")


# -- names and cells -----------------------------------------------------------------------------


@kept
def bound_by_cells(graph: Graph) -> Mapping[int, tuple[str, ...]]:
    """Return for each cell the names that a run of it may leave bound."""
    bound: dict[int, list[str]] = {cell: [] for cell in graph.cells}
    for name, cells in graph.binders.items():
        for cell in cells:
            bound[cell].append(name)
    return {cell: tuple(names) for cell, names in bound.items()}


def changed_by_calls(graph: Graph, cell: int) -> tuple[Definition, ...]:
    """Return where calls of the notebook's functions change the object of a name of the cell."""
    effects = graph.through_calls.get(cell, {}).values()
    return tuple(definition for definition in effects if definition.kind == "mutation")


@dataclass(frozen=True, slots=True)
class _Need:
    """A name that a run of a cell reads from outside, and how that is said in a cause."""

    use: Use
    cause: str


def needs(graph: Graph, cell: int) -> tuple[Use, ...]:
    """Return the names that a run of the cell reads from outside, also through what it calls.

    First those of its own text, in its order, then those read in functions that it calls; these
    stand at the call, with `via`.

    Source: Macke et al. 2021, section 4.4. Departs: what is called is found by name, so a
    function in a container counts as called when anything in that container is.
    """
    return tuple(need.use for need in _needs(graph, cell))


@kept
def _needs(graph: Graph, cell: int) -> tuple[_Need, ...]:
    """Return what the cell reads by itself, then what it reads through the functions it calls."""
    analysis = graph.cells.get(cell)
    if analysis is None:
        return ()
    reads = {use.name: _Need(use, f"reads `{use.name}`") for use in analysis.uses}
    done: dict[str, list[tuple[int, bool]]] = {}
    for call in analysis.calls:
        if not _covered(done.setdefault(call.name, []), call):
            for reached in reachable(Caller(graph, analysis, call)):
                graph.budget.spend(len(reached.function.reads))
                _add_reads(reads, analysis, call, reached)
    return tuple(reads.values())


def _covered(before: list[tuple[int, bool]], call: Call) -> bool:
    """Tell whether an earlier call of the same name reads all that this one can read."""
    if any(bound & ~call.bound == 0 and (certain or not call.certain) for bound, certain in before):
        return True
    before.append((call.bound, call.certain))
    return False


def _add_reads(
    reads: dict[str, _Need], analysis: CellAnalysis, call: Call, reached: Reached
) -> None:
    function = reached.function
    for name, read in function.reads.items():
        if call.bound & analysis.index.get(name, 0):
            continue
        certain = read.certain and reached.certain
        before = reads.get(name)
        if before is not None and (before.use.certain or not certain):
            continue
        if before is not None:  # read by the cell itself on some paths, here on all
            reads[name] = replace(before, use=replace(before.use, certain=True))
            continue
        title, quoted = f"{function.name}()", f"`{function.name}`"
        if function.name.startswith("<"):
            title = quoted = "a lambda"
        via = f"through {title}, defined in cell {reached.cell} (line {function.span.line})"
        cause = f"calls {quoted} (cell {reached.cell}), which reads `{name}`"
        reads[name] = _Need(Use(name, call.span, certain, read.guarded, via), cause)


# -- edges ---------------------------------------------------------------------------------------

_Reaching = dict[int, Definition]
"""The cells whose definition of a name may be the one that is read, oldest first."""


def edges(graph: Graph, order: Sequence[int]) -> tuple[Edge, ...]:
    """Return what each run reads from earlier ones when the cells run in this order.

    Reaching definitions between cells: a read is linked to the last run that surely bound the
    name (or deleted it), and to those since that may have bound it or changed its object in place.
    A cell that reads and changes a name is linked first, as its run reads before it ends.
    """
    links: list[Edge] = []
    reaching: dict[str, _Reaching] = {}
    for cell in order:
        if cell not in graph.cells:
            continue
        for need in _needs(graph, cell):
            graph.budget.spend(1 + len(reaching.get(need.use.name, ())))
            for definer, definition in reaching.get(need.use.name, {}).items():
                cause = _cause(need, definer, definition)
                links.append(Edge(cell, definer, need.use.name, need.use, definition, cause))
        _run(graph, cell, reaching)
    return tuple(links)


@kept
def page_edges(graph: Graph) -> tuple[Edge, ...]:
    """Return the dependencies of cells on cells above them."""
    page = [cell.number for cell in graph.notebook.code_cells]
    return tuple(edge for edge in edges(graph, page) if edge.definer < edge.reader)


def upstream(page: Iterable[Edge], *cells: int) -> tuple[int, ...]:
    """Return the cells above that these are made from, however far, without these themselves."""
    reached = {*cells}
    for edge in sorted(page, key=lambda edge: edge.reader, reverse=True):
        if edge.reader in reached:
            reached.add(edge.definer)
    return tuple(sorted(reached.difference(cells)))


@kept
def made_from(graph: Graph, cell: int) -> frozenset[int]:
    """Return the cells above that one is made from, however far: `upstream` on the page itself."""
    definers = direct_definers(graph)
    reached: set[int] = set()
    waiting = [cell]
    while waiting:
        new = definers.get(waiting.pop(), frozenset()) - reached
        reached |= new
        waiting.extend(new)
    return frozenset(reached)


@kept
def downstream(graph: Graph, *cells: int) -> tuple[int, ...]:
    """Return the cells below that are made, however far, from what these make, without these."""
    readers = direct_readers(graph)
    reached = {*cells}
    waiting = [*cells]
    while waiting:
        new = readers.get(waiting.pop(), frozenset()) - reached
        reached |= new
        waiting.extend(new)
    return tuple(sorted(reached.difference(cells)))


@kept
def direct_definers(graph: Graph) -> Mapping[int, frozenset[int]]:
    """Return for each cell those above that make what it reads."""
    definers: dict[int, set[int]] = {}
    for edge in page_edges(graph):
        definers.setdefault(edge.reader, set()).add(edge.definer)
    return {reader: frozenset(cells) for reader, cells in definers.items()}


@kept
def direct_readers(graph: Graph) -> Mapping[int, frozenset[int]]:
    """Return for each cell those below that read what it makes."""
    readers: dict[int, set[int]] = {}
    for edge in page_edges(graph):
        readers.setdefault(edge.definer, set()).add(edge.reader)
    return {definer: frozenset(cells) for definer, cells in readers.items()}


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
    for name, definition in graph.through_calls.get(cell, {}).items():
        last.setdefault(name, definition)
    for name in analysis.replaced:
        reaching.pop(name, None)
    for name, definition in last.items():
        since = reaching.setdefault(name, {})
        since.pop(cell, None)
        since[cell] = definition
        if len(since) > _SINCE:
            del since[list(since)[1]]  # the first may be the one that surely bound it


def _cause(need: _Need, definer: int, definition: Definition) -> str:
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
    unbound_reads: list[tuple[int, Use]] = []
    bound: set[str] = set()
    hidden = False
    runs: dict[int, tuple[tuple[Use, ...], frozenset[str]]] = {}
    for index, cell in enumerate(order):
        analysis = graph.cells.get(cell)
        if analysis is None:
            continue
        if cell not in runs:
            runs[cell] = _wanted(graph, cell), _left_bound(graph, cell)
        wanted, leaves = runs[cell]
        if not hidden:
            unbound_reads += [(index, use) for use in wanted if use.name not in bound]
            hidden = bool(analysis.opaque)
        if analysis.removed:
            bound -= analysis.removed
        bound |= leaves
    return tuple(unbound_reads)


@kept
def _left_bound(graph: Graph, cell: int) -> frozenset[str]:
    """Return the names that a run of a cell may leave bound; any word where it does not parse."""
    analysis = graph.cells[cell]
    effects = graph.through_calls.get(cell, {})
    names = analysis.leaves | {name for name, d in effects.items() if d.kind != "mutation"}
    if analysis.fault is not None:
        names |= set(_WORD.findall(graph.notebook.cell(cell).source))
    return names


@kept
def _wanted(graph: Graph, cell: int) -> tuple[Use, ...]:
    """Return the reads of a cell that need a name which Python has not, before anything opaque."""
    major = graph.notebook.python_major
    opaque = graph.cells[cell].opaque
    first = min(((o.span.line, o.span.column) for o in opaque), default=None)
    return tuple(
        use
        for use in needs(graph, cell)
        if not (is_known(use.name, major) or state.is_state(use.name))
        if first is None or (use.span.line, use.span.column) < first
    )
