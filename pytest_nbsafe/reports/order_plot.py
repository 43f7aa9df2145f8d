"""The plan of a notebook as a drawing: counts against places on the page, sessions in colour."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_nbsafe.reports import svg

if TYPE_CHECKING:
    from pytest_nbsafe.order.plan import Plan, Run
    from pytest_nbsafe.reports.order_report import OrderReport

_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 50, 30, 50
_HEIGHT = 360
_WIDEST = 1400
_LETTER = 7


def as_svg(report: OrderReport) -> str:
    """Return the drawing; what is inferred is hollow, and a line leads from run to run.

    Runs without a count stand at their step in the plan.
    """
    plan = report.plan
    cells = max((cell.number for cell in report.notebook.cells), default=1)
    by_count = all(run.count is not None for run in plan.runs)
    most = max((_height(run, by_count=by_count) for run in plan.runs), default=1)
    width = min(max(24 * cells, 320), _WIDEST)

    def at(run: Run) -> tuple[float, float]:
        share = _height(run, by_count=by_count) / most
        return _LEFT + run.cell / cells * width, _TOP + _HEIGHT * (1 - share)

    heading = f"{PurePath(report.notebook.path).name}: {plan.order} order"
    parts = [svg.words(_LEFT, 20, heading)]
    parts += _axes(cells, most, width, "count" if by_count else "step of the plan")
    for before, after in zip(plan.runs, plan.runs[1:], strict=False):
        if before.session == after.session:
            parts.append(svg.line(*at(before), *at(after), colour="#ddd"))
    for run in plan.runs:
        title = f"step {run.step}: cell {run.cell}, {run.reason}"
        parts.append(svg.dot(*at(run), _colour(run.session), filled=run.recorded, title=title))
    parts += _legend(plan)
    named = max(_legend_at(_named(plan) + 1), _LEFT + min(_LETTER * len(heading), _WIDEST))
    return svg.drawing(max(_LEFT + width, named) + _RIGHT, _TOP + _HEIGHT + _BOTTOM, parts)


def _height(run: Run, *, by_count: bool) -> int:
    return (run.count or 0) if by_count else run.step


def _colour(session: int) -> str:
    return svg.COLOURS[(session - 1) % len(svg.COLOURS)]


def _axes(cells: int, most: int, width: int, title: str) -> list[str]:
    floor = _TOP + _HEIGHT
    parts = [svg.line(_LEFT, _TOP, _LEFT, floor), svg.line(_LEFT, floor, _LEFT + width, floor)]
    parts += [
        svg.words(_LEFT + tick / cells * width, floor + 16, str(tick), anchor="middle")
        for tick in svg.ticks(cells, width // 40)
    ]
    parts += [
        svg.words(_LEFT - 8, floor - tick / most * _HEIGHT + 4, str(tick), anchor="end")
        for tick in svg.ticks(most)
    ]
    parts.append(svg.words(_LEFT + width / 2, floor + 36, "cell on the page", anchor="middle"))
    parts.append(svg.words(10, _TOP - 12, title))
    return parts


_MOST_NAMED = 8


def _legend(plan: Plan) -> list[str]:
    parts = []
    for session in range(1, _named(plan) + 1):
        x = _legend_at(session)
        parts.append(svg.dot(x, _TOP - 16, _colour(session)))
        parts.append(svg.words(x + 8, _TOP - 12, f"session {session}"))
    return parts


def _named(plan: Plan) -> int:
    """Return of how many sessions the legend gives the colour."""
    return min(plan.sessions, _MOST_NAMED) if plan.sessions > 1 else 0


def _legend_at(session: int) -> int:
    """Return where the legend shows a session, from the left."""
    return _LEFT + 100 + 90 * (session - 1)
