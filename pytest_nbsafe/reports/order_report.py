"""The answer of `nbsafe order`: which cells run, one after another, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import VERSION, dump, picked
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.notebook.model import Notebook
    from pytest_nbsafe.order.plan import Plan, Run


@dataclass(frozen=True, slots=True)
class OrderReport:
    """The answer of `nbsafe order`: the plan that was asked for, the others, how they compare.

    `cells` are the stale, fresh and refresher cells once the plan has run.
    """

    notebook: Notebook
    plan: Plan
    orders: Mapping[str, Plan]
    verdict: str
    stats: Mapping[str, int]
    cells: Mapping[str, Sequence[int]]


def as_text(report: OrderReport, paint: Paint = plain) -> str:
    """Return the plan step by step, then every order in a line."""
    path = escape.line(report.notebook.path)
    head = paint(f"{path}: {report.plan.order} order ({report.verdict})", "heading")
    steps = [_step(run) for run in report.plan.runs] or ["  nothing to run"]
    orders = [f"{name}: {_cells(plan)}" for name, plan in sorted(report.orders.items())]
    stats = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(report.stats.items()))
    after = [_after(kind, cells) for kind, cells in report.cells.items() if cells]
    if after:
        steps += ["", "After it:", *after]
    return "\n".join([head, *steps, "", *orders, *([stats] if stats else [])]) + "\n"


def as_json(report: OrderReport, _paint: Paint = plain) -> str:
    """Return the plan as a JSON document; `orders` maps each order's name to its cells."""
    document: dict[str, Any] = {
        "version": VERSION,
        "plan": [picked(run, "step cell count session reason") for run in report.plan.runs],
        "orders": {name: list(plan.cells) for name, plan in sorted(report.orders.items())},
        "verdict": report.verdict,
        "confidence": None,
        "stats": {
            **dict(sorted(report.stats.items())),
            **{f"{kind}_cells": list(cells) for kind, cells in report.cells.items()},
        },
    }
    return dump(document)


_SAYS = {
    "stale": "what they read is older than what it was made from",
    "fresh": "an input has changed since they ran",
    "refresher": "running them makes what is stale again",
}


def _after(kind: str, cells: Sequence[int]) -> str:
    numbers = ("cell " if len(cells) == 1 else "cells ") + ", ".join(map(str, cells))
    return f"  {kind:<10} {numbers:<10} {_SAYS[kind]}"


def _step(run: Run) -> str:
    counted = f" [{run.count}]" if run.count is not None else ""
    cell = f"cell {run.cell}{counted}"
    return f"{run.step:>4}. {cell:<14} {escape.sentence(run.reason)}".rstrip()


def _cells(plan: Plan) -> str:
    return " ".join(str(cell) for cell in plan.cells) or "nothing"


ORDER_REPORTERS = {"json": as_json, "text": as_text}
