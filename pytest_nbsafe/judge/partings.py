"""Where two runs part: the first cell, and the first name of it, that hold something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.dependencies import edges, page_edges, upstream
from pytest_nbsafe.analysis.model import Edge, Graph
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.judge.outside_influences import asked_by
from pytest_nbsafe.judge.trial import Trial
from pytest_nbsafe.trace.outputs.comparison import volatile
from pytest_nbsafe.trace.results import CellResult, PlanResult
from pytest_nbsafe.values import dataclass

Source = Literal["", "draw", "clock", "files", "threads", "network", "sets", "hash"]
"""What makes a run unlike another; "" where the text does not tell."""
_ASKED: tuple[Source, ...] = ("network", "threads", "files")
_SETS = patterns.compile(r"\b(?:frozenset|set)\(")
_HASH = patterns.compile(r"(?<![\w.])hash\(")


_SET_NODES = (ast.Set, ast.SetComp)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first cell whose run differs, and the first `name` of it; "" where only outputs do."""

    cell: int
    line: int
    name: str = ""


def parting(first: PlanResult, second: PlanResult) -> Parting | None:
    """Return where two runs of one plan part, None where they are not known to."""
    for one_run, other in zip(first.results, second.results, strict=False):
        if not (one_run.came_to_end and other.came_to_end):
            continue
        name = _first_name(one_run, other)
        if name:
            return Parting(one_run.cell, _line(one_run, name), name)
        varying = volatile(one_run.outputs, other.outputs)
        if varying.is_all or varying.groups:
            return Parting(one_run.cell, 1)
    return None


def _first_name(first: CellResult, second: CellResult) -> str:
    """Return the first name that two runs of a cell made differently.

    What is imported has no value of its own: a function of `random` has the state behind it.
    """
    for record in first.records:
        if record.imports:
            continue
        for name in sorted((*record.writes, *record.mutates)):
            values = [run.after.get(name) for run in (first, second)]
            hashes = {value.hash for value in values if value is not None and value.hash}
            if len(hashes) > 1:
                return name
    return ""


def _line(result: CellResult, name: str) -> int:
    made = (r.line for r in result.records if name in r.writes or name in r.mutates)
    return next(made, 1)


# -- why two runs of one plan differ ---------------------------------------------------------------


def source(graph: Graph, cell: int) -> tuple[int, Source]:
    """Return the cell, this one or the nearest that it is made from, that brings chance in.

    Cell 0 stands for none.
    """
    nearest = (cell, *reversed(upstream(page_edges(graph), cell)))
    for number in nearest:
        for origin in _sources(graph, number):
            return number, origin
    return 0, ""


def _sources(graph: Graph, cell: int) -> Iterator[Source]:
    """Yield what a cell's own text may take chance from, the likeliest first."""
    text, asked = graph.notebook.cell(cell).source, asked_by(graph, cell)
    if cell in makers(graph).drawing:
        yield "draw"
    yield from (kind for kind in _ASKED if kind in asked)
    nodes = ast.walk(trees.of(graph, cell))
    if _SETS.search(text) or any(isinstance(node, _SET_NODES) for node in nodes):
        yield "sets"
    if _HASH.search(text):
        yield "hash"
    if not asked.isdisjoint({"timers", "machine"}):
        yield "clock"


# -- why two orders differ -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OrderParting:
    """Where the plan and the page's order part, and a name that came `there` from another cell.

    `read` is "" where all that the cell reads by name is the same in both; 0 stands for no cell.
    """

    cell: int
    name: str
    read: str = ""
    there: int = 0
    here: int = 0


def between_orders(graph: Graph, trial: Trial) -> OrderParting | None:
    """Return the first cell of the page that makes something else in the plan than in page order.

    What two clean runs do not agree on is left out.
    """
    if trial.replay is None:
        return None
    for cell in sorted(trial.judgements):
        if "differs" in trial.judgements[cell].made.values():
            return at(graph, trial, cell)
    return None


def at(graph: Graph, trial: Trial, cell: int) -> OrderParting | None:
    """Return what a cell makes and reads differently in two orders, None where it was not run."""
    judgement = trial.judgements.get(cell)
    if judgement is None:
        return None
    differing = (n for n, each in sorted(judgement.made.items()) if each == "differs")
    name = next(differing, "")
    page = _definers(page_edges(graph), cell)
    plan = _definers(edges(graph, trial.as_recorded.plan.cells), cell)
    reads = [name for name, each in sorted(judgement.values.items()) if each == "differs"]
    for read in reads:
        if plan.get(read, 0) != page.get(read, 0):
            return OrderParting(cell, name, read, plan.get(read, 0), page.get(read, 0))
    return OrderParting(cell, name, reads[0] if reads else "")


def _definers(links: Sequence[Edge], cell: int) -> Mapping[str, int]:
    """Return for each name that a cell reads the last cell that it comes from."""
    return {edge.name: edge.definer for edge in links if edge.reader == cell}
