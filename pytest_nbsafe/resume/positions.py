"""Places in what a kernel told of a run, as they are in the text and the session of today.

A run that is reused told of lines of its own text, of lines of the cells whose functions it called,
and of the number that each of these runs had in its kernel. A comment that was added since, or a
cell that stands elsewhere now, moves them all.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytest_nbsafe.kernel.contract import CellRun, Position, Raised, StatementEvent
from pytest_nbsafe.kernel.learning_contract import LogNote
from pytest_nbsafe.resume.questions import parsed
from pytest_nbsafe.values import dataclass

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
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
    olds, news = _statements(_tree(old)), _statements(_tree(new))
    if len(olds) != len(news):
        raise PlaceUnknown
    return _moves(olds, news)


def moves_of_definitions(old: str, new: str) -> Moves | None:
    """Return how the functions and classes of a text have moved that another has, word for word.

    Only of those the places are known, and only if both have them once; None where the texts are
    one.

    Raises:
        PlaceUnknown: one of the texts is no plain Python.

    """
    if old == new:
        return None
    olds, news = _definitions(_tree(old)), _definitions(_tree(new))
    both = [(olds[text], news[text]) for text in olds.keys() & news.keys()]
    pairs = [(*was, *now) for was, now in both if len(was) == len(now) == 1]
    found = [[node for pair in pairs for node in _statements(pair[side])] for side in (0, 1)]
    return _moves(*found)


def _definitions(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Return the functions and classes that a text defines, by what they say."""
    found: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(node, _DEFINITIONS):
            found.setdefault(ast.dump(node), []).append(node)
    return found


def _moves(olds: Sequence[ast.stmt], news: Sequence[ast.stmt]) -> Moves:
    """Return how statements have moved, each of which is one of the other text."""
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


def _tree(text: str) -> ast.Module:
    tree = parsed(text)
    if tree is None:
        raise PlaceUnknown
    return tree


def _statements(tree: ast.AST) -> list[ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _called(event: CellRun) -> list[Position]:
    return [place for statement in event["statements"] for place in statement["called"]]


def places_called(event: CellRun, run: int) -> list[tuple[int, int]]:
    """Return where the functions of a run begin that another called, as it tells."""
    return [(place["line"], place["offset"]) for place in _called(event) if place["run"] == run]


def runs_called(event: CellRun) -> set[int]:
    """Return the numbers of the runs whose functions a run called, its own left out."""
    runs = {place["run"] for place in _called(event)}
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
    return _Today(event, where, places).told()


class _Today:
    """What a run told, in the runs and lines of today: `where` and `places` as `moved` has them."""

    def __init__(
        self,
        event: CellRun,
        where: Mapping[int, tuple[int, Moves | None]],
        places: Mapping[Place, Place],
    ) -> None:
        self._event, self._where, self._places = event, where, places

    def told(self) -> CellRun:
        """Return it.

        Raises:
            PlaceUnknown: it tells of a place that cannot be told for the text of today.

        """
        event = self._event
        number, _ = self._where[event["run"]]
        now: dict[str, Any] = {
            **event,
            "run": number,
            "raised": self._raised(),
            "statements": [self._statement(told) for told in event["statements"]],
            "incidents": [{**told, **self._own_line(told)} for told in event["incidents"]],
            "evaluations": [
                {**told, **self._own_line(told), "learned": [*map(self._fit, told["learned"])]}
                for told in event["evaluations"]
            ],
            "copies": [{**self._copy(told), **self._own_line(told)} for told in event["copies"]],
        }
        note = log_note(event)
        if note["places"]:
            places = [(what, *self._line_of(run, line)) for what, run, line in note["places"]]
            now["inputs"] = {**now["inputs"], "fit_log": {**note, "places": places}}
        return now  # type: ignore[return-value]  # the same keys

    def _raised(self) -> Raised | None:
        raised = self._event["raised"]
        if raised is None:
            return None
        frames = [self._line_of(run, line) for run, line in raised["frames"]]
        _, line = self._line_of(self._event["run"], raised["line"])
        return {**raised, "line": line, "frames": frames}

    def _statement(self, told: StatementEvent) -> dict[str, Any]:
        at = self._position(self._event["run"], told["line"], told["offset"])
        called = [self._position(*_place(place)) for place in told["called"]]
        return {**told, "line": at["line"], "offset": at["offset"], "called": called}

    def _fit(self, told: Mapping[str, Any]) -> dict[str, Any]:
        what, run, line = self._learned_at(told["what"], told["run"], told["line"])
        return {**told, "what": what, "run": run, "line": line}

    def _copy(self, told: Mapping[str, Any]) -> dict[str, Any]:
        _, run, line = self._learned_at("", told["run"], told["made_line"])
        return {**told, "run": run, "made_line": line}

    def _own_line(self, told: Mapping[str, Any]) -> dict[str, int]:
        return {"line": self._line_of(self._event["run"], told["line"])[1]}

    def _line_of(self, run: int, line: int) -> tuple[int, int]:
        if run not in self._where:
            raise PlaceUnknown
        number, moves = self._where[run]
        return number, line if moves is None else moves.line(line)

    def _position(self, run: int, line: int, offset: int) -> Position:
        number, moves = self._where[run]
        at = (line, offset) if moves is None else moves.start(line, offset)
        return {"run": number, "line": at[0], "offset": at[1]}

    def _learned_at(self, what: str, run: int, line: int) -> Place:
        now = self._places.get((what, run, line)) if run not in self._where else None
        return now or (what, *self._line_of(run, line))


def _place(place: Position) -> tuple[int, int, int]:
    return place["run"], place["line"], place["offset"]
