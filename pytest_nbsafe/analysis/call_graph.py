"""Which functions of the notebook a call runs: the one answer, for the page and for any order.

A name is looked up when it is called, also within a function: it stands for what was bound to it
last by then, whichever cell the function stands in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pytest_nbsafe.analysis.model import Call, CellAnalysis, Function, Graph, Statement
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Reached:
    """A function that a call may run: where it stands, and whether it surely runs."""

    cell: int
    function: Function
    certain: bool


@dataclass(frozen=True, slots=True)
class Lead:
    """What a called name may stand for: another name, in its cell.

    `is_result`: an object that calling this one gave. `direct`: what is given to the called name is
    given to this one, unlike to the `f` of `p = partial(f, 1)`.
    """

    home: CellAnalysis
    name: str
    is_result: bool = False
    direct: bool = True


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a call stands: at a place in the text of a cell, and what ran before that cell.

    `before` are the cells that ran before, the last first; None for the order of the page, where
    the nearest cell above counts, and one below if there is none.
    """

    graph: Graph
    analysis: CellAnalysis
    call: Call
    before: Sequence[int] | None = None

    def home(self, name: str) -> CellAnalysis | None:
        """Return the cell whose definition a call by this name finds."""
        own = self.analysis.functions.get(name)
        surely_bound = self.call.bound & self.analysis.index.get(name, 0)
        if surely_bound or (own is not None and own.span.line <= self.call.span.line):
            return self.analysis
        number = self._binder(name)
        return self.graph.cells[number] if number is not None else None

    def _binder(self, name: str) -> int | None:
        cells = self.graph.binders.get(name, ())
        if not cells:
            return None
        if self.before is not None:
            return next((cell for cell in self.before if cell in cells), None)
        above = bisect_left(cells, self.analysis.cell)
        if above:
            return cells[above - 1]
        below = bisect_right(cells, self.analysis.cell)
        return cells[below] if below < len(cells) else cells[0]


def last_binding(name: str, ran: Iterable[CellAnalysis]) -> CellAnalysis | None:
    """Return the first of these cells, the last that ran first, that leaves the name bound."""
    return next((analysis for analysis in ran if name in analysis.leaves), None)


def leads_to(caller: Caller, name: str, near: CellAnalysis) -> Iterator[Lead]:
    """Yield what a called name may stand for, itself first: `g = f`, `fs = [f, h]`, `obj = C()`.

    `near` is the cell whose text has the name: a lambda that no name is bound to is known there
    alone.
    """
    todo = [Lead(near, name)]
    followed: set[str] = set()
    while todo:
        lead = todo.pop()
        home = lead.home if lead.name[0] == "<" else caller.home(lead.name)
        if home is None or lead.name in followed:
            continue
        caller.graph.budget.spend()
        followed.add(lead.name)
        yield replace(lead, home=home)
        others = sorted(home.aliases.get(lead.name, ()))
        makers = sorted(home.made_by.get(lead.name, ()))
        direct = lead.direct and not makers
        todo += [Lead(home, other, lead.is_result, direct) for other in others]
        todo += [Lead(home, maker, is_result=True, direct=lead.direct) for maker in makers]


def reachable(caller: Caller) -> Iterator[Reached]:
    """Yield the functions of the notebook that a call may run, each once."""
    todo = [(caller.call.name, caller.call.certain, caller.analysis)]
    visited: dict[str, bool] = {}
    while todo:
        called, called_surely, near = todo.pop()
        for lead in leads_to(caller, called, near):
            certain = called_surely and lead.name == called
            if visited.get(lead.name, False) or (lead.name in visited and not certain):
                continue
            visited[lead.name] = certain
            function = lead.home.functions.get(lead.name)
            if function is None:
                continue
            if lead.is_result and not _is_class(lead):
                yield from _returned(lead.home, function)
                continue
            yield Reached(lead.home.cell, function, certain)
            sure = function.sure_calls if certain else ()
            todo.extend((name, name in sure, lead.home) for name in sorted(function.calls))


def _returned(home: CellAnalysis, function: Function) -> Iterator[Reached]:
    """Yield what a function may have returned to be called: the functions in it, taken together."""
    if function.inner:
        reads = {name: use for name, use in function.reads.items() if name in function.inner}
        nothing: frozenset[str] = frozenset()
        inside = replace(function, reads=reads, calls=nothing, sure_calls=nothing, writes=nothing)
        yield Reached(home.cell, inside, certain=False)


def _is_class(lead: Lead) -> bool:
    return any(d.name == lead.name and d.kind == "class" for d in lead.home.definitions)


def called_by(
    graph: Graph, cell: int, statement: Statement, before: Sequence[int] | None = None
) -> tuple[Function, ...]:
    """Return the functions of the notebook that a statement of a cell calls by name, each once."""
    analysis, lines = graph.cells[cell], (statement.span.line, statement.span.end_line)
    graph.budget.scan(len(analysis.calls) if statement.calls else 0)
    reached = {
        (callee.cell, callee.function.name): callee.function
        for call in (analysis.calls if statement.calls else ())
        if call.name in statement.calls and lines[0] <= call.span.line <= lines[1]
        for callee in reachable(Caller(graph, analysis, call, before))
    }
    return tuple(reached.values())
