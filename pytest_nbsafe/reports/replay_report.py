"""The answer of `nbsafe replay`: what is stale after each step of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import picked
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.replay.predictive_power import Power
    from pytest_nbsafe.replay.session_runs import RecordedSession, StepAnswer


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """The answer of `nbsafe replay`: what is said after each step, and how well it foretells.

    `powers` has the predictive power of each cell set, `notes` what was mended or not done.
    """

    recorded: RecordedSession
    answers: tuple[StepAnswer, ...]
    powers: Mapping[str, Power]
    notes: tuple[str, ...]


# -- JSON ------------------------------------------------------------------------------------------


def as_json(report: ReplayReport, _paint: Paint = plain) -> str:
    """Return the answer as JSON lines: one a step, then one of the predictive power."""
    pairs = zip(report.answers, (None, *report.answers), strict=False)
    lines = [_line(_described(answer, before)) for answer, before in pairs]
    powers = {name: picked(power, "mean measured") for name, power in report.powers.items()}
    lines.append(_line({"predictive_power": powers, "notes": report.notes}))
    return "".join(lines)


def _line(document: Any) -> str:
    return json.dumps(document) + "\n"


def _described(answer: StepAnswer, before: StepAnswer | None) -> dict[str, Any]:
    new = {
        f"new_{kind}": [
            cell for cell in getattr(answer, kind) if cell not in getattr(before, kind, ())
        ]
        for kind in ("stale_cells", "fresh_cells", "refresher_cells")
    }
    return {
        **picked(answer, "step cell status stale_symbols stale_cells fresh_cells"),
        **picked(answer, "refresher_cells unrunnable_cells"),
        **new,
        "unknown_symbols": answer.unknown,
        **picked(answer, "causes judged reason"),
    }


# -- text ------------------------------------------------------------------------------------------

_WORDS = {
    "next": "the next cell",
    "random": "a random cell",
    "stale": "stale cells",
    "fresh": "fresh cells",
    "new_fresh": "new fresh cells",
    "refresher": "refreshers",
    "new_refresher": "new refreshers",
}


def as_text(report: ReplayReport, paint: Paint = plain) -> str:
    """Return the answer for a reader at a terminal: a line a step, the end in full."""
    steps = f"{len(report.answers)} steps, {len(report.recorded.page)} cells"
    parts = [[paint(f"{escape.line(report.recorded.path)}: {steps}", "heading")]]
    parts.append([line for answer in report.answers for line in _step(answer, paint)])
    if report.answers:
        parts.append(list(_ending(report.answers[-1], paint)))
    parts.append(list(_powers(report.powers)))
    parts.append([f"Note: {escape.sentence(note)}." for note in report.notes])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _step(answer: StepAnswer, paint: Paint) -> Iterator[str]:
    state = f"step {answer.step:>3}  {escape.sentence(answer.cell):<8}  {answer.status}"
    if answer.status == "error":
        state = paint(state, "error")
    words = {"stale": answer.stale_symbols, "in cells": answer.stale_cells}
    words["fresh"] = answer.fresh_cells
    sets = [f"{word} {_listed(items)}" for word, items in words.items() if items]
    reason = f"  ({escape.sentence(answer.reason)})" if answer.reason else ""
    yield "  ".join([state, *sets]).rstrip() + reason


def _ending(answer: StepAnswer, paint: Paint) -> Iterator[str]:
    how = "judged by a clean run" if answer.judged else "by lineage alone: no clean run judged it"
    yield paint(f"In the end ({how})", "heading")
    for name in answer.stale_symbols:
        cause = escape.sentence(answer.causes.get(name, ""))
        yield f"  {paint(f'`{escape.sentence(name, 200)}` is stale', 'warning')}: {cause}"
    sections = (
        ("Stale cells", answer.stale_cells),
        ("Fresh cells (their result is old; running them again corrects it)", answer.fresh_cells),
        ("Refreshers (they make a stale name again)", answer.refresher_cells),
        ("Cannot run (a name that they read is missing)", answer.unrunnable_cells),
        ("Not known (values that cannot be compared)", answer.unknown),
    )
    for title, items in sections:
        if items:
            yield f"  {title}: {_listed(items)}"
    if not answer.stale_symbols and not any(items for _, items in sections):
        yield "  Nothing is stale."


def _powers(powers: Mapping[str, Power]) -> Iterator[str]:
    measured = {name: power for name, power in powers.items() if power.mean is not None}
    if not measured:
        return
    yield "How much more often than by chance the next run was of"
    for name, power in measured.items():
        times = "once" if power.measured == 1 else f"{power.measured} times"
        yield f"  {_WORDS.get(name, name):<18} {power.mean:5.2f}  (measured {times})"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(escape.sentence(item, 200) for item in items)


REPLAY_REPORTERS = {"json": as_json, "text": as_text}
