"""The answer of `nbsafe replay`: what is stale after each step of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, ansi, plain


class Answer(Protocol):
    """What is said after one step."""

    @property
    def step(self) -> int:
        """Which step, from 1."""

    @property
    def cell(self) -> str:
        """The cell that it ran."""

    @property
    def status(self) -> str:
        """How it ended: ok, error or skipped."""

    @property
    def reason(self) -> str:
        """Why it was not run, or was stopped."""

    @property
    def stale_symbols(self) -> Sequence[str]:
        """The stale names."""

    @property
    def stale_cells(self) -> Sequence[str]:
        """The stale cells."""

    @property
    def fresh_cells(self) -> Sequence[str]:
        """The cells that would give another result."""

    @property
    def refresher_cells(self) -> Sequence[str]:
        """The cells that would make a stale name anew."""

    @property
    def unrunnable_cells(self) -> Sequence[str]:
        """The cells that miss a name."""

    @property
    def unknown(self) -> Sequence[str]:
        """The names of which nothing is known."""

    @property
    def causes(self) -> Mapping[str, str]:
        """Why each stale name is stale."""

    @property
    def judged(self) -> bool:
        """Whether a clean run has decided."""


class Power(Protocol):
    """The mean predictive power of a cell set, None where it was never measured."""

    @property
    def mean(self) -> float | None:
        """The mean."""

    @property
    def measured(self) -> int:
        """How often it was measured."""


class Page(Protocol):
    """The session that was run."""

    @property
    def path(self) -> str:
        """The file."""

    @property
    def page(self) -> Sequence[str]:
        """The cells in page order."""


class Replayed(Protocol):
    """What there is to tell."""

    @property
    def recorded(self) -> Page:
        """The session."""

    @property
    def answers(self) -> Sequence[Answer]:
        """What is said after each step."""

    @property
    def powers(self) -> Mapping[str, Power]:
        """How well each cell set foretold which cell ran next."""

    @property
    def notes(self) -> Sequence[str]:
        """What was mended or could not be done."""


class ReplayReporter(Protocol):
    """A format of the answer of `nbsafe replay`."""

    def __call__(self, told: Replayed, *, colour: bool = False) -> str:
        """Return the answer in this format."""


# -- JSON ------------------------------------------------------------------------------------------


def as_json(told: Replayed, *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has none
    """Return the answer as JSON lines: one a step, then one of the predictive power."""
    before: Answer | None = None
    lines = []
    for answer in told.answers:
        lines.append(_line(_described(answer, before)))
        before = answer
    powers = {name: {"mean": p.mean, "measured": p.measured} for name, p in told.powers.items()}
    lines.append(_line({"predictive_power": powers, "notes": list(told.notes)}))
    return "".join(lines)


def _line(document: Any) -> str:
    return json.dumps(document) + "\n"


def _described(answer: Answer, before: Answer | None) -> dict[str, Any]:
    return {
        "step": answer.step,
        "cell": answer.cell,
        "status": answer.status,
        "stale_symbols": list(answer.stale_symbols),
        "stale_cells": list(answer.stale_cells),
        "fresh_cells": list(answer.fresh_cells),
        "refresher_cells": list(answer.refresher_cells),
        "unrunnable_cells": list(answer.unrunnable_cells),
        "new_stale_cells": _new(answer.stale_cells, before.stale_cells if before else ()),
        "new_fresh_cells": _new(answer.fresh_cells, before.fresh_cells if before else ()),
        "new_refresher_cells": _new(
            answer.refresher_cells, before.refresher_cells if before else ()
        ),
        "unknown_symbols": list(answer.unknown),
        "causes": dict(answer.causes),
        "judged": answer.judged,
        "reason": answer.reason,
    }


def _new(cells: Sequence[str], before: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell not in before]


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


def as_text(told: Replayed, *, colour: bool = False) -> str:
    """Return the answer for a reader at a terminal: a line a step, the end in full."""
    paint = ansi if colour else plain
    steps = f"{len(told.answers)} steps, {len(told.recorded.page)} cells"
    parts = [[paint(f"{escape.line(told.recorded.path)}: {steps}", "heading")]]
    parts.append([line for answer in told.answers for line in _step(answer, paint)])
    if told.answers:
        parts.append(list(_ending(told.answers[-1], paint)))
    parts.append(list(_powers(told.powers)))
    parts.append([f"Note: {escape.line(note)}." for note in told.notes])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _step(answer: Answer, paint: Paint) -> Iterator[str]:
    state = f"step {answer.step:>3}  {escape.line(answer.cell):<8}  {answer.status}"
    if answer.status == "error":
        state = paint(state, "error")
    told = [
        f"{word} {_listed(items)}"
        for word, items in (
            ("stale", answer.stale_symbols),
            ("in cells", answer.stale_cells),
            ("fresh", answer.fresh_cells),
        )
        if items
    ]
    reason = f"  ({escape.line(answer.reason)})" if answer.reason else ""
    yield "  ".join([state, *told]).rstrip() + reason


def _ending(answer: Answer, paint: Paint) -> Iterator[str]:
    how = "judged by a clean run" if answer.judged else "by lineage alone: no clean run judged it"
    yield paint(f"In the end ({how})", "heading")
    for name in answer.stale_symbols:
        cause = escape.line(answer.causes.get(name, ""))
        yield f"  {paint(f'`{escape.line(name)}` is stale', 'warning')}: {cause}"
    sections = (
        ("Stale cells", answer.stale_cells),
        ("Fresh cells (their result is old, running them mends it)", answer.fresh_cells),
        ("Refreshers (they make a stale name anew)", answer.refresher_cells),
        ("Cannot run (they miss a name)", answer.unrunnable_cells),
        ("Not known (values that cannot be compared)", answer.unknown),
    )
    told = [(title, items) for title, items in sections if items]
    for title, items in told:
        yield f"  {title}: {_listed(items)}"
    if not told and not answer.stale_symbols:
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
    return ", ".join(escape.line(item) for item in items)


REPLAY_REPORTERS: Mapping[str, ReplayReporter] = {"json": as_json, "text": as_text}
