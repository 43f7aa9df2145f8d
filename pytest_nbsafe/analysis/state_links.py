"""The state that no name holds as what cells read and make, in the graph beside the names."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.call_graph import Caller, reachable
from pytest_nbsafe.analysis.model import CellAnalysis, Definition, Graph, Statement, Use
from pytest_nbsafe.analysis.state import StateUse
from pytest_nbsafe.values import replace

_DEEPEST = 64
"""Of so many statements that begin above an access, one holds it."""
_MAKES = frozenset({"set", "change"})
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.With, ast.Delete)


def with_state(graph: Graph) -> Graph:
    """Return the graph in which cells read and make such states too.

    Only those count that one cell makes and another uses. What a function does counts where it is
    called. A state that no cell above makes may be there all the same: no file is missed, and no
    seed, and a read of it proves nothing.
    """
    accesses = _accesses(graph)
    if not accesses:
        return graph
    cells = dict(graph.cells)
    binding: dict[str, dict[int, None]] = {}
    changing: dict[str, dict[int, None]] = {}
    above: set[str] = set()
    for cell, uses in accesses.items():
        cells[cell] = _with(graph, cell, uses, above)
        above |= {use.symbol for use in uses if use.what in _MAKES}
        for use in uses:
            if use.what != "read":
                table = binding if use.what == "set" else changing
                table.setdefault(use.symbol, {})[cell] = None
    return replace(
        graph,
        cells=cells,
        binders={**graph.binders, **{symbol: tuple(makers) for symbol, makers in binding.items()}},
        changers={**graph.changers, **{symbol: tuple(each) for symbol, each in changing.items()}},
    )


# -- what there is ---------------------------------------------------------------------------------


def _accesses(graph: Graph) -> dict[int, list[StateUse]]:
    """Return for each cell its uses of states, by place, of states that pass between cells."""
    own: dict[int, list[StateUse]] = {}
    inside: dict[tuple[int, str], list[StateUse]] = {}
    for cell, access in _all_uses(graph):
        if access.function:
            inside.setdefault((cell, access.function), []).append(access)
        else:
            own.setdefault(cell, []).append(access)
    for cell, access in _at_calls(graph, inside):
        own.setdefault(cell, []).append(access)
    used: dict[str, set[int]] = {}
    written = {use.symbol for uses in own.values() for use in uses if use.what in _MAKES}
    for cell, uses in own.items():
        for use in uses:
            used.setdefault(use.symbol, set()).add(cell)
    passing = {symbol for symbol, cells in used.items() if len(cells) > 1 and symbol in written}
    passed = {cell: [use for use in own[cell] if use.symbol in passing] for cell in sorted(own)}
    return {
        cell: sorted(uses, key=lambda use: (use.span.line, use.span.column, use.what != "read"))
        for cell, uses in passed.items()
        if uses
    }


def _all_uses(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    from pytest_nbsafe.analysis import files, settings

    yield from files.accesses(graph)
    yield from settings.accesses(graph)
    yield from _random(graph)


def _random(graph: Graph) -> Iterator[tuple[int, StateUse]]:
    """Yield the draws and seeds of a notebook that seeds: those of functions stand at the calls."""
    if not any("seed" in cell.source.lower() for cell in graph.notebook.code_cells):
        return
    from pytest_nbsafe.analysis import draws
    from pytest_nbsafe.libraries import random_sources

    states = {
        name: source.state
        for name, source in random_sources.load(graph.notebook.libraries).sources.items()
    }
    for event in draws.of(graph):
        if event.draw is not None and states[event.draw.source]:
            yield event.cell, StateUse(states[event.draw.source], event.span, "draw")
        for source in sorted(event.seeds if not event.unseen else ()):
            yield event.cell, StateUse(states[source], event.span, "set")


def _at_calls(
    graph: Graph, inside: Mapping[tuple[int, str], Iterable[StateUse]]
) -> Iterator[tuple[int, StateUse]]:
    if not inside:
        return
    for cell, analysis in graph.cells.items():
        for call in analysis.calls:
            for reached in reachable(Caller(graph, analysis, call)):
                for access in inside.get((reached.cell, reached.function.name), ()):
                    yield cell, replace(access, span=call.span, function="", holder="")


# -- into the analysis of a cell -------------------------------------------------------------------


def _with(graph: Graph, cell: int, accesses: list[StateUse], above: set[str]) -> CellAnalysis:
    """Return a cell's analysis with its accesses; `above` are the states made further up."""
    analysis = graph.cells[cell]
    sure = _sure_lines(trees.of(graph, cell))
    uses: dict[str, Use] = {}
    made_here: set[str] = set()
    surely: set[str] = set()
    definitions = list(analysis.definitions)
    for access in accesses:
        symbol, span = access.symbol, access.span
        certain = span.line in sure
        if access.what != "set" and symbol not in surely:
            guarded = symbol not in above and symbol not in made_here
            uses.setdefault(symbol, Use(symbol, span, certain, guarded))
        if access.what == "set":
            made_here.add(symbol)
            surely |= {symbol} if certain else set()
            definitions.append(Definition(symbol, span, "assign", certain))
        elif access.what != "read":
            definitions.append(Definition(symbol, span, "mutation", certain))
    return replace(
        analysis,
        uses=(*analysis.uses, *uses.values()),
        dead=analysis.dead | (surely - uses.keys()),
        definitions=tuple(sorted(definitions, key=lambda d: (d.span.line, d.span.column))),
        statements=_statements(analysis.statements, accesses),
        sure=analysis.sure | surely,
        leaves=analysis.leaves | made_here,
        replaced=analysis.replaced | surely,
    )


def _sure_lines(module: ast.Module) -> frozenset[int]:
    """Return the lines of the statements that every run of a cell comes to."""
    return frozenset(
        line
        for node in module.body
        if isinstance(node, _SIMPLE)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _statements(
    statements: tuple[Statement, ...], accesses: Iterable[StateUse]
) -> tuple[Statement, ...]:
    starts = sorted((s.span.line, s.span.column, i) for i, s in enumerate(statements))
    held: dict[int, list[StateUse]] = {}
    for access in accesses:
        place = access.span.line, access.span.column
        before = bisect_right(starts, (*place, len(statements)))
        for *_, i in reversed(starts[max(0, before - _DEEPEST) : before]):
            if place <= (statements[i].span.end_line, statements[i].span.end_column):
                held.setdefault(i, []).append(access)
                break
    return tuple(
        _statement(statement, held[i]) if i in held else statement
        for i, statement in enumerate(statements)
    )


def _statement(statement: Statement, accesses: Iterable[StateUse]) -> Statement:
    """Return a statement with its accesses.

    What is drawn depends on the state; that it moves on makes nothing older, for the next draw was
    never to be the same.
    """
    read = frozenset(a.symbol for a in accesses if a.what in {"read", "draw"})
    inflow = statement.reads | read
    written = {a.symbol: inflow for a in accesses if a.what == "set"}
    changed = {a.symbol: inflow for a in accesses if a.what == "change"}
    holders = {name for a in accesses if a.holder for name in (a.symbol, a.holder)}
    return replace(
        statement,
        reads=inflow,
        writes={**{name: parents | read for name, parents in statement.writes.items()}, **written},
        mutates={
            **{name: parents | read for name, parents in statement.mutates.items()},
            **{name: parents for name, parents in changed.items() if name not in written},
        },
        same=statement.same | holders,
    )
