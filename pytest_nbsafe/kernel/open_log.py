"""Which modules were there before the first cell, and which files have been opened since."""

from __future__ import annotations

import os
import sys
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_MOST = 20_000

modules: set[str] = set()
read: dict[str, None] = {}
written: set[str] = set()
"""The paths of files that were opened to be read, and of those that were to be written."""


def watch() -> None:
    """Take note from now on of the files that are opened."""
    modules.update(sys.modules)
    getcwd, join, fsdecode = os.getcwd, os.path.join, os.fsdecode

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event != "open":
            return
        try:
            path, mode, flags = args
            if isinstance(path, int) or len(read) + len(written) > _MOST:
                return
            path = fsdecode(path)
            if path.endswith(".pyc"):  # Python opens one for each module
                return
            path = join(getcwd(), path)
            if set(mode) & set("wax+") if mode else flags & _WRITES:
                written.add(path)
            elif path not in written:
                read[path] = None
        except Exception:  # noqa: S110  # it must not look like the cell's own
            pass

    sys.addaudithook(hook)
