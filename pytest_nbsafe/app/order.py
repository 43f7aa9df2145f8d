"""`nbsafe order`: the plan of a notebook, and why each step is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.notebook_verdict import SPEAKING, by_text
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.order import readings
from pytest_nbsafe.order.measures import measures
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.reports.order_report import OrderReport
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.trace import cellsets, lineage
from pytest_nbsafe.values import replace


def order(path: Path, settings: Mapping[str, Any]) -> OrderReport:
    """Return the plan for one notebook and why each step is there.

    Raises:
        NbsafeError: the notebook cannot be read, or is not Python.

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
    state = lineage.replay(lineage.static_records(graph, plan)).now
    sets = cellsets.cell_sets(graph, plan, state)
    cells = {
        "stale": sorted(sets.stale),
        "fresh": sorted(sets.fresh),
        "refresher": sorted(sets.refreshers),
    }
    verdict = "top-down" if same else "out-of-order"
    facts, _ = facts_of(graph, None, replace(config, select=SPEAKING, contracts=()))
    return OrderReport(
        graph.notebook,
        plan,
        plans,
        verdict,
        stats,
        cells,
        readings.readings(graph, plan),
        measures(graph, plans),
        by_text(evaluate(facts), has_run=any(c.count for c in graph.notebook.code_cells)),
    )
