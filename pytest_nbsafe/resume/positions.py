"""Places in what a kernel told of a run, as they are in the text and the session of today.

A run that is reused told of lines of its own text, of lines of the cells whose functions it called,
and of the number that each of these runs had in its kernel. A comment that was added since, or a
cell that stands elsewhere now, moves them all.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from pytest_nbsafe.kernel.contract import CellRun, Position, StatementEvent
from pytest_nbsafe.resume.questions import parsed

Moves = Mapping[tuple[int, int], tuple[int, int]]
"""Where each statement of a text starts, (line, offset), and where it does in the other."""


class CannotMove(Exception):  # noqa: N818  # it is an answer
    """The places of a run cannot be told for the text of today."""


def moves(old: str, new: str) -> Moves | None:
    """Return where the statements of a text stand in another of the same meaning.

    None where the two are one text, and nothing moves.

    Raises:
        CannotMove: the statements are not those of the other.

    """
    if old == new:
        return None
    starts = [_starts(text) for text in (old, new)]
    if len(starts[0]) != len(starts[1]):
        raise CannotMove
    return dict(zip(*starts, strict=True))


def _starts(text: str) -> list[tuple[int, int]]:
    tree = parsed(text)
    if tree is None:
        raise CannotMove
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return [(node.lineno, node.col_offset) for node in statements]


def tells_of_lines(event: CellRun) -> bool:
    """Return whether a run tells of more places than those of statements."""
    return bool(event["raised"] or event["incidents"] or event["evaluations"] or event["copies"])


def runs_told(event: CellRun) -> set[int]:
    """Return the numbers of the runs that a run tells of, its own left out."""
    runs = {place["run"] for event_ in event["statements"] for place in event_["called"]}
    runs |= {run for run, _ in event["raised"]["frames"]} if event["raised"] else set()
    runs |= {learned["run"] for e in event["evaluations"] for learned in e["learned"]}
    runs |= {copies["run"] for copies in event["copies"]}
    return runs - {event["run"], 0}


def moved(
    event: CellRun,
    number: int,
    runs: Mapping[int, tuple[int, Moves | None]],
    own: Moves | None,
) -> CellRun:
    """Return what a run told, as if it had been the run of this number in the text of today.

    `runs` gives for each run that it tells of the number of today, and how its text has moved.

    Raises:
        CannotMove: it tells of a line of a text that has moved otherwise than by statements.

    """
    where = {**runs, event["run"]: (number, own)}
    if any(where[run][1] is not None for run in where) and tells_of_lines(event):
        raise CannotMove

    def run_of(run: int) -> int:
        return where[run][0] if run else 0

    def position(place: Position) -> Position:
        to, shift = where[place["run"]]
        line, offset = _at(shift, place["line"], place["offset"])
        return {"run": to, "line": line, "offset": offset}

    def statement(told: StatementEvent) -> StatementEvent:
        line, offset = _at(own, told["line"], told["offset"])
        called = [position(place) for place in told["called"]]
        return {**told, "line": line, "offset": offset, "called": called}

    changes: dict[str, Any] = {
        "run": number,
        "statements": [statement(told) for told in event["statements"]],
    }
    if event["raised"]:
        frames = [(run_of(run), line) for run, line in event["raised"]["frames"]]
        changes["raised"] = {**event["raised"], "frames": frames}
    changes["evaluations"] = [
        {
            **told,
            "learned": [{**learned, "run": run_of(learned["run"])} for learned in told["learned"]],
        }
        for told in event["evaluations"]
    ]
    changes["copies"] = [{**copies, "run": run_of(copies["run"])} for copies in event["copies"]]
    return {**event, **changes}  # type: ignore[typeddict-item]  # the same keys


def _at(shift: Moves | None, line: int, offset: int) -> tuple[int, int]:
    if shift is None:
        return line, offset
    if (line, offset) not in shift:
        raise CannotMove
    return shift[line, offset]
