"""Passes of the machine over a whole notebook, its cells run one after another in a given order."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.absint.leakage import (
    assignments,
    call_dispatch,
    declared,
    expression_handlers,
    sinks,
    statement_handlers,
)
from pytest_nbsafe.absint.leakage.leak import OF_THE_PAGE, Leak
from pytest_nbsafe.absint.leakage.leak_paths import page_of
from pytest_nbsafe.absint.leakage.machine import Handlers, Machine, PassLimits
from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.budget import LEAKS, CutShort
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.libraries import leakroles

HANDLERS = Handlers(
    expressions=expression_handlers.EXPRESSIONS,
    statements=statement_handlers.STATEMENTS,
    attribute=expression_handlers.attribute,
    store=assignments.store,
    call=call_dispatch.call,
)
LIMITS = PassLimits()


def leaks(
    graph: Graph,
    order: Sequence[int],
    extra: str = "",
    *,
    limits: PassLimits = LIMITS,
    handlers: Handlers = HANDLERS,
) -> tuple[Leak, ...]:
    """Return the leaks that show when the cells run in this order, each of them once.

    `extra` is the user's table as JSON text, as for `leakroles.load`. Where the notebook is too
    long or too deep, those of its first part, which its budget notes.
    """
    machine = begin(extra, limits, handlers)
    try:
        for cell in order:
            run(machine, graph, cell)
    except (CutShort, RecursionError):  # a value may lie deeper in others than Python goes
        graph.budget.cut[LEAKS] = None
    seen = sinks.judge(machine.notes.events, page_of(machine.notes, graph))
    if graph.budget.cut:  # what was not run may hold the score on other rows
        return tuple(leak for leak in seen if leak.code not in OF_THE_PAGE)
    return seen


def begin(extra: str = "", limits: PassLimits = LIMITS, handlers: Handlers = HANDLERS) -> Machine:
    """Return a machine that has run nothing yet, and knows what the user's table adds."""
    return Machine(leakroles.load(extra), handlers, limits)


def run(machine: Machine, graph: Graph, cell: int) -> None:
    """Run one cell.

    Raises:
        CutShort: the notebook takes too many steps.

    """
    declarations = {each.of: each for each in declared.of_source(graph.notebook.cell(cell).source)}
    machine.run_cell(cell, trees.of(graph, cell).body, declarations)
