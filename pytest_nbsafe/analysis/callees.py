"""Follows calls from a cell into functions of the notebook, whichever cell defines them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.model import Call, CellAnalysis, Definition, Function, Use
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph


@dataclass(frozen=True, slots=True)
class Need:
    """A name that a run of a cell reads from outside, and how that is said in a cause."""

    use: Use
    cause: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A function that a call may run: where it stands, and whether it surely runs."""

    cell: int
    function: Function
    certain: bool


def needs(graph: Graph, cell: int) -> tuple[Need, ...]:
    """Return what the cell reads by itself, then what it reads through the functions it calls."""
    analysis = graph.cells.get(cell)
    if analysis is None:
        return ()
    found = {use.name: Need(use, f"reads `{use.name}`") for use in analysis.uses}
    done: dict[str, list[tuple[int, bool]]] = {}
    for call in analysis.calls:
        if not _covered(done.setdefault(call.name, []), call):
            for reached in reachable(graph, analysis, call):
                _add_reads(found, analysis, call, reached)
    return tuple(found.values())


def _covered(before: list[tuple[int, bool]], call: Call) -> bool:
    """Tell whether an earlier call of the same name reads all that this one can read."""
    if any(bound & ~call.bound == 0 and (certain or not call.certain) for bound, certain in before):
        return True
    before.append((call.bound, call.certain))
    return False


def _add_reads(
    found: dict[str, Need], analysis: CellAnalysis, call: Call, reached: Reached
) -> None:
    function = reached.function
    for name, read in function.reads.items():
        if call.bound & analysis.index.get(name, 0):
            continue
        certain = read.certain and reached.certain
        before = found.get(name)
        if before is not None and (before.use.certain or not certain):
            continue
        title = _title(function)
        line = function.span.line
        via = f"through {title}, defined in cell {reached.cell} (line {line})"
        if before is not None:  # read by the cell itself on some paths, here on all
            found[name] = Need(_certain(before.use), before.cause)
            continue
        cause = f"calls {_quoted(function)} (cell {reached.cell}), which reads `{name}`"
        found[name] = Need(Use(name, call.span, certain, read.guarded, via), cause)


def _certain(use: Use) -> Use:
    return Use(use.name, use.span, certain=True, guarded=use.guarded, via=use.via)


def _title(function: Function) -> str:
    return "a lambda" if function.name.startswith("<") else f"{function.name}()"


def _quoted(function: Function) -> str:
    return "a lambda" if function.name.startswith("<") else f"`{function.name}`"


def reachable(graph: Graph, analysis: CellAnalysis, call: Call) -> Iterator[Reached]:
    """Yield the functions of the notebook that a call may run, each once."""
    todo = [(call.name, call.certain, call.bound, analysis)]
    visited: dict[str, bool] = {}
    while todo:
        name, certain, bound, near = todo.pop()
        if visited.get(name, False) or (name in visited and not certain):
            continue
        visited[name] = certain
        # a lambda that no name is bound to is only known in its own cell
        home = near if name[0] == "<" else _home(graph, analysis, name, bound)
        if home is None:
            continue
        function = home.functions.get(name)
        if function is not None:
            yield Reached(home.cell, function, certain)
            sure = function.sure_calls if certain else ()
            todo.extend((n, n in sure, bound, home) for n in sorted(function.calls))
        aliases = sorted(home.aliases.get(name, ()))
        todo.extend((n, False, bound, home) for n in aliases)
        for maker in sorted(home.made_by.get(name, ())):
            if _is_class(graph, analysis, maker, bound):
                todo.append((maker, False, bound, home))
            else:
                yield from _returned(graph, analysis, maker, bound)


def _returned(graph: Graph, analysis: CellAnalysis, maker: str, bound: int) -> Iterator[Reached]:
    """Yield what `maker` may have returned to be called: the functions in it, taken together."""
    home = _home(graph, analysis, maker, bound)
    function = home.functions.get(maker) if home is not None else None
    if home is not None and function is not None and function.inner:
        reads = {name: use for name, use in function.reads.items() if name in function.inner}
        nothing: frozenset[str] = frozenset()
        inside = replace(function, reads=reads, calls=nothing, sure_calls=nothing, writes=nothing)
        yield Reached(home.cell, inside, certain=False)


def _home(graph: Graph, analysis: CellAnalysis, name: str, bound: int) -> CellAnalysis | None:
    """Return the cell whose definition a call by this name finds: its own, the nearest above."""
    if bound & analysis.index.get(name, 0) or name in analysis.functions:
        return analysis
    cells = graph.binders.get(name, ())
    if not cells:
        return None
    above = bisect_left(cells, analysis.cell)
    number = cells[above - 1] if above else cells[0]
    if number == analysis.cell and len(cells) > 1 and not above:
        number = cells[1]
    return graph.cells[number]


def _is_class(graph: Graph, analysis: CellAnalysis, name: str, bound: int) -> bool:
    home = _home(graph, analysis, name, bound)
    return home is not None and any(d.name == name and d.kind == "class" for d in home.definitions)


def effects(graph: Graph, cell: int) -> Mapping[str, Definition]:
    """Return the names that functions called by the cell may bind by `global`, at the call."""
    analysis = graph.cells[cell]
    found: dict[str, Definition] = {}
    for call in analysis.calls:
        for reached in reachable(graph, analysis, call):
            for name in sorted(reached.function.writes):
                found.setdefault(name, Definition(name, call.span, "assign", certain=False))
    return found
