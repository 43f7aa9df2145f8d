"""`nbsafe order`: the plan of a notebook, and why each step is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.budget import CutShort
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.notebook_verdict import SPEAKING, by_text
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.order import readings
from pytest_nbsafe.order.measures import measures
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.reports.order_report import OrderReport
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules import nbs908_analysis_cut_short as nbs908
from pytest_nbsafe.trace import cellsets, lineage
from pytest_nbsafe.values import replace


def order(path: Path, settings: Mapping[str, Any]) -> OrderReport:
    """Return the plan for one notebook and why each step is there.

    Where only what follows from the plan is too much to be analysed, the answer says so.

    Raises:
        NbsafeError: the notebook cannot be read, is not Python, or too much to be ordered.

    """
    graph, config = python_graph(path, settings)
    plans: dict[str, Plan] = {name: orders.plan(graph, name) for name in orders.ORDERINGS}
    plan = plans[orders.chosen(graph, config.order)]
    same = not orders.differs(plan, plans["top-down"])
    stats = {
        "cells": len(graph.cells),
        "steps": len(plan.runs),
        "inferred_steps": (
            sum(not run.recorded for run in plan.runs) if plan.order == "inferred" else 0
        ),
        "unbound_reads": len(dependencies.unbound(graph, plan.cells)),
    }
    cells = _cells_after(graph, plan)
    verdict = "top-down" if same else "out-of-order"
    facts, _ = facts_of(graph, None, replace(config, select=SPEAKING, contracts=()))
    if cells is None:  # not before, since the rules look at the cells that are linked
        graph.budget.cut[_AFTER] = None
    findings = evaluate(facts)
    cut_short = "" if graph.budget.suffices else nbs908.message(graph)
    has_run = any(cell.count for cell in graph.notebook.code_cells)
    return OrderReport(
        graph.notebook,
        plan,
        plans,
        verdict,
        stats,
        cells or {},
        readings.readings(graph, plan),
        measures(graph, plans),
        by_text(findings, has_run=has_run, cut_short=cut_short),
        cut_short,
    )


_AFTER = "which cells are stale or fresh after the plan"


def _cells_after(graph: Graph, plan: Plan) -> Mapping[str, Sequence[int]] | None:
    """Return the stale, fresh and refresher cells once the plan has run; None if that is too much.

    It hangs on how long the plan is, not on the page alone.
    """
    try:
        state = lineage.replay(lineage.static_records(graph, plan)).now
        sets = cellsets.cell_sets(graph, plan, state)
    except CutShort:
        return None
    return {
        "stale": sorted(sets.stale),
        "fresh": sorted(sets.fresh),
        "refresher": sorted(sets.refreshers),
    }
