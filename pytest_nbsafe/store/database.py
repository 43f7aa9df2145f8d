"""The rows of the store: what was asked of a kernel, and what came of it, each row signed.

A row that is not ours, or not as it was written, is no row: whatever is wrong in the file leads to
work that is done again, never to an answer that nobody gave.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import weakref
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_nbsafe.store import eviction, holdings, signing
from pytest_nbsafe.store.holdings import Size
from pytest_nbsafe.store.place import is_own_folder
from pytest_nbsafe.values import dataclass

FORM = 3
"""The form of the file; one of another form is removed."""
NAME = "runs.sqlite"
"""The file of the rows."""
LOCKED = "locked"
"""What SQLite says where another process is at work."""
VALUES = "values"
"""The folder of the files that hold values, each named by a hash of its content."""
_WAIT_S = 10.0
_PAUSE_S = 0.01
_DAY_S = 24 * 60 * 60
_MOST_ANSWERS = 8
"""So many answers to one question stay: states that a notebook goes back to."""
_COLUMNS = "id, context, question, notebook, content, signature, cost_s, made"
_FORGET_OLDER = """
DELETE FROM entries WHERE id IN (
    SELECT id FROM entries WHERE context = ? AND question = ? ORDER BY made DESC LIMIT -1 OFFSET ?
)
"""
_ADD = """
INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, MAX(?, COALESCE(
    (SELECT MAX(made) + 0.001 FROM entries WHERE context = ? AND question = ?), 0
)), ?)
"""
"""The last answer has the latest time, though the clock may have been put back."""
_TABLES = """
CREATE TABLE entries (
    id TEXT PRIMARY KEY,
    context TEXT NOT NULL,
    question TEXT NOT NULL,
    notebook TEXT NOT NULL,
    content BLOB NOT NULL,
    signature BLOB NOT NULL,
    cost_s REAL NOT NULL,
    made REAL NOT NULL,
    used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX asked ON entries (context, question);
CREATE TABLE files (hash TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE holds (
    entry TEXT NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES files (hash),
    PRIMARY KEY (entry, hash)
) WITHOUT ROWID;
CREATE INDEX held ON holds (hash);
"""


class StoreRefused(Exception):  # noqa: N818  # it completes "raise StoreRefused"
    """The store cannot be used; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of a question that a notebook's kernel was asked.

    `content` are values of JSON. `cost_s` is how long the answer took, `made` when it was given
    (seconds since 1970).
    """

    id: str
    question: str
    notebook: str
    content: Mapping[str, Any]
    cost_s: float
    made: float = 0.0


class Store:
    """A store that is open, for one process.

    `silent` says why nothing is written any more, empty as long as the disk lets us.
    """

    def __init__(self, folder: Path, key: bytes, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.silent = ""
        self._key = key
        self._connection = connection
        weakref.finalize(self, _close, connection, os.getpid())

    def close(self) -> None:
        """Close the file; what was written stays."""
        self._connection.close()

    def entries(self, context: str, question: str) -> tuple[Entry, ...]:
        """Return what came of a question in a context, the last answer first."""
        return self._rows("question = ?", context, question)

    def of_notebook(self, context: str, notebook: str) -> tuple[Entry, ...]:
        """Return all that is kept of a notebook in a context, the last answer first."""
        return self._rows("notebook = ?", context, notebook)

    def _rows(self, condition: str, *values: str) -> tuple[Entry, ...]:
        query = f"SELECT {_COLUMNS} FROM entries WHERE context = ? AND {condition}"  # noqa: S608
        try:
            rows = self._connection.execute(f"{query} ORDER BY made DESC", values)
            return tuple(entry for row in rows if (entry := self._entry(*row)) is not None)
        except sqlite3.DatabaseError as error:
            self._forget_if_broken(error)
            return ()

    def add(
        self,
        context: str,
        question: str,
        notebook: str,
        content: Mapping[str, Any],
        cost_s: float,
        files: Iterable[tuple[str, int]] = (),
    ) -> str:
        """Keep what came of a question, and return the name of its entry.

        `cost_s` is how long it took; `files` are the names and sizes of the files of values that it
        speaks of. Where it cannot be written the name is that of no entry.
        """
        name = os.urandom(8).hex()
        packed = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 1)
        signed = _signed(name, context, question, notebook, packed, cost_s)
        signature = signing.sign(self._key, *signed)
        now, sizes = time.time(), [*files]
        kept = name, context, question, notebook, packed, signature, cost_s
        again = context, question, now  # places with numbers warn in Python 3.12.0 to 3.12.3
        self._write(
            (_ADD, [(*kept, now, *again)]),
            ("INSERT OR IGNORE INTO files VALUES (?, ?)", sizes),
            ("INSERT OR IGNORE INTO holds VALUES (?, ?)", [(name, file) for file, _ in sizes]),
            (_FORGET_OLDER, [(context, question, _MOST_ANSWERS)]),
        )
        return name

    def holds(self, names: Collection[str]) -> bool:
        """Return whether entries of all these names are there, whoever has signed them."""
        places = ", ".join("?" * len(names))
        query = f"SELECT COUNT(*) FROM entries WHERE id IN ({places})"  # noqa: S608
        try:
            (number,) = self._connection.execute(query, [*names]).fetchone()
        except sqlite3.DatabaseError as error:
            self._forget_if_broken(error)
            return False
        return bool(number == len(names))

    def mark_used(self, names: Iterable[str]) -> None:
        """Note that entries were of use, once a day."""
        now = time.time()
        rows = [(now, name, now - _DAY_S) for name in names]
        self._write(("UPDATE entries SET used = ? WHERE id = ? AND used < ?", rows))

    def forget(self, names: Iterable[str]) -> None:
        """Remove entries."""
        self._write(("DELETE FROM entries WHERE id = ?", [(name,) for name in names]))

    def prune(self, most_bytes: int = eviction.MOST_BYTES) -> int:
        """Remove what is too much, or was not used for long; return the bytes that are free now.

        Raises:
            StoreRefused: the file cannot be read or written.

        """
        try:
            return eviction.prune(self._connection, self.folder / VALUES, most_bytes)
        except sqlite3.DatabaseError as error:
            raise StoreRefused(f"it cannot be pruned: {error}") from None

    def clear(self) -> None:
        """Remove all that is kept.

        Raises:
            StoreRefused: the file cannot be written.

        """
        try:
            self._connection.execute("DELETE FROM entries")
            eviction.prune(self._connection, self.folder / VALUES)
            self._connection.execute("VACUUM")
        except sqlite3.DatabaseError as error:
            raise StoreRefused(f"it cannot be cleared: {error}") from None

    def sizes(self) -> tuple[tuple[Size, ...], int]:
        """Return what is held for each notebook, the largest first, and how many bytes in all.

        Raises:
            StoreRefused: the file cannot be read.

        """
        try:
            return holdings.sizes(self._connection), holdings.all_bytes(self._connection)
        except sqlite3.DatabaseError as error:
            raise StoreRefused(f"it cannot be read: {error}") from None

    def _entry(
        self,
        name: str,
        context: str,
        question: str,
        notebook: str,
        packed: bytes,
        signature: bytes,
        cost_s: float,
        made: float,
    ) -> Entry | None:
        """Return the entry of a row, None when nobody here has signed it."""
        are_texts = all(isinstance(text, str) for text in (name, context, question, notebook))
        are_bytes = isinstance(packed, bytes) and isinstance(signature, bytes)
        are_seconds = isinstance(cost_s, float) and isinstance(made, float)
        if not (are_texts and are_bytes and are_seconds):
            return None
        signed = _signed(name, context, question, notebook, packed, cost_s)
        if not signing.is_signed(self._key, signature, *signed):
            return None
        return Entry(name, question, notebook, json.loads(zlib.decompress(packed)), cost_s, made)

    def _write(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Write all or nothing; where nothing can be written, let it be from now on."""
        if self.silent:
            return
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement, rows in statements:
                    self._connection.executemany(statement, rows)
        except sqlite3.DatabaseError as error:
            self.silent = str(error)
            self._forget_if_broken(error)

    def _forget_if_broken(self, error: sqlite3.DatabaseError) -> None:
        """Remove the file where it is no whole database any more: the next to come begins anew.

        Windows removes no file that is open.
        """
        if type(error) is sqlite3.DatabaseError:  # those of other kinds have classes of their own
            self.silent = str(error)
            self.close()
            remove(self.folder / NAME)


def opened(folder: Path) -> Store:
    """Return the store in a folder, made where it is not there; one that is broken begins anew.

    What is too much, or was not used for long, is removed.

    Raises:
        StoreRefused: others may write to the folder, or it cannot be written to.

    """
    check_folder(folder)
    try:
        key = signing.secret(folder)
    except signing.Unsigned as error:
        raise StoreRefused(str(error)) from None
    file = folder / NAME
    for is_last in (False, True):
        try:
            return Store(folder, key, _patient_connection(file))
        except sqlite3.OperationalError as error:
            raise StoreRefused(f"{file} cannot be used: {error}") from None
        except sqlite3.DatabaseError as error:
            if is_last:
                raise StoreRefused(f"{file} cannot be used: {error}") from None
            remove(file)
    raise AssertionError("the second time it is opened or refused")


def check_folder(folder: Path) -> None:
    """Make the folder of a store where it is not there.

    Raises:
        StoreRefused: others may write to it, it cannot be made, or it or its folder of values is
            somebody else's, or a link: what lies behind that is not ours to remove.

    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        values = folder / VALUES
        is_there = values.is_symlink() or values.is_dir()
        for place in (folder, values) if is_there else (folder,):
            if not is_own_folder(place):
                raise StoreRefused(f"{place} is not a folder of yours")
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            raise StoreRefused(f"others may read or write {folder}: `chmod 700` it")
    except OSError as error:
        raise StoreRefused(f"{folder} cannot be used: {error.strerror or error}") from None


def _close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, in the process alone that has opened it."""
    if os.getpid() == process:
        connection.close()


def _patient_connection(file: Path) -> sqlite3.Connection:
    """Return the file, opened: while another process makes it, SQLite itself does not wait."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            return _connection(file)
        except sqlite3.OperationalError as error:
            if LOCKED not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)


def _connection(file: Path) -> sqlite3.Connection:
    """Return the file, opened, with our tables in it, and without what is too much or too old.

    Raises:
        sqlite3.OperationalError: it cannot be opened or written to.
        sqlite3.DatabaseError: it is no database, or a broken one.

    """
    connection = sqlite3.connect(  # one thread at a time uses it, not always the same
        file, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            (form,) = connection.execute("PRAGMA user_version").fetchone()
            if form != FORM:
                _make_tables(connection)
        eviction.prune(connection, file.with_name(VALUES))
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make our tables in place of all that there are."""
    of_file = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in of_file.fetchall():
        connection.execute(f'DROP TABLE "{table}"')
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORM}")


def remove(file: Path) -> None:
    """Remove a database, with what belongs to it."""
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            file.with_name(f"{file.name}{end}").unlink()


def _signed(
    name: str, context: str, question: str, notebook: str, packed: bytes, cost_s: float
) -> tuple[bytes, ...]:
    """Return all of a row that is signed: all but the times, which hang on the clock alone."""
    texts = name, context, question, notebook, repr(float(cost_s))
    return *(text.encode() for text in texts), packed
