"""sqlite3: databases in memory."""  # named like its library

from __future__ import annotations

import contextlib
import sys
from typing import Any

from ..hashing.hasher import Handler, Hasher, UnknownValue

_PAGES = 250  # a megabyte


def _database(hasher: Hasher, value: Any) -> None:
    """Write what a small database in memory holds, what is not committed too, read from a copy.

    One in a file is what the file is. Before Python 3.11 there is no way to copy one in the midst
    of a transaction. Of functions that were made for it only the names could be seen.
    """
    sqlite3 = sys.modules["sqlite3"]
    about = sqlite3.Connection.cursor(value, sqlite3.Cursor)
    about.row_factory = None
    databases = [(name, file) for _, name, file in about.execute("pragma database_list")]
    pages = about.execute("pragma page_count").fetchone()[0]
    numbers = [about.execute(f"pragma {name}").fetchone() for name in _NUMBERS]
    if databases != [("main", "")] or pages > _PAGES or not hasattr(value, "serialize"):
        raise UnknownValue("a database that is large or in a file is not compared")
    with contextlib.closing(sqlite3.connect(":memory:")) as copy:
        if _functions(about) != _functions(copy.cursor()):
            raise UnknownValue("a database with functions of one's own is not compared")
        if pages:
            copy.deserialize(sqlite3.Connection.serialize(value))
        hasher.all("database", [*copy.iterdump(), numbers, value.isolation_level])
    about.close()
    hasher.all("rows", [value.row_factory, value.text_factory])


_NUMBERS = ("user_version", "application_id", "foreign_keys", "recursive_triggers")


def _functions(cursor: Any) -> list[Any]:
    """Return what may be called in queries."""
    found = [
        *cursor.execute("select name, narg, builtin from pragma_function_list"),
        *cursor.execute("select name from pragma_collation_list"),
    ]
    return sorted(found, key=repr)


HASHED: dict[str, dict[str, Handler]] = {"sqlite3": {"Connection": _database}}
