"""What a notebook draws at random and seeds, as a page that runs from top to bottom does it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from pytest_nbsafe.analysis import randomness, syntax, trees
from pytest_nbsafe.analysis.call_graph import Caller, reachable
from pytest_nbsafe.analysis.imports import STAR
from pytest_nbsafe.analysis.invocations import Invocation
from pytest_nbsafe.analysis.model import Call, Graph, Linked, Span, kept
from pytest_nbsafe.analysis.modules.module_text import in_words, own_word
from pytest_nbsafe.analysis.randomness import Draw
from pytest_nbsafe.values import dataclass, replace

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Event:
    """A call that draws, or that seeds the sources `seeds`.

    It stands in a cell's own text, or in the function `via` that is called there; `line` is then
    the line of the function's cell `home`, which is 0 for a function of a module: `place` says
    where that lies. `unseen`: nobody is seen to call it.
    """

    cell: int
    span: Span
    callee: str
    draw: Draw | None = None
    seeds: frozenset[str] = frozenset()
    via: str = ""
    home: int = 0
    line: int = 0
    unseen: bool = False
    place: str = ""


_Inside = Mapping[tuple[int, str], list[Event]]
"""What functions draw and seed, by the cell that defines them and their name."""


@kept
def of(graph: Graph) -> tuple[Event, ...]:
    """Return the draws and seeds of a notebook in page order, those of functions at their calls.

    A function that is never seen called, and may be, seeds where it is defined and draws nothing.
    """
    if graph.linked is not None:
        return tuple(_of_linked(graph.linked))
    events: list[Event] = []
    inside: dict[tuple[int, str], list[Event]] = {}
    imports = [(cell, i) for cell in graph.cells for i in syntax.imports(graph, cell)]
    mentioned = randomness.mentioned((i for _, i in imports), graph.notebook.libraries)
    stars = [(cell, i.module) for cell, i in imports if i.attribute == STAR and not i.level]
    imported = frozenset(i.module.partition(".")[0] for _, i in imports)
    for cell in graph.cells:
        source = graph.notebook.cell(cell).source
        if not any(word in source for word in mentioned):
            continue
        for call, event in _in_cell(graph, cell, stars, imported):
            if call.function:
                root = call.function.partition(".")[0]
                if _may_run(graph, cell, call.function):
                    inside.setdefault((cell, root), []).append(event)
            else:
                events.append(event)
        events.extend(_run_files(graph, cell))
    if inside:
        events.extend(_called(graph, inside))
    return tuple(sorted(events, key=lambda e: (e.cell, e.span.line, e.span.column)))


@kept
def unseeded(graph: Graph) -> tuple[tuple[Event, str], ...]:
    """Return the draws before which their source is not seeded, each with that source."""
    loose: list[tuple[Event, str]] = []
    seeded: set[str] = set()
    for event in of(graph):
        if event.draw is not None and not seeded & event.draw.enough:
            loose.append((event, event.draw.source))
        seeded |= event.seeds
    return tuple(loose)


def _of_linked(linked: Linked) -> Iterator[Event]:
    """Yield the events of the notebook's own cells, with those in modules at their calls."""
    first = min(map(linked.cell, linked.graph.cells), key=lambda cell: (cell == 0, cell), default=0)
    for event in of(linked.graph):
        cell, home = linked.cell(event.cell), linked.cell(event.home)
        if not cell:  # when it is imported, for which the notebook's beginning stands
            if event.seeds:
                yield replace(event, cell=first, via="", home=0, line=0)
            continue
        if event.home and not home:
            place = linked.place(event.home, event.line)
            callee, via = own_word(event.callee), in_words(event.via)
            moved = replace(event, place=place, line=event.span.line, callee=callee, via=via)
        else:
            moved = event
        yield replace(moved, cell=cell, home=home)


# -- in the text of a cell -------------------------------------------------------------------------


_Stars = Sequence[tuple[int, str]]
"""The modules all of whose names are imported, each after the cell from which on."""


def _in_cell(
    graph: Graph, cell: int, stars: _Stars, imported: frozenset[str]
) -> Iterator[tuple[Invocation, Event]]:
    shown, known = syntax.of(graph, cell), graph.notebook.libraries
    pauses = [c.span for c in shown.invocations if c.callee in {"time.sleep", "sleep"}]
    for call in shown.invocations:
        if any(_contains(pause, call.span) for pause in pauses):
            continue
        target = _target(graph, cell, call, stars)
        draw = randomness.draws(call, target, known)
        if draw is None and (rows := randomness.samples_rows(call, imported, known)):
            draw = rows if _is_kept(graph, cell, call) else None
        if draw is not None:
            yield call, Event(cell, call.span, call.callee, draw)
        elif (seeded := randomness.seeds(call, target, known)) and not _is_own(graph, call):
            yield call, Event(cell, call.span, call.callee, seeds=seeded)


def _target(graph: Graph, cell: int, call: Invocation, stars: _Stars) -> str:
    """Return what is called, also where `from m import *` brought the name."""
    if call.target or not stars or call.callee.partition(".")[0] in graph.binders:
        return call.target
    known = graph.notebook.libraries
    for above, module in stars:
        target = f"{module}.{call.callee}"
        if above <= cell and (
            randomness.draws(call, target, known) or randomness.is_seed(target, known)
        ):
            return target
    return ""


def _is_own(graph: Graph, call: Invocation) -> bool:
    """Tell whether a function of the notebook is called: its body says what it seeds."""
    return any(call.callee in analysis.functions for analysis in graph.cells.values())


def _is_kept(graph: Graph, cell: int, call: Invocation) -> bool:
    """Tell whether the value of a call goes into a name, and is not only looked at."""
    if call.function:
        return True
    around = [s for s in graph.cells[cell].statements if _contains(s.span, call.span)]
    return any(statement.writes or statement.mutates for statement in around)


def _contains(outer: Span, inner: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return starts and ends


def _run_files(graph: Graph, cell: int) -> Iterator[Event]:
    """Yield what `%run` may seed: everything, for the file that it runs is not read."""
    for escape in syntax.of(graph, cell).escapes:
        if escape.name == "run":
            span = Span(escape.line, 1, escape.line, 2)
            yield Event(cell, span, "%run", seeds=randomness.everything(graph.notebook.libraries))


# -- through functions -----------------------------------------------------------------------------


def _called(graph: Graph, inside: _Inside) -> Iterator[Event]:
    reached: set[tuple[int, str]] = set()
    for cell, analysis in graph.cells.items():
        for call in analysis.calls:
            through = [(f.cell, f.function.name) for f in reachable(Caller(graph, analysis, call))]
            known = [key for key in dict.fromkeys(through) if key in inside]
            reached.update(known)
            yield from _at(cell, call, [(event, key[1]) for key in known for event in inside[key]])
    for key, events in inside.items():
        if key not in reached and _may_be_called(graph, *key):
            yield from (replace(event, unseen=True) for event in events if event.seeds)


def _may_run(graph: Graph, cell: int, function: str) -> bool:
    """Tell whether a function may run when its outermost one is called: a method by its name."""
    root, _, rest = function.partition(".")
    method = rest.partition(".")[0]
    if not method or method.startswith("__"):
        return True
    if not any(d.name == root and d.kind == "class" for d in graph.cells[cell].definitions):
        return True
    return any(f".{method}" in page.source for page in graph.notebook.code_cells)


def _may_be_called(graph: Graph, cell: int, function: str) -> bool:
    """Tell whether something may call a function unseen: what mentions it, decorates or imports it.

    A seed that is written into a function which nothing mentions is never set.
    """
    if own_word(function) != function:
        return True
    nodes = (n for n in trees.of(graph, cell).body if isinstance(n, _FUNCTIONS))
    if any(node.name == function and node.decorator_list for node in nodes):
        return True
    word = re.compile(rf"\b{re.escape(function)}\b")
    return sum(len(word.findall(page.source)) for page in graph.notebook.code_cells) != 1


def _at(cell: int, call: Call, events: list[tuple[Event, str]]) -> Iterator[Event]:
    """Yield what functions draw and seed, at their call; which comes first is not asked."""
    for event, name in sorted(events, key=lambda pair: not pair[0].seeds):
        yield replace(
            event, cell=cell, span=call.span, via=name, home=event.cell, line=event.span.line
        )
