"""What the store holds, in all and for each notebook: a file that several rows hold counts once."""

from __future__ import annotations

import sqlite3

from pytest_nbsafe.values import dataclass

_ALL = """
SELECT (SELECT COALESCE(SUM(LENGTH(content)), 0) FROM entries)
    + (SELECT COALESCE(SUM(size), 0) FROM files WHERE typeof(size) = 'integer')
"""
_OF_NOTEBOOKS = """
WITH whole AS (
    SELECT * FROM entries WHERE typeof(notebook) = 'text' AND typeof(content) = 'blob'
        AND typeof(cost_s) = 'real' AND typeof(used) = 'real'
), of_files AS (
    SELECT notebook, SUM(size) AS bytes FROM (
        SELECT DISTINCT notebook, hash, size
        FROM whole JOIN holds ON entry = id JOIN files USING (hash)
        WHERE typeof(size) = 'integer'
    ) GROUP BY notebook
)
SELECT notebook, COUNT(*), SUM(LENGTH(content)) + COALESCE(MAX(of_files.bytes), 0) AS bytes,
    SUM(cost_s)
FROM whole LEFT JOIN of_files USING (notebook)
GROUP BY notebook ORDER BY bytes DESC, notebook
"""
_OF_ENTRY = """
SELECT COALESCE(SUM(size), 0) FROM holds JOIN files USING (hash)
WHERE entry = ? AND typeof(size) = 'integer' AND NOT EXISTS (
    SELECT 1 FROM holds AS others WHERE others.hash = holds.hash AND others.entry <> holds.entry
)
"""


@dataclass(frozen=True, slots=True)
class Size:
    """What the store holds for one notebook: entries, bytes, and seconds that they took."""

    notebook: str
    entries: int
    bytes: int
    cost_s: float


def all_bytes(connection: sqlite3.Connection) -> int:
    """Return how many bytes the store holds."""
    (held,) = connection.execute(_ALL).fetchone()
    return int(held)


def sizes(connection: sqlite3.Connection) -> tuple[Size, ...]:
    """Return what is held for each notebook, the largest first; rows with other types are left."""
    return tuple(Size(*row) for row in connection.execute(_OF_NOTEBOOKS))


def bytes_alone(connection: sqlite3.Connection, entry: str) -> int:
    """Return how many bytes of files go with an entry: those of files that no other holds."""
    (held,) = connection.execute(_OF_ENTRY, (entry,)).fetchone()
    return int(held)
