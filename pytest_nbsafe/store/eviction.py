"""What goes when the store holds too much: first what is quickest to make again for its size."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.store.holdings import all_bytes, bytes_alone

MOST_BYTES = 2 * 1024**3
"""So much a store may hold."""
_LEFT = 0.9
_DAY_S = 24 * 60 * 60
_KEPT_S = 60 * _DAY_S
_OWN_NAME = patterns.compile(r"[0-9a-f]{32}(?:\.\d+\.part)?|tmp[a-z0-9_]{8}")
"""A hash, which a file has as its name once it is whole, or what `tempfile` calls one without a
name before that is gone."""
_IN_ORDER = """
SELECT id, LENGTH(content) FROM entries ORDER BY cost_s / (LENGTH(content) + COALESCE((
    SELECT SUM(size) FROM holds JOIN files USING (hash) WHERE entry = entries.id
), 0)), used
"""


def prune(connection: sqlite3.Connection, values: Path, most_bytes: int = MOST_BYTES) -> int:
    """Remove what was not used for long, and of the rest what is too much; return the bytes freed.

    `values` is the folder of the files that hold values. Of two entries that one goes first whose
    run took less time for each byte that it holds.

    Raises:
        sqlite3.DatabaseError: the rows cannot be read or written.

    """
    before = all_bytes(connection)
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM entries WHERE used < ?", (time.time() - _KEPT_S,))
        gone = _forget_unheld(connection)
        left = all_bytes(connection)
        if left > most_bytes:
            for name, row_bytes in connection.execute(_IN_ORDER).fetchall():
                if left <= most_bytes * _LEFT:
                    break
                left -= row_bytes + bytes_alone(connection, name)
                connection.execute("DELETE FROM entries WHERE id = ?", (name,))
            gone |= _forget_unheld(connection)
        kept = {name for (name,) in connection.execute("SELECT hash FROM files")}
    _remove(values, gone, kept)
    return max(before - all_bytes(connection), 0)


def _forget_unheld(connection: sqlite3.Connection) -> set[str]:
    """Forget the files that no row holds any more, and return their names."""
    unheld = "FROM files WHERE hash NOT IN (SELECT hash FROM holds)"
    gone = {name for (name,) in connection.execute(f"SELECT hash {unheld}")}
    connection.execute(f"DELETE {unheld}")
    return gone


def _remove(values: Path, gone: set[str], kept: set[str]) -> None:
    """Remove the files that no row names any more, and old ones that none ever named.

    Young ones may be on their way: their row comes when they are complete.
    """
    for item in files_of(values):
        with suppress(OSError):
            is_old = time.time() - item.stat(follow_symlinks=False).st_mtime > _DAY_S
            if item.name in gone or (is_old and item.name not in kept):
                Path(item.path).unlink()


def files_of(values: Path) -> list[os.DirEntry[str]]:
    """Return what is named as our files are in a folder of values, nothing where it is no folder.

    We did not put there whatever else lies there, and may not remove it.
    """
    try:
        with os.scandir(values) as items:
            return [item for item in items if _OWN_NAME.fullmatch(item.name)]
    except OSError:
        return []
