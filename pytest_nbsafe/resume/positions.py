"""Places in what a kernel told of a run, as they are in the text and the session of today.

A run that is reused told of lines of its own text, of lines of the cells whose functions it called,
and of the number that each of these runs had in its kernel. A comment that was added since, or a
cell that stands elsewhere now, moves them all.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pytest_nbsafe.kernel.contract import CellRun, Position
from pytest_nbsafe.kernel.learning_contract import LogNote
from pytest_nbsafe.resume.questions import parsed
from pytest_nbsafe.values import dataclass

NO_NOTE: LogNote = {"state": "", "places": [], "holds": {}}


Place = tuple[str, int, int]
"""What was fitted somewhere, or nothing, the run and the line, as a `LogNote` tells it."""


class PlaceUnknown(Exception):  # noqa: N818  # it is an answer
    """A place of a run cannot be told for the text of today."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the statements of a text start, (line, offset), and its lines, in another text."""

    starts: Mapping[tuple[int, int], tuple[int, int]]
    lines: Mapping[int, int]

    def start(self, line: int, offset: int) -> tuple[int, int]:
        """Return where a statement starts now.

        Raises:
            PlaceUnknown: none starts there.

        """
        if (line, offset) not in self.starts:
            raise PlaceUnknown
        return self.starts[line, offset]

    def line(self, line: int) -> int:
        """Return where a line stands now; 0 stands for an unknown one.

        Raises:
            PlaceUnknown: it is not known.

        """
        if line and line not in self.lines:
            raise PlaceUnknown
        return self.lines[line] if line else 0


def moves(old: str, new: str) -> Moves | None:
    """Return how a text has moved in another of the same meaning; None where the two are one.

    A line within a statement is followed where the statement has as many lines as it had.

    Raises:
        PlaceUnknown: the statements are not those of the other.

    """
    if old == new:
        return None
    olds, news = _statements(old), _statements(new)
    if len(olds) != len(news):
        raise PlaceUnknown
    lines: dict[int, int] = {}
    for was, now in zip(olds, news, strict=True):  # inner ones after those around them
        last = was.end_lineno or was.lineno
        if last - was.lineno == (now.end_lineno or now.lineno) - now.lineno:
            shift = now.lineno - was.lineno
            lines.update((line, line + shift) for line in range(was.lineno, last + 1))
        else:
            lines[was.lineno] = now.lineno
    starts = [[(node.lineno, node.col_offset) for node in nodes] for nodes in (olds, news)]
    return Moves(dict(zip(*starts, strict=True)), lines)


def _statements(text: str) -> list[ast.stmt]:
    tree = parsed(text)
    if tree is None:
        raise PlaceUnknown
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def runs_called(event: CellRun) -> set[int]:
    """Return the numbers of the runs whose functions a run called, its own left out."""
    runs = {place["run"] for statement in event["statements"] for place in statement["called"]}
    runs |= {run for run, _ in event["raised"]["frames"]} if event["raised"] else set()
    runs |= {run for _, run, _ in log_note(event)["places"]}
    return runs - {event["run"], 0}


def runs_told(event: CellRun) -> set[int]:
    """Return the numbers of all runs that a run tells of, its own left out."""
    runs = {learned["run"] for e in event["evaluations"] for learned in e["learned"]}
    runs |= {copies["run"] for copies in event["copies"]}
    return runs_called(event) | (runs - {event["run"], 0})


def log_note(event: CellRun) -> LogNote:
    """Return what a run told of the log of learning, nothing where it told of none."""
    inputs = event["inputs"]
    return (inputs["fit_log"] if inputs is not None else None) or NO_NOTE


def moved(
    event: CellRun,
    number: int,
    runs: Mapping[int, tuple[int, Moves | None]],
    own: Moves | None,
    places: Mapping[Place, Place] = MappingProxyType({}),
) -> CellRun:
    """Return what a run told, as if it had been the run of this number in the text of today.

    `runs` gives for each run that it tells of the number of today, and how its text has moved;
    `own` how its own has; `places` gives where others learned, which are not among the `runs`.

    Raises:
        PlaceUnknown: it tells of a place that cannot be told for the text of today.

    """
    where = {**runs, event["run"]: (number, own), 0: (0, None)}

    def line_of(run: int, line: int) -> tuple[int, int]:
        if run not in where:
            raise PlaceUnknown
        to, shift = where[run]
        return to, line if shift is None else shift.line(line)

    def start_of(run: int, line: int, offset: int) -> Position:
        to, shift = where[run]
        at = (line, offset) if shift is None else shift.start(line, offset)
        return {"run": to, "line": at[0], "offset": at[1]}

    def learned_at(what: str, run: int, line: int) -> Place:
        now = places.get((what, run, line)) if run not in where else None
        return now or (what, *line_of(run, line))

    def with_fit(told: Mapping[str, Any]) -> dict[str, Any]:
        what, run, line = learned_at(told["what"], told["run"], told["line"])
        return {**told, "what": what, "run": run, "line": line}

    def with_maker(told: Mapping[str, Any]) -> dict[str, Any]:
        _, run, line = learned_at("", told["run"], told["made_line"])
        return {**told, "run": run, "made_line": line}

    own_run = event["run"]
    changes: dict[str, Any] = {"run": number, "raised": None}
    changes["statements"] = [
        {
            **told,
            **_line_and_offset(start_of(own_run, told["line"], told["offset"])),
            "called": [start_of(*_place(place)) for place in told["called"]],
        }
        for told in event["statements"]
    ]
    if event["raised"]:
        frames = [line_of(run, line) for run, line in event["raised"]["frames"]]
        line = line_of(own_run, event["raised"]["line"])[1]
        changes["raised"] = {**event["raised"], "line": line, "frames": frames}
    changes["incidents"] = [
        {**told, "line": line_of(own_run, told["line"])[1]} for told in event["incidents"]
    ]
    changes["evaluations"] = [
        {
            **told,
            "line": line_of(own_run, told["line"])[1],
            "learned": [with_fit(learned) for learned in told["learned"]],
        }
        for told in event["evaluations"]
    ]
    changes["copies"] = [
        {**with_maker(told), "line": line_of(own_run, told["line"])[1]} for told in event["copies"]
    ]
    note = log_note(event)
    if note["places"]:
        added = [(what, *line_of(run, line)) for what, run, line in note["places"]]
        changes["inputs"] = {**event["inputs"], "fit_log": {**note, "places": added}}  # type: ignore[dict-item]
    return {**event, **changes}  # type: ignore[typeddict-item]  # the same keys


def _place(place: Position) -> tuple[int, int, int]:
    return place["run"], place["line"], place["offset"]


def _line_and_offset(place: Position) -> dict[str, int]:
    return {"line": place["line"], "offset": place["offset"]}
