"""Leaks of a whole notebook, its cells run one after another in a given order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.absint.leakage import knowledge, sinks
from pytest_nbsafe.absint.leakage.interpret import Enough, Machine
from pytest_nbsafe.absint.leakage.leak import Leak
from pytest_nbsafe.absint.leakage.paths import page_of
from pytest_nbsafe.analysis import trees

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

_COMMENT = patterns.compile(r"#\s*nbsafe:\s*(source|split\s[^#\n]*)")


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
    comments = _comments(graph.notebook.cell(cell).source)
    machine.run_cell(cell, trees.of(graph, cell).body, comments)


def _comments(source: str) -> dict[int, str]:
    if "nbsafe:" not in source:
        return {}
    return {
        number: match[1].strip()
        for number, line in enumerate(source.split("\n"), 1)
        if (match := _COMMENT.search(line))
    }
