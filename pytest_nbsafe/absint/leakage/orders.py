"""Leaks of a whole notebook, its cells run one after another in a given order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import declared, knowledge, sinks
from pytest_nbsafe.absint.leakage.interpret import Enough, Machine
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.paths import page_of
from pytest_nbsafe.analysis import trees

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph


def leaks(graph: Graph, order: Sequence[int], extra: str = "") -> tuple[Leak, ...]:
    """Return the leaks that show when the cells run in this order, each of them once.

    `extra` is the user's table as JSON text, as for `knowledge.load`. Where the notebook is too
    long or too deep, those of its first part.
    """
    machine = Machine(knowledge.load(extra))
    try:
        for cell in order:
            run(machine, graph, cell)
    except (Enough, RecursionError):  # a value may lie deeper in others than Python goes
        pass  # what was seen until then holds
    return sinks.judge(machine.events, page_of(machine, graph))


def run(machine: Machine, graph: Graph, cell: int) -> None:
    """Run one cell.

    Raises:
        Enough: when the notebook takes too many steps.

    """
    said = {each.of: each for each in declared.of_source(graph.notebook.cell(cell).source)}
    machine.run_cell(cell, trees.of(graph, cell).body, said)
