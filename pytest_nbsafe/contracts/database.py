"""An SQLite database in memory that answers reads of the facts, within limits."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_nbsafe.contracts.schema import SCHEMA, TABLES

Value = str | int | float | None
Row = tuple[Value, ...]
"""What a table holds; an answer may hold bytes too."""

MOST_ROWS = 100
"""So many rows of an answer are told; a contract with more of them says that there are more."""
MOST_WORK = 100_000_000
"""A query is stopped after so many instructions of SQLite, about two seconds of them. Work is
counted and not time, so that a busy machine answers as an idle one."""
_PART = 100_000  # of the work between two looks at the limit
_LONGEST_BYTES = 1_000_000
"""The most that one text may have, and that the rows of an answer may have together."""
_MOST_MEMORY_BYTES = 256 * 1024 * 1024

_FORBIDDEN = frozenset({"load_extension", "random", "randomblob", "zeroblob"})
"""Functions that answer otherwise each time, or reach outside."""
_WRONG = (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError)
"""What the module raises for a query that is wrong, across Python's versions."""


class WrongQueryError(Exception):
    """SQLite cannot answer; the text is SQLite's own message."""


class TooMuchWorkError(WrongQueryError):
    """The limit of work was reached."""


class QueryShape(NamedTuple):
    """What a query reads and returns; `columns` is None where only an answer will tell."""

    tables: frozenset[str]
    columns: tuple[str, ...] | None


class QueryAnswer(NamedTuple):
    """The columns of an answer in lower case, its rows, and whether more were left out."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    cut: bool


def shape(sql: str) -> QueryShape:
    """Return what a query reads and returns, without answering it.

    Raises:
        WrongQueryError: it is no query, or no query to these tables.

    """
    connection = _empty()
    try:
        read = _restrict(connection)
        _described(connection, f"EXPLAIN {sql}")
        tables = frozenset(read & TABLES.keys())
        try:
            body = sql.rstrip().rstrip(";")
            described = _described(connection, f"SELECT * FROM (\n{body}\n) WHERE 0")  # noqa: S608 - it is the user's own
        except WrongQueryError:
            return QueryShape(tables, None)  # a comment behind the semicolon, perhaps
        return QueryShape(tables, described)
    finally:
        connection.close()


def answer(tables: Mapping[str, Sequence[Row]], sql: str) -> QueryAnswer:
    """Return the first rows that a query gives, of tables that hold these rows.

    Raises:
        TooMuchWorkError: it reached the limit.
        WrongQueryError: SQLite cannot answer it.

    """
    connection = filled(tables)
    try:
        return ask(connection, sql)
    finally:
        connection.close()


def filled(tables: Mapping[str, Sequence[Row]]) -> sqlite3.Connection:
    """Return a database in which these tables hold their rows, and which can only be read."""
    connection = _empty()
    for table in sorted(tables):
        places = ", ".join("?" * len(TABLES[table].columns))
        held = (tuple(map(_held, row)) for row in tables[table])
        connection.executemany(f'INSERT INTO "{table}" VALUES ({places})', held)  # noqa: S608 - a name of ours
    _restrict(connection)
    return connection


def ask(connection: sqlite3.Connection, sql: str) -> QueryAnswer:
    """Return the first rows that a query gives.

    Raises:
        TooMuchWorkError: it reached the limit.
        WrongQueryError: SQLite cannot answer it.

    """
    _limit_work(connection)
    try:
        cursor = connection.execute(sql)
        rows: list[Row] = []
        left = _LONGEST_BYTES
        for row in cursor:
            left -= sum(len(value) for value in row if isinstance(value, str | bytes))
            if left < 0 or len(rows) == MOST_ROWS:
                return QueryAnswer(_names(cursor), tuple(rows), cut=True)
            rows.append(row)
    except _WRONG as error:
        raise _wrong(error) from error
    return QueryAnswer(_names(cursor), tuple(rows), cut=False)


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA temp_store = MEMORY")  # a large sort would write a file
    connection.execute(f"PRAGMA hard_heap_limit = {_MOST_MEMORY_BYTES}")
    connection.executescript(SCHEMA)
    return connection


def _restrict(connection: sqlite3.Connection) -> set[str]:
    """Allow nothing but reading from now on; return the set that will hold what is read."""
    read: set[str] = set()

    def allows(
        action: int, first: str | None, second: str | None, _where: str | None, _by: str | None
    ) -> int:
        if action == sqlite3.SQLITE_READ and first is not None and first in TABLES:
            read.add(first)
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and second not in _FORBIDDEN:
            return sqlite3.SQLITE_OK
        reads = action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}
        return sqlite3.SQLITE_OK if reads else sqlite3.SQLITE_DENY

    if sys.version_info >= (3, 11):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_BYTES)
    connection.set_authorizer(allows)
    return read


def _limit_work(connection: sqlite3.Connection) -> None:
    parts: Iterator[int] = iter(range(MOST_WORK // _PART))
    connection.set_progress_handler(lambda: int(next(parts, None) is None), _PART)


def _described(connection: sqlite3.Connection, sql: str) -> tuple[str, ...]:
    _limit_work(connection)
    try:
        return _names(connection.execute(sql))
    except _WRONG as error:
        raise _wrong(error) from error


def _names(cursor: sqlite3.Cursor) -> tuple[str, ...]:
    return tuple(str(column[0]).lower() for column in cursor.description or ())


def _wrong(error: Exception) -> WrongQueryError:
    if isinstance(error, sqlite3.OperationalError) and str(error) == "interrupted":
        return TooMuchWorkError(str(error))
    return WrongQueryError(str(error) or "out of memory")


def _held(value: object) -> object:
    """Return a value as SQLite can hold it: no halves of characters, no giant numbers."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int) and value.bit_length() > 63:
        return str(value)
    return value
