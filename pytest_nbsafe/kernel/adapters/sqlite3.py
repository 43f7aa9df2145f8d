"""sqlite3: databases in memory, and rows."""  # named like its library

from __future__ import annotations

import contextlib
import gc
import sys
import types
from typing import Any

from ..functions.reach import fields
from ..hashing import instances
from ..hashing.hasher import Handler, Hasher, UnknownValue

_PAGES = 250  # a megabyte


def _database(hasher: Hasher, value: Any) -> None:
    """Write what a small database in memory holds, as the file that it would be, and counts.

    What is not committed is in it too. One in a file is what the file is. Before Python 3.11 there
    is no way to copy one in the midst of a transaction. Of functions that were made for it only the
    names could be seen.
    """
    sqlite3 = sys.modules["sqlite3"]
    of_class = vars(sqlite3.Connection)  # a class of cells may say other things
    said = {name: of_class[name].__get__(value) for name in _SAID if name in of_class}
    if "serialize" not in of_class or said["text_factory"] is not str or _calls_others(value):
        raise UnknownValue("a database that calls functions of others is not compared")
    about = sqlite3.Connection.cursor(value, sqlite3.Cursor)
    about.row_factory = None
    databases = [(name, file) for _, name, file in about.execute("pragma database_list")]
    pages = about.execute("pragma page_count").fetchone()[0]
    numbers = [about.execute(question).fetchone() for question in _QUESTIONS]
    if databases != [("main", "")] or pages > _PAGES:
        raise UnknownValue("a database that is large or in a file is not compared")
    with contextlib.closing(sqlite3.connect(":memory:")) as copy:
        if _functions(about) != _functions(copy.cursor()):
            raise UnknownValue("a database with functions of one's own is not compared")
    about.close()
    hasher.all("database", numbers)
    hasher.attributes(said)
    if pages:
        hasher.raw(sqlite3.Connection.serialize(value))


_SAID = (
    "autocommit", "in_transaction", "isolation_level", "row_factory", "text_factory",
    "total_changes",
)  # fmt: skip
_QUESTIONS = (
    "pragma foreign_keys", "pragma recursive_triggers", "select last_insert_rowid()",
)  # fmt: skip


def _calls_others(value: Any) -> bool:
    """Return whether a database tells someone of each question, or asks for leave.

    Such a function is kept with the module.
    """
    return any(type(each) is types.ModuleType for each in gc.get_referents(value))


def _functions(cursor: Any) -> list[Any]:
    """Return what may be called in queries."""
    found = [
        *cursor.execute("select name, narg, builtin from pragma_function_list"),
        *cursor.execute("select name from pragma_collation_list"),
    ]
    return sorted(found, key=repr)


def _row(hasher: Hasher, value: Any) -> None:
    """Write what a query gave, and by which names."""
    kind = sys.modules["sqlite3"].Row
    hasher.all("row", [kind.keys(value), list(kind.__iter__(value))])
    instances.add_own(hasher, type(value))
    hasher.attributes(fields(value) or {})


HASHED: dict[str, dict[str, Handler]] = {"sqlite3": {"Connection": _database, "Row": _row}}
