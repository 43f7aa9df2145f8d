"""How all that is kept is removed, also where the disk is full."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from pytest_nbsafe.store import database, eviction
from pytest_nbsafe.store.database import StoreRefused


def clear(folder: Path) -> int:
    """Remove all that is kept in a folder of a store, and return how many bytes are free now.

    On a full disk nothing can be written, not even that rows are gone. Then the files of values go,
    which makes room for that. Where it does not, the file of the rows goes, too, unless another
    process has it open: that one would write to a file that nobody finds.

    Raises:
        StoreRefused: the folder is not to be used, or another process uses what is kept there.

    """
    database.check_folder(folder)
    before = _bytes(folder)
    try:
        _clear_rows(folder)
    except StoreRefused as refused:
        if database.LOCKED in str(refused):
            raise
        _remove_values(folder)
        _clear_rows_or_file(folder)
    return max(before - _bytes(folder), 0)


def _clear_rows(folder: Path) -> None:
    with closing(database.opened(folder)) as store:
        store.clear()


def _clear_rows_or_file(folder: Path) -> None:
    try:
        _clear_rows(folder)
    except StoreRefused as refused:
        hinder = _remove_file(folder / database.NAME)
        if hinder:
            raise StoreRefused(f"{refused}, and {hinder}") from None


def _remove_values(folder: Path) -> None:
    for item in eviction.files_of(folder / database.VALUES):
        with suppress(OSError):
            Path(item.path).unlink()


def _remove_file(file: Path) -> str:
    """Remove the file of the rows, and return why that cannot be, empty where it is gone.

    Nobody can open it meanwhile: whoever reads a database in this mode has it alone.
    """
    try:
        with closing(sqlite3.connect(file, timeout=0)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            if os.name == "posix":  # elsewhere what is open cannot be removed
                database.remove(file)
    except sqlite3.DatabaseError as error:
        if database.LOCKED in str(error):
            return "another process has it open"
    database.remove(file)
    return "its file cannot be removed" if file.exists() else ""


def _bytes(folder: Path) -> int:
    """Return how many bytes lie in a folder of a store."""
    total = 0
    for place in (folder, folder / database.VALUES):
        with suppress(OSError), os.scandir(place) as items:
            total += sum(item.stat().st_size for item in items if item.is_file())
    return total
