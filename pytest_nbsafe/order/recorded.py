"""The recorded order: the cells that have a count, by their counts, and nothing else."""

from __future__ import annotations

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.order.runnable_cells import runnable


def plan(graph: Graph) -> Plan:
    """Return the plan that follows the counts; equal counts stand in page order.

    Cells that were never run are left out.
    """
    counted = [(cell.count, cell.number) for cell in runnable(graph) if cell.count is not None]
    runs = (
        Run(step, number, count, recorded=True, reason=f"recorded as [{count}]")
        for step, (count, number) in enumerate(sorted(counted), 1)
    )
    return Plan("recorded", tuple(runs))
