"""Processes that are killed while they run a notebook, and what their store holds afterwards."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_nbsafe.store import database
from pytest_nbsafe.store.database import VALUES


def end_with_all_that_it_started(process: subprocess.Popen[bytes], *, alone: bool) -> None:
    """Kill a process first and then, unless `alone`, what it started; wait until all are gone."""
    psutil = _psutil()
    started = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    for child in started if not alone else []:
        with suppress(psutil.NoSuchProcess):
            child.kill()
    psutil.wait_procs(started, timeout=30)


def parts_that_are_not_whole(folder: Path) -> list[str]:
    """Return the entries and files of a store that are not as they were written."""
    store = database.opened(folder)
    wrong = []
    asked = store._connection.execute("SELECT DISTINCT context, question FROM entries").fetchall()
    for context, question in asked:
        for entry in store.entries(context, question):
            for kept in entry.content.get("covariables", ()):
                for file in kept["files"]:
                    held = (folder / VALUES / file["name"]).read_bytes()
                    if hashlib.sha256(held).hexdigest()[:32] != file["name"]:
                        wrong.append(file["name"])
    (rows,) = store._connection.execute("SELECT COUNT(*) FROM entries").fetchone()
    signed = sum(len(store.entries(*each)) for each in asked)
    store.close()
    return [*wrong, *["a row"] * (rows - signed)]


def is_keeping(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Return whether a process has a child right now that writes values into a store.

    The file of what is kept is open in the kernel and, as long as it lives, in the child.
    """
    psutil = _psutil()
    with suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid).children(recursive=True)
        return sum(any(_open_in(child.pid, folder / VALUES)) for child in started) > 1
    return False


def _psutil() -> Any:
    return import_module("psutil")


def _open_in(process: int, folder: Path) -> Iterator[bool]:
    with suppress(OSError):  # it is gone
        for file in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                yield os.readlink(file).startswith(str(folder))  # noqa: PTH115  # it may be deleted
