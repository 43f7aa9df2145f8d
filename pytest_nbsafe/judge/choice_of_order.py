"""Which of several plans is the history of a page: the one that gives most of what was saved."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from pytest_nbsafe.analysis.dependencies import downstream
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge.trial import ChosenOrder
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.order.rival_plans import rivals
from pytest_nbsafe.trace.outputs.text_alone import reproduces, text_lines
from pytest_nbsafe.trace.results import CellResult, PlanResult

Inquiry = Generator[Plan, PlanResult, "ChosenOrder | None"]
"""Yields the plans to run, is sent what they gave, and returns the choice if it is another plan."""


def inquiry(graph: Graph, clean: PlanResult, replay: PlanResult) -> Inquiry:
    """Ask whether another plan than the one that was replayed gives more of the saved outputs.

    Nothing is asked where nothing is in doubt, nor where the cells that the doubt may reach show
    what was saved: then no other plan is better.
    """
    reached = frozenset(result.cell for result in clean.results)
    given = reproduced(graph.notebook, replay) & reached
    best, choice = len(given), None
    for rival in rivals(graph, replay.plan, clean.plan):
        readers = {reading.reader for reading in rival.reads}
        telling = {*readers, *downstream(graph, *readers)}
        if telling & comparable(graph.notebook) & reached <= given:
            continue
        ran = clean if rival.plan == clean.plan else (yield rival.plan)
        number = len(reproduced(graph.notebook, ran) & reached)
        if number > best:
            best = number
            choice = ChosenOrder(rival.plan, replay.plan, rival.reads, number, len(given))
    return choice


def comparable(notebook: Notebook) -> frozenset[int]:
    """Return the cells whose saved text a run can be compared with."""
    return frozenset(cell.number for cell in notebook.code_cells if text_lines(cell.outputs))


def reproduced(notebook: Notebook, ran: PlanResult) -> frozenset[int]:
    """Return the cells whose last run in a plan gave their saved text."""
    last = {result.cell: result for result in ran.results}
    return frozenset(_given(notebook, last.values()))


def _given(notebook: Notebook, results: Iterable[CellResult]) -> Iterator[int]:
    for result in results:
        if result.came_to_end and reproduces(result.outputs, notebook.cell(result.cell).outputs):
            yield result.cell
