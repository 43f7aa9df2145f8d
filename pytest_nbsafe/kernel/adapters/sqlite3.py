"""sqlite3: databases in memory."""  # named like its library

from __future__ import annotations

import sys
from typing import Any

from ..hashing.hasher import Handler, Hasher, UnknownValue

_PAGES = 250  # a megabyte


def _database(hasher: Hasher, value: Any) -> None:
    """Write what a small database in memory holds, what is not committed too, read from a copy.

    One in a file is what the file is. Before Python 3.11 there is no way to copy one in the midst
    of a transaction.
    """
    sqlite3 = sys.modules["sqlite3"]
    about = sqlite3.Connection.cursor(value, sqlite3.Cursor)
    about.row_factory = None
    files = [file for _, _, file in about.execute("pragma database_list")]
    pages = about.execute("pragma page_count").fetchone()[0]
    about.close()
    if any(files) or pages > _PAGES or not hasattr(value, "serialize"):
        raise UnknownValue("a database that is large or in a file is not compared")
    copy = sqlite3.connect(":memory:")
    try:
        if pages:
            copy.deserialize(sqlite3.Connection.serialize(value))
        hasher.all("database", list(copy.iterdump()))
    finally:
        copy.close()


HASHED: dict[str, dict[str, Handler]] = {"sqlite3": {"Connection": _database}}
