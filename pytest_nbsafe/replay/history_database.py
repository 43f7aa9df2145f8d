"""The runs in IPython's `history.sqlite`, which may be a stranger's: read within limits.

A database can hold views that never end, columns that are computed when they are read, and texts
that fill memory. So only a plain table is read, the work is counted, and nothing beside the file is
opened but what SQLite itself would lay there.
"""

from __future__ import annotations

import sqlite3
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import repeat
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.sentences import many

MOST_BYTES = 512 * files.MEGABYTE
_MOST_RUNS = 10_000
_MOST_CHARACTERS = 1_000_000  # of the text of one run
_MOST_TOGETHER = 64 * files.MEGABYTE
_PATIENCE_S = 2.0
"""How long another program may be writing."""
_MOST_WORK = 500_000_000
"""A query is stopped after so many instructions of SQLite: some ten million runs are counted."""
_PART = 1_000_000  # of the work between two looks at the limit
_NUMBERS = range(-(2**63), 2**63)
"""What SQLite can hold as a number."""
_COLUMNS = ("session", "line", "source_raw")
_LISTED = 5
_WRITTEN_AHEAD = 2
"""What the bytes 18 and 19 of a database say whose changes are written to a log first."""
_WRONG = (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError)
"""What the module raises for a database that is wrong, across Python's versions."""


def runs(path: Path, session: int | None) -> list[tuple[int, str]]:
    """Return the counts and texts of a session's runs, in order.

    Raises:
        NbsafeError: there is no such session, or the file is no history that can be read.

    """
    try:
        with closing(_opened(path)) as base:
            _must_be_a_history(path, base)
            chosen = session if session is not None else _only(path, _sessions(base))
            recorded = _recorded(path, base, chosen) if chosen in _NUMBERS else []
            if not recorded:
                raise _no_session(path, chosen, _sessions(base))
    except _WRONG as error:
        raise _refused(path, str(error) or "out of memory") from error
    return recorded


def sessions(path: Path) -> list[tuple[int, int]]:
    """Return the numbers of the sessions that ran anything, and how many runs each has.

    Raises:
        NbsafeError: the file is no history that can be read.

    """
    try:
        with closing(_opened(path)) as base:
            _must_be_a_history(path, base)
            return _sessions(base)
    except _WRONG as error:
        raise _refused(path, str(error) or "out of memory") from error


def all_sessions(path: Path) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return every session that ran anything, with the counts and texts of its runs.

    Raises:
        NbsafeError: the file is no history that can be read.

    """
    try:
        with closing(_opened(path)) as base:
            _must_be_a_history(path, base)
            numbers = [number for number, _ in _sessions(base)]
            sessions = ((number, _recorded(path, base, number)) for number in numbers)
            return [(number, recorded) for number, recorded in sessions if recorded]
    except _WRONG as error:
        raise _refused(path, str(error) or "out of memory") from error


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads, and that writes nothing beside the file either."""
    log_is_used = _WRITTEN_AHEAD in files.read_start(path, 20, MOST_BYTES)[18:]
    for suffix in ("-journal", "-wal"):
        _must_be_harmless(path, suffix)
    # Without its log, which is not there, such a database is whole, and nobody can be writing.
    how = "mode=ro&immutable=1" if log_is_used else "mode=ro"
    base = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", timeout=_PATIENCE_S, uri=True)
    work: Iterator[int] = repeat(0, _MOST_WORK // _PART)
    base.set_progress_handler(lambda: next(work, 1), _PART)
    if sys.version_info >= (3, 11):
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * _MOST_CHARACTERS)
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    return base


def _must_be_harmless(path: Path, suffix: str) -> None:
    """Refuse a file beside the database that SQLite would wait for, or would have to write."""
    beside = path.resolve().with_name(f"{path.resolve().name}{suffix}")
    try:
        state = beside.stat()
    except OSError:
        return
    if not stat.S_ISREG(state.st_mode) or (suffix == "-wal" and state.st_size):
        raise _refused(path, f"{beside.name} lies beside it")


def _must_be_a_history(path: Path, base: sqlite3.Connection) -> None:
    """Refuse what is not a table whose columns are stored."""
    query = "SELECT 1 FROM sqlite_master WHERE name = 'history' AND type = 'table' AND rootpage > 0"
    is_table = base.execute(query).fetchone() is not None
    stored = {name for name, hidden in _columns(base) if not hidden} if is_table else set()
    if not stored.issuperset(_COLUMNS):
        raise _refused(path, f"it holds no table of runs ({', '.join(_COLUMNS)})")


def _columns(base: sqlite3.Connection) -> list[tuple[str, int]]:
    return [(str(row[1]), int(row[6])) for row in base.execute("PRAGMA table_xinfo(history)")]


def _recorded(path: Path, base: sqlite3.Connection, session: int) -> list[tuple[int, str]]:
    query = "SELECT line, source_raw FROM history WHERE session = ? ORDER BY line"
    recorded: list[tuple[int, str]] = []
    left = _MOST_TOGETHER
    for line, source in base.execute(query, (session,)):
        if not isinstance(line, int):
            raise _refused(path, f"a line of session {session} is no number")
        if not isinstance(source, str):
            raise _refused(path, f"line {line} holds no text")
        if len(source) > _MOST_CHARACTERS:
            raise _refused(path, f"line {line} has more than {_MOST_CHARACTERS:,} characters")
        left -= len(source)
        if left < 0:
            raise _refused(path, f"session {session} has more than 64 MB")
        if len(recorded) == _MOST_RUNS:
            raise _refused(path, f"session {session} has more than {_MOST_RUNS:,} runs")
        if source.strip():
            recorded.append((line, source))
    return recorded


def _sessions(base: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the sessions that ran anything, and how many runs each has."""
    query = (
        "SELECT session, COUNT(*) FROM history WHERE typeof(session) = 'integer' "
        "GROUP BY session ORDER BY session"
    )
    return base.execute(query).fetchall()


def _only(path: Path, sessions: Sequence[tuple[int, int]]) -> int:
    if len(sessions) == 1:
        return sessions[0][0]
    if not sessions:
        raise NbsafeError("empty-session", f"{path} holds no runs")
    raise NbsafeError(
        "which-session",
        f"{path} holds {len(sessions)} sessions, {_listed(sessions)}",
        "choose one with --session N, or take --all",
    )


def _refused(path: Path, fault: str) -> NbsafeError:
    hint = "close what writes to it, or give a copy"
    return NbsafeError("bad-history", f"{path} is not a history of IPython: {fault}", hint)


def _no_session(path: Path, session: int, sessions: Sequence[tuple[int, int]]) -> NbsafeError:
    there = _listed(sessions) if sessions else "it holds none"
    return NbsafeError("no-session", f"{path} holds no session {session}", f"there are {there}")


def _listed(sessions: Sequence[tuple[int, int]]) -> str:
    last = ", ".join(f"{number} ({many(runs, 'run')})" for number, runs in sessions[-_LISTED:])
    return last if len(sessions) <= _LISTED else f"the last of them {last}"
