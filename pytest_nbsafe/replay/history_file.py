"""A session in IPython's `history.sqlite`, its cells told apart by how alike their texts are."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.libraries.datafiles import phrase, words
from pytest_nbsafe.notebook.source import Escape, to_python
from pytest_nbsafe.replay.session_runs import RecordedSession, RecordedStep
from pytest_nbsafe.sentences import many

ALIKE = 0.8
FEW = 50
_LISTED = 5
_ROUNDING = 1e-9
_SHELLS = frozenset({"!", "bash", "cmd", "script", "sh", "sx", "system", "perl", "ruby"})
_SHELL_LINES = frozenset({"sx", "system", "sc", "pip", "conda", "mamba", "uv"})
_ASKS = patterns.compile(r"(?<![\w.])(?:raw_)?input[ \t]*\(|\bgetpass[ \t]*\(")
_ENDS = patterns.compile(r"^[ \t]*%?(?:exit|quit)(?:[ \t]*\([ \t]*\))?[ \t]*$", re.MULTILINE)


def read(path: Path, session: int | None) -> RecordedSession:
    """Return a session of a history file, mended so that it can be run again.

    A run belongs to the cell whose latest text is most like its own, if 80% of it is; else to a
    new cell. So the page's order is that in which the cells first ran.

    Source: Macke et al. 2021, section 6.1 and 6.2. Taken over: system commands are left out, plots
    are drawn into the page, runs that ask for input are left out; a session of fewer than 50 runs
    is told to be short. Departs: Python 2 is not translated (2to3 is no more), no versions of
    libraries are tried, no paths rewritten and no data fetched: one's own session finds its own.
    """
    runs = _runs(path, session)
    notes = [f"a short session: {len(runs)} runs (the paper takes {FEW} or more)"]
    notes = notes if len(runs) < FEW else []
    texts: dict[str, str] = {}
    steps = [_step(texts, source, count) for count, source in runs]
    if left := sum(bool(step.skip) for step in steps):
        notes.append(f"{many(left, 'run')} left out, which cannot be run again")
    mended = sum(
        s.source != source and not s.skip for s, (_, source) in zip(steps, runs, strict=True)
    )
    if mended:
        notes.append(f"system commands taken out of {many(mended, 'run')}")
    plots = any(_draws().search(source) for _, source in runs)
    return RecordedSession(
        str(path),
        tuple(texts),
        tuple(steps),
        tuple(notes),
        before=phrase("plotting", "magic") if plots else "",
        elsewhere=True,
    )


@cache
def _draws() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words('plotting', 'names'))})\b")


# ------------------------------------------------------------------ the file


def _runs(path: Path, session: int | None) -> list[tuple[int, str]]:
    """Return the counts and texts of a session's runs, in order."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            chosen = session if session is not None else _only(path, _sessions(base))
            rows = base.execute(
                "SELECT line, source_raw FROM history WHERE session = ? ORDER BY line", (chosen,)
            ).fetchall()
            runs = [(int(line), str(source)) for line, source in rows if str(source).strip()]
            if not runs:
                raise _no_session(path, chosen, _sessions(base))
    except sqlite3.Error as error:
        hint = "close what writes to it, or give a copy"
        raise NbsafeError(
            "bad-history", f"{path} is not a history of IPython: {error}", hint
        ) from error
    return runs


def _sessions(base: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the sessions that ran anything, and how many runs each has."""
    query = "SELECT session, COUNT(*) FROM history GROUP BY session ORDER BY session"
    return [(int(number), int(runs)) for number, runs in base.execute(query)]


def _only(path: Path, sessions: Sequence[tuple[int, int]]) -> int:
    if len(sessions) == 1:
        return sessions[0][0]
    if not sessions:
        raise NbsafeError("empty-session", f"{path} holds no runs")
    raise NbsafeError(
        "which-session",
        f"{path} holds {len(sessions)} sessions, {_listed(sessions)}",
        "choose one with --session N",
    )


def _no_session(path: Path, session: int, sessions: Sequence[tuple[int, int]]) -> NbsafeError:
    there = _listed(sessions) if sessions else "it holds none"
    return NbsafeError("no-session", f"{path} holds no session {session}", f"there are {there}")


def _listed(sessions: Sequence[tuple[int, int]]) -> str:
    last = ", ".join(f"{number} ({many(runs, 'run')})" for number, runs in sessions[-_LISTED:])
    return last if len(sessions) <= _LISTED else f"the last of them {last}"


# ------------------------------------------------------------------ cells


def _step(texts: dict[str, str], source: str, count: int) -> RecordedStep:
    """Return a run with the cell that it belongs to; `texts` are the cells' latest texts."""
    likeness = {cell: similarity(text, source, ALIKE) for cell, text in texts.items()}
    best = max(likeness, key=lambda cell: (likeness[cell], int(cell[1:])), default="")
    cell = best if best and likeness[best] >= ALIKE else f"c{len(texts) + 1}"
    texts[cell] = source
    skip = _unfit(source)
    return RecordedStep(cell, source if skip else _mended(source), count, skip)


def _unfit(source: str) -> str:
    """Return why a text cannot be run again without its user, empty when it can."""
    first = source.lstrip().partition("\n")[0].strip()
    if first.startswith("%%") and first[2:].split(" ")[0] in _SHELLS:
        return "runs system commands"
    if _ASKS.search(source):
        return "asks its user for input"
    if _ENDS.search(source):
        return "ends the session"
    return ""


def _mended(source: str) -> str:
    """Return a text in which `pass` stands for the lines that run system commands."""
    lines = source.split("\n")
    for escape in to_python(source).escapes:
        if not _is_system(escape) or escape.line > len(lines):
            continue
        at = escape.line - 1
        line = lines[at]
        end = at
        while lines[end].endswith("\\") and end + 1 < len(lines):
            end += 1
        indent = line[: len(line) - len(line.lstrip())]
        lines[at : end + 1] = [f"{indent}pass", *[""] * (end - at)]
    return "\n".join(lines)


def _is_system(escape: Escape) -> bool:
    return escape.kind in {"shell", "assign-shell"} or (
        escape.kind in {"line-magic", "assign-magic"} and escape.name in _SHELL_LINES
    )


# ------------------------------------------------------------------ how alike two texts are


def similarity(left: str, right: str, least: float = 0.0) -> float:
    """Return 1 less the share of characters to change, 0.0 where it is surely below `least`."""
    if left == right:
        return 1.0
    longer = max(len(left), len(right))
    allowed = int((1 - least) * longer + _ROUNDING)
    if abs(len(left) - len(right)) > allowed or _unshared(left, right) > allowed:
        return 0.0
    share = 1 - distance(left, right) / longer
    return share if share >= least - _ROUNDING else 0.0


def distance(left: str, right: str) -> int:
    """Return how many characters have to be put in, taken out or changed.

    Source: H. Hyyro, 2003, after G. Myers, 1999: a column of the matrix is a pair of integers, one
    bit a row.
    """
    if not left or not right:
        return len(left) or len(right)
    places: dict[str, int] = {}
    for place, character in enumerate(left):
        places[character] = places.get(character, 0) | 1 << place
    mask, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    more, less, score = mask, 0, len(left)
    for character in right:
        equal = places.get(character, 0)
        straight = equal | less
        diagonal = (((equal & more) + more) ^ more) | equal
        grows = less | (~(diagonal | more) & mask)
        shrinks = more & diagonal
        if grows & last:
            score += 1
        elif shrinks & last:
            score -= 1
        grows = (grows << 1 | 1) & mask
        shrinks = shrinks << 1 & mask
        more = (shrinks | ~(straight | grows)) & mask
        less = grows & straight
    return score


def _unshared(left: str, right: str) -> int:
    """Return a distance that the texts have at least: characters that the other has not."""
    shared = (Counter(left) & Counter(right)).total()
    return max(len(left), len(right)) - shared
