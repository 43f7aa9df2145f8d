"""The answer of `nbsafe order`: which cells run, one after another, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.plan import Plan, Run
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import ansi, plain
from pytest_nbsafe.reports.json import VERSION, dump


class OrderAnswer(Protocol):
    """What there is to tell: the plan that was asked for, the others, and how they compare."""

    @property
    def notebook(self) -> Notebook:
        """The notebook that was planned."""

    @property
    def plan(self) -> Plan:
        """The plan that was asked for."""

    @property
    def orders(self) -> Mapping[str, Plan]:
        """Every order's plan."""

    @property
    def verdict(self) -> str:
        """How the plan compares with the page."""

    @property
    def stats(self) -> Mapping[str, int]:
        """Figures of the plan."""

    @property
    def cells(self) -> Mapping[str, Sequence[int]]:
        """The stale, fresh and refresher cells once the plan has run."""


def as_text(answer: OrderAnswer, *, colour: bool = False) -> str:
    """Return the plan step by step, then every order in a line."""
    paint = ansi if colour else plain
    path = escape.line(answer.notebook.path)
    head = paint(f"{path}: {answer.plan.order} order ({answer.verdict})", "heading")
    steps = [_step(run) for run in answer.plan.runs] or ["  nothing to run"]
    orders = [f"{name}: {_cells(plan)}" for name, plan in sorted(answer.orders.items())]
    stats = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(answer.stats.items()))
    after = [_after(kind, cells) for kind, cells in answer.cells.items() if cells]
    if after:
        steps += ["", "After it:", *after]
    return "\n".join([head, *steps, "", *orders, *([stats] if stats else [])]) + "\n"


def as_json(answer: OrderAnswer, *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has none
    """Return the plan as a JSON document; `orders` maps each order's name to its cells."""
    document: dict[str, Any] = {
        "version": VERSION,
        "plan": [_described(run) for run in answer.plan.runs],
        "orders": {name: list(plan.cells) for name, plan in sorted(answer.orders.items())},
        "verdict": answer.verdict,
        "confidence": None,
        "stats": {
            **dict(sorted(answer.stats.items())),
            **{f"{kind}_cells": list(cells) for kind, cells in answer.cells.items()},
        },
    }
    return dump(document)


_SAYS = {
    "stale": "what it reads is older than what that was made from",
    "fresh": "something new is there for it since it ran",
    "refresher": "running it makes anew what is stale",
}


def _after(kind: str, cells: Sequence[int]) -> str:
    numbers = ("cell " if len(cells) == 1 else "cells ") + ", ".join(map(str, cells))
    return f"  {kind:<10} {numbers:<10} {_SAYS[kind]}"


def _step(run: Run) -> str:
    counted = f" [{run.count}]" if run.count is not None else ""
    cell = f"cell {run.cell}{counted}"
    return f"{run.step:>4}. {cell:<14} {escape.line(run.reason)}".rstrip()


def _cells(plan: Plan) -> str:
    return " ".join(str(cell) for cell in plan.cells) or "nothing"


def _described(run: Run) -> dict[str, Any]:
    return {
        "step": run.step,
        "cell": run.cell,
        "count": run.count,
        "session": run.session,
        "reason": run.reason,
    }
