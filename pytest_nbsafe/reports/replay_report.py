"""The answer of `nbsafe replay`: what is stale after each step of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import picked
from pytest_nbsafe.sentences import many
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


@dataclass(frozen=True, slots=True)
class ReplaysReport:
    """The answers for several sessions of a history, and the predictive power over all of them."""

    sessions: Mapping[int, ReplayReport]
    powers: Mapping[str, Power]


@dataclass(frozen=True, slots=True)
class SessionsReport:
    """The sessions of a history: their numbers, and how many runs each has."""

    path: str
    sessions: tuple[tuple[int, int], ...]


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


# -- several sessions ------------------------------------------------------------------------------


def all_as_json(report: ReplaysReport, paint: Paint = plain) -> str:
    """Return the lines of each session after one with its number, then the power over all."""
    lines = [
        _line({"session": number}) + as_json(session, paint)
        for number, session in report.sessions.items()
    ]
    powers = {name: picked(power, "mean measured") for name, power in report.powers.items()}
    return "".join([*lines, _line({"sessions": len(lines), "predictive_power": powers})])


def all_as_text(report: ReplaysReport, paint: Paint = plain) -> str:
    """Return a line for each session, then how well the cell sets foretell over all of them."""
    parts = [
        [
            f"session {number}: {many(len(session.answers), 'step')}, "
            f"{many(len(session.recorded.page), 'cell')}"
            for number, session in report.sessions.items()
        ],
        [*_powers(report.powers)] or ["No cell of these sessions ran twice."],
    ]
    head = paint(f"{many(len(report.sessions), 'session')}", "heading")
    return "\n\n".join("\n".join(lines) for lines in [[head], *parts]) + "\n"


def sessions_as_json(report: SessionsReport, _paint: Paint = plain) -> str:
    """Return the sessions as JSON lines."""
    return "".join(_line({"session": number, "runs": runs}) for number, runs in report.sessions)


def sessions_as_text(report: SessionsReport, paint: Paint = plain) -> str:
    """Return a line for each session."""
    number = many(len(report.sessions), "session")
    head = paint(f"{escape.line(report.path)}: {number}", "heading")
    lines = [f"  session {session}: {many(runs, 'run')}" for session, runs in report.sessions]
    return "\n".join([head, *lines]) + "\n"


ALL_REPORTERS = {"json": all_as_json, "text": all_as_text}
SESSIONS_REPORTERS = {"json": sessions_as_json, "text": sessions_as_text}
REPLAY_REPORTERS = {"json": as_json, "text": as_text}
