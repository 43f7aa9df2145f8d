"""The answer of `nbsafe diff`: the names that differ between two states, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import VERSION, dump
from pytest_nbsafe.sentences import many, ticked
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.judge.state_differences import StateDifferences


@dataclass(frozen=True, slots=True)
class DiffReport:
    """How the second of two `points` of a notebook differs from the first.

    `failed` are the cells that failed on the way, each with its reason.
    """

    path: str
    points: tuple[str, str]
    differences: StateDifferences
    failed: Mapping[int, str]
    remarks: tuple[str, ...] = ()


def as_text(report: DiffReport, paint: Paint = plain) -> str:
    """Return a line for each name that differs, then what is not known."""
    first, second = report.points
    differing = report.differences.differing
    differ = "differs" if len(differing) == 1 else "differ"
    number = many(len(differing), "name") if differing else "no names"
    head = f"{report.path}: {number} {differ}, {first} -> {second}"
    lines = [paint(escape.line(head), "heading")]
    lines += [f"  {escape.sentence(each.how)}" for each in differing]
    if report.differences.unknown:
        lines.append(escape.sentence(f"not comparable: {ticked(report.differences.unknown)}"))
    lines += [escape.sentence(f"cell {cell} failed: {why}") for cell, why in report.failed.items()]
    lines += [escape.sentence(remark) for remark in report.remarks]
    return "\n".join((*lines, ""))


def as_json(report: DiffReport, _paint: Paint = plain) -> str:
    """Return the same as a JSON document."""
    first, second = report.points
    return dump(
        {
            "version": VERSION,
            "path": report.path,
            "from": first,
            "to": second,
            "differing": [
                {"name": each.name, "kind": each.kind, "how": each.how}
                for each in report.differences.differing
            ],
            "unknown": [*report.differences.unknown],
            "failed": [{"cell": cell, "reason": why} for cell, why in report.failed.items()],
            "remarks": [*report.remarks],
        }
    )


DIFF_REPORTERS: Mapping[str, Callable[[DiffReport, Paint], str]] = {
    "text": as_text,
    "json": as_json,
}
