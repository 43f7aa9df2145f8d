"""Runs cells in the kernel itself, which is thrown away after it: what stands in for a fork.

Where a kernel cannot be forked, another one is brought to the same state, and answers here. Python
is asked to tell of what it is about to do, as in a forked child, and the operation is not done.
"""

from __future__ import annotations

import gc
import json
import os
import stat
import sys
from typing import Any

from . import bootstrap, child, seal
from .contract import Question


class Refused(BaseException):
    """Stops what a cell may not do; it is no `Exception`, so that few cells catch it."""


def run(tracer: Any, asked: Question) -> str:
    """Return the answer of this kernel, which ran the cells, as JSON text; or why there is none."""
    cause = obstacle()
    if cause:
        return json.dumps(child.nothing(cause))
    life = _Here(tracer)
    process, tracer.process = tracer.process, -1  # its events come to us, as from another process
    try:
        seal.keep_from_writing(asked["cells"])
        if asked["stir"]:
            child.stir()
        life.listen()
        seal.guard(life.refuse)
        life.run(asked["cells"])
    except (Refused, Exception) as error:  # what may not be done, or ours
        life.cause = life.cause or f"it could not be run: {error!r}"
    finally:
        tracer.process = process
        life.restore()
    if life.cause:
        return json.dumps({**child.nothing(life.cause), "cell": life.answer["cell"]})
    return json.dumps(life.answer, default=child.plain)


class _Here(child.Child):
    """A child that is the kernel itself: it may not end, and what it changes is put back."""

    def __init__(self, tracer: Any) -> None:
        super().__init__(tracer)
        self.cause = ""

    def refuse(self, cause: str) -> None:
        """Stop what is about to be done; that it was tried is the answer, whoever catches this."""
        self.cause = self.cause or cause
        raise Refused(cause)


# ------------------------------------------------------------------ what is open


def obstacle() -> str:
    """Return what the kernel holds open that cells would change unseen, empty when nothing."""
    files = sorted(set(files_written()) - bootstrap.files)
    if files or _open_files():
        return "the notebook has a file open for writing"
    if _is_connected():
        return "the notebook has a connection open"
    return seal.shared_memory()


def files_written() -> list[tuple[int, int]]:
    """Return which files are open for writing, where the system tells (not on Windows)."""
    if sys.platform == "win32":
        return []
    import fcntl

    found = []
    for fd in seal.open_files():
        status = os.fstat(fd)
        if stat.S_ISREG(status.st_mode) and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE:
            found.append((status.st_dev, status.st_ino))
    return found


def _open_files() -> list[Any]:
    """Return the file objects that are open for writing, where the system does not tell."""
    import io

    if os.name == "posix":
        return []
    held = [found for found in gc.get_objects() if type(found) is io.FileIO]
    return [file for file in held if not file.closed and file.fileno() > 2 and file.mode != "rb"]


def _is_connected() -> bool:
    """Tell whether a socket of the notebook is connected to somewhere."""
    module: Any = sys.modules.get("socket")
    if module is None:
        return False
    held = [found for found in gc.get_objects() if issubclass(type(found), module.socket)]
    return any(_leads_away(found) for found in held)


def _leads_away(socket: Any) -> bool:
    """Tell whether a socket is connected, and not one that the kernel talks to itself with."""
    base: Any = sys.modules["_socket"].socket
    try:
        peer, fd = base.getpeername(socket), base.fileno(socket)
        if sys.platform == "win32":
            return not str(peer[0]).startswith("127.")
        status = os.fstat(fd)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) not in bootstrap.files
