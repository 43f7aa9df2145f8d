"""Which modules were there before the first cell, and which files have been opened since."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import audit

_MOST = 20_000

modules: set[str] = set()
read: dict[str, None] = {}
written: set[str] = set()
"""The paths of files that were opened to be read, and of those that were to be written."""
read_now: dict[str, None] = {}
"""The paths of files that the current run has opened to read."""
_ours: list[None] = []
"""Holds something while all that is opened is opened by us."""


def watch() -> None:
    """Take note from now on of the files that are opened."""
    modules.update(sys.modules)
    getcwd, join = os.getcwd, os.path.join

    def note(_: str, args: tuple[Any, ...]) -> None:
        file = audit.opened(args)
        if file is None or _ours or len(read) + len(written) > _MOST:
            return
        if file.path.endswith(".pyc"):  # Python opens one for each module
            return
        path = join(getcwd(), file.path)
        if file.writes:
            written.add(path)
        elif path not in written:
            read[path] = read_now[path] = None

    audit.listen(note, ["open"])


@contextlib.contextmanager
def unnoticed() -> Iterator[None]:
    """Take no note of what is opened in the context: we do it."""
    _ours.append(None)
    try:
        yield
    finally:
        _ours.pop()


def apart(show: Callable[..., Any]) -> Callable[..., Any]:
    """Return what shows an error: what IPython imports for that is not imported by a cell."""

    @functools.wraps(show)
    def shown(*args: Any, **kwargs: Any) -> Any:
        before = {*sys.modules}
        try:
            return show(*args, **kwargs)
        finally:
            modules.update(sys.modules.keys() - before)

    return shown
