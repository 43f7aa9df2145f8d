"""The answer of `nbsafe order`: which cells run, one after another, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.order.readings import confidence
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import VERSION, dump, picked
from pytest_nbsafe.reports.stats_report import described
from pytest_nbsafe.sentences import few
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.notebook.model import Notebook
    from pytest_nbsafe.order.measures import Measures
    from pytest_nbsafe.order.plan import Plan, Run
    from pytest_nbsafe.order.readings import Reading


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """What a notebook is as far as its text tells, why, and whether no run can say otherwise."""

    verdict: str
    reasons: Sequence[str]
    sure: bool = False


@dataclass(frozen=True, slots=True)
class OrderReport:
    """The answer of `nbsafe order`: the plan that was asked for, the others, how they compare.

    `cells` are the stale, fresh and refresher cells once the plan has run, `readings` what each
    cell reads of others in it. `verdict` says how the plan compares with the page, `by_text` what
    the notebook is. `cut_short` says what was too much to be analysed, "" if nothing was.
    """

    notebook: Notebook
    plan: Plan
    orders: Mapping[str, Plan]
    verdict: str
    stats: Mapping[str, int]
    cells: Mapping[str, Sequence[int]]
    readings: Sequence[Reading]
    measures: Measures
    by_text: TextVerdict
    cut_short: str = ""


def as_text(report: OrderReport, paint: Paint = plain) -> str:
    """Return the plan step by step, then every order in a line."""
    path = escape.line(report.notebook.path)
    sure = confidence(report.readings)
    verdict = report.verdict if sure is None else f"{report.verdict}, {_percent(sure)} sure"
    head = paint(f"{path}: {report.plan.order} order ({verdict})", "heading")
    parts = [[head, *_table(report.plan)]]
    doubtful = [r for r in report.readings if r.is_doubtful]
    if doubtful:
        parts.append([paint("Doubtful:", "heading"), *_doubts(doubtful)])
    parts.append([*_notebook(report.by_text, paint)])
    after = [_after(kind, cells) for kind, cells in report.cells.items() if cells]
    if after:
        parts.append(["After it:", *after])
    if report.cut_short:
        parts.append([f"Not all is said: {escape.sentence(report.cut_short)} (NBS908)"])
    orders = [_ORDERS, *(_compared(report, name) for name in sorted(report.orders))]
    stats = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(report.stats.items()))
    parts.append([*orders, *([stats] if stats else [])])
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def as_json(report: OrderReport, _paint: Paint = plain) -> str:
    """Return the plan as a JSON document; `orders` maps each order's name to its cells."""
    document: dict[str, Any] = {
        "version": VERSION,
        "plan": [_described(run) for run in report.plan.runs],
        "orders": {name: list(plan.cells) for name, plan in sorted(report.orders.items())},
        "verdict": report.verdict,
        "notebook": {
            "verdict": report.by_text.verdict,
            "sure": report.by_text.sure,
            "reasons": list(report.by_text.reasons),
        },
        "cut_short": report.cut_short,
        "confidence": _rounded(confidence(report.readings)),
        "stats": {
            **dict(sorted(report.stats.items())),
            **{f"{kind}_cells": list(cells) for kind, cells in report.cells.items()},
        },
        "edges": [
            {
                **picked(reading, "reader name definer"),
                "probability": _rounded(reading.probability),
                **picked(reading, "unrecoverable why"),
            }
            for reading in report.readings
        ],
    }
    return dump(document)


def _notebook(told: TextVerdict, paint: Paint) -> Iterator[str]:
    """Yield what the notebook is as far as the text tells, and why."""
    how = "" if told.sure else ", as far as the text tells (`nbsafe run` tries it)"
    yield paint(f"The notebook: {told.verdict}{how}", "heading")
    for reason in told.reasons:
        yield f"  {escape.sentence(reason)}"


_SAYS = {
    "stale": "an input is older than what that was made from",
    "fresh": "an input has changed since the last run",
    "refresher": "to be run, to make again what is stale",
}


def _after(kind: str, cells: Sequence[int]) -> str:
    numbers = ("cell " if len(cells) == 1 else "cells ") + ", ".join(map(str, cells))
    return f"  {kind:<10} {numbers:<10}  {_SAYS[kind]}"


def _described(run: Run) -> dict[str, Any]:
    return {
        **picked(run, "step cell count session reason"),
        "probability": _rounded(run.probability),
    }


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 3)


# -- the table of the plan -------------------------------------------------------------------------


def _table(plan: Plan) -> list[str]:
    """Return a line a step: cell, count, session if there are several, how sure, and why."""
    if not plan.runs:
        return ["  nothing to run"]
    several = plan.sessions > 1
    unsure = any(run.probability is not None for run in plan.runs)
    return [_step(run, several=several, unsure=unsure) for run in plan.runs]


def _step(run: Run, *, several: bool, unsure: bool) -> str:
    cell = f"cell {run.cell}" + (f" [{run.count}]" if run.count is not None else "")
    session = f"session {run.session:<3}" if several else ""
    sure = "" if run.probability is None else _percent(run.probability)
    sure = f"{sure:>4}  " if unsure else ""
    return f"{run.step:>4}. {cell:<14} {session}{sure}{escape.sentence(run.reason)}".rstrip()


def _percent(probability: float) -> str:
    """Return a percentage; only what is certain is 100%."""
    return "100%" if probability == 1 else f"{min(99, round(100 * probability))}%"


_MOST_DOUBTS = 12


def _doubts(doubtful: Sequence[Reading]) -> list[str]:
    lines = [_doubt(reading) for reading in doubtful[:_MOST_DOUBTS]]
    more = len(doubtful) - len(lines)
    return [*lines, f"  and {more} more"] if more else lines


def _doubt(reading: Reading) -> str:
    name = escape.sentence(reading.name, 200)
    if reading.definer is None and not reading.unrecoverable:
        made = "which is not there yet"
    elif reading.definer is None:
        made = "which nothing that is left on the page can have made"
    else:
        made = f"perhaps as cell {reading.definer} left it ({_percent(reading.probability)})"
    return f"  cell {reading.reader} reads `{name}`, {made}: {escape.sentence(reading.why)}"


_ORDERS = "order         runs  unbound  out of order  cells"
_MOST_CELLS = 60


def _compared(report: OrderReport, name: str) -> str:
    """Return a line of the table of orders; what they leave unbound are executed cells."""
    plan, measured = report.orders[name], report.measures.orders.get(name)
    unbound, late = (measured.unbound, measured.out_of_order) if measured else ("", "")
    line = f"{name:<12} {len(plan.runs):>5}  {unbound:>7}  {late:>12}  "
    return line + (_cells(plan) or "nothing")


def _cells(plan: Plan) -> str:
    """Return the cells of a plan; those that run several times at once stand there once."""
    parts = []
    for cell, group in groupby(plan.cells):
        times = len(list(group))
        parts.append(f"{cell} ({times} times)" if times > 1 else f"{cell}")
    return " ".join(parts[:_MOST_CELLS] + ["..."] * (len(parts) > _MOST_CELLS))


# -- measures --------------------------------------------------------------------------------------


def measures_as_text(report: OrderReport, paint: Paint = plain) -> str:
    """Return the measures of the notebook, a line each, then those of each order."""
    measured = report.measures
    ratio = "-" if measured.ratio is None else f"{measured.ratio:.2f}"
    lines = [
        paint(f"{escape.line(report.notebook.path)}: measures", "heading"),
        f"  cells {measured.cells}, executed {measured.executed}",
        f"  gaps {measured.gaps}, missing counts {measured.missing}, jumps {measured.jumps}",
        f"  gap-jumps {_pairs(measured)}",
        f"  sessions at least {measured.sessions}, runs at least {measured.runs}, ratio {ratio}",
        f"  dependent cells {measured.dependent}, ambiguous {measured.ambiguous}",
        "",
        "  order        unbound cells  out of order",
    ]
    for name, order in measured.orders.items():
        lines.append(f"  {name:<12} {order.unbound:>13}  {order.out_of_order:>12}")
    return "\n".join(lines) + "\n"


def _pairs(measured: Measures) -> str:
    often = sorted(measured.gap_jumps, key=lambda pair: (-pair[2], pair))
    return few([f"({gap},{jump}) {number}" for gap, jump, number in often], 8) or "none"


def measures_as_json(report: OrderReport, _paint: Paint = plain) -> str:
    """Return the measures of the notebook as a JSON document."""
    return dump({"version": VERSION, "path": report.notebook.path, **described(report.measures)})


ORDER_REPORTERS = {"json": as_json, "text": as_text}
MEASURE_REPORTERS = {"json": measures_as_json, "text": measures_as_text}
