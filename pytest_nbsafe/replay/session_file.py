"""A session on file: which text was run in which cell, one run after another.

Two forms are read: JSON lines, written for this tool, and the `history.sqlite` of IPython
(`historyfile`), which knows no cells.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import files
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.replay import history_database, history_file
from pytest_nbsafe.replay.session_runs import RecordedSession, RecordedStep
from pytest_nbsafe.values import dataclass

_SHAPE = 'a step is {"cell": "c1", "source": "x = 1"}, and the first line may be {"page": ["c1"]}'
_SQLITE = b"SQLite format 3\0"
_SHOWN = 60
_MOST_BYTES = 64 * files.MEGABYTE


@dataclass(frozen=True, slots=True)
class Versions:
    """Every text that a cell of a session had, as a notebook whose cells are those texts.

    `numbers[i]` is the text that step `i + 1` runs; `owner` maps a text to its cell's id.
    """

    notebook: Notebook
    numbers: tuple[int, ...]
    owner: dict[int, str]


def read(path: Path, session: int | None = None) -> RecordedSession:
    """Return the session that a file holds; `session` is the one of a `history.sqlite`.

    Raises:
        NbsafeError: the file cannot be read, or does not say what was run.

    """
    if is_history(path):
        return history_file.read(path, session)
    try:
        data = files.read_bytes(path, _MOST_BYTES)
    except OSError as error:
        raise _cannot_read(path, error) from error
    if session is not None:
        raise NbsafeError(
            "no-sessions",
            f"{path} is not a history.sqlite, so it holds no session {session}",
            "leave out --session",
        )
    if path.suffix == ".ipynb":
        hint = "`nbsafe run` runs a notebook; a session is what was run, with texts that are gone"
        raise NbsafeError("no-sessions", f"{path} is a notebook and holds no session", hint)
    if not data.strip():
        raise NbsafeError("empty-session", f"{path} is empty", _SHAPE)
    return _parsed(path, data)


def is_history(path: Path) -> bool:
    """Return whether a file is a database, as the `history.sqlite` of IPython is.

    Raises:
        NbsafeError: the file cannot be read.

    """
    try:
        return files.read_start(path, len(_SQLITE), history_database.MOST_BYTES) == _SQLITE
    except OSError as error:
        raise _cannot_read(path, error) from error


def _cannot_read(path: Path, error: OSError) -> NbsafeError:
    message = f"cannot read {path}: {error.strerror}"
    return NbsafeError("cannot-read", message, "give the file of a session")


# ------------------------------------------------------------------- JSON lines


def _parsed(path: Path, data: bytes) -> RecordedSession:
    page: tuple[str, ...] | None = None
    steps: list[RecordedStep] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        entry = _object(path, number, raw)
        if "page" not in entry:
            steps.append(_step(path, number, entry))
        elif page is None and not steps:
            page = _page(path, number, entry["page"])
        else:
            raise _refused(path, number, "only the first line may give the page")
    if not steps:
        raise NbsafeError("empty-session", f"{path} runs no cell", _SHAPE)
    return _on_page(path, page, steps)


def _object(path: Path, number: int, raw: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        raise _refused(path, number, f"is not JSON ({error}): {_start(raw)}") from error
    if not isinstance(entry, dict):
        raise _refused(path, number, f"is not an object but {_start(raw)}")
    return entry


def _start(raw: bytes) -> str:
    text = raw[: 8 * _SHOWN].decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _step(path: Path, number: int, entry: dict[str, Any]) -> RecordedStep:
    for key in ("cell", "source"):
        if key not in entry:
            raise _refused(path, number, f"has no {key!r}")
        if not isinstance(entry[key], str):
            raise _refused(path, number, f"the {key!r} is no text")
        if not _is_whole(entry[key]):
            raise _refused(path, number, f"the {key!r} holds half of a character")
    if not entry["cell"]:
        raise _refused(path, number, "the 'cell' is empty")
    return RecordedStep(entry["cell"], entry["source"], number)


def _page(path: Path, number: int, page: object) -> tuple[str, ...]:
    if not isinstance(page, list) or not all(isinstance(cell, str) for cell in page):
        raise _refused(path, number, "the 'page' is not a list of cells")
    if not all(map(_is_whole, page)):
        raise _refused(path, number, "the 'page' holds half of a character")
    twice = min((cell for cell, times in Counter(page).items() if times > 1), default=None)
    if twice is not None:
        raise _refused(path, number, f"the page holds {twice!r} twice")
    return tuple(page)


def _is_whole(text: str) -> bool:
    """Return whether a kernel can be sent the text: it has no surrogate without its other half."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _on_page(
    path: Path, page: tuple[str, ...] | None, steps: Sequence[RecordedStep]
) -> RecordedSession:
    """Return the session: its page as the file tells, else the cells as they were first run.

    A cell that ran and is not on the page is deleted; one that never ran has no text here.
    """
    ran: dict[str, int] = {}
    for step in steps:
        ran.setdefault(step.cell, step.line)
    cells = tuple(ran) if page is None else page
    deleted = sorted(ran.keys() - set(cells), key=lambda cell: ran[cell])
    if len(deleted) == len(ran):
        fault = f"runs {deleted[0]!r}, which is not on the page, and nothing runs that is"
        raise _refused(path, ran[deleted[0]], fault)
    notes = [f"cell {cell} is not on the page: no clean run has it" for cell in deleted]
    notes += [f"cell {cell} was never run" for cell in cells if cell not in ran]
    return RecordedSession(str(path), cells, tuple(steps), tuple(notes))


def _refused(path: Path, number: int, fault: str) -> NbsafeError:
    return NbsafeError("bad-session", f"{path}, line {number}: {fault}", _SHAPE)


# ------------------------------------------------------------------- texts as cells


def versions(recorded: RecordedSession) -> Versions:
    """Return the texts of a session as cells, numbered as they first ran."""
    known: dict[tuple[str, str], int] = {}
    numbers = [
        known.setdefault((step.cell, step.source), len(known) + 1) for step in recorded.steps
    ]
    cells = tuple(
        Cell(CellId(f"{cell}#{number}"), number, "code", source)
        for (cell, source), number in known.items()
    )
    owner = {number: cell for (cell, _), number in known.items()}
    return Versions(Notebook(recorded.path, cells), tuple(numbers), owner)
