"""Runs cells in the kernel itself, which is thrown away after it: what stands in for a fork.

Where a kernel cannot be forked, another one is brought to the same state, and answers here. Python
is asked to tell of what it is about to do, as in a forked child, and the operation is not done.
"""

from __future__ import annotations

import gc
import os
import stat
import sys
import time
from typing import Any

from .. import bootstrap
from ..contract import Answer, HostQuestion, no_answer
from . import child, seal


class Refused(BaseException):
    """Stops what a cell may not do; it is no `Exception`, so that few cells catch it."""


def run(tracer: Any, asked: HostQuestion) -> Answer:
    """Return the answer of this kernel, which ran the cells; or why there is none."""
    cause = obstacle()
    if cause:
        return no_answer(cause)
    here, began_s = _Here(tracer), time.process_time()
    process, tracer.process = tracer.process, -1  # its events come to us, as from another process
    try:
        seal.limit_cpu(asked["limit_s"])
        seal.keep_from_writing(asked["cells"])
        here.live(asked)
    except (Refused, Exception) as error:  # what may not be done, or ours
        here.cause = here.cause or f"it could not be run: {error!r}"
    finally:
        tracer.process = process
        here.restore()
    answer = no_answer(here.cause) if here.cause else here.answer
    return {**answer, "cost_s": time.process_time() - began_s}


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
    own = written() if hasattr(os, "fork") else written_by_python()
    if own:
        return "the notebook has a file open for writing"
    if _is_connected():
        return "the notebook has a connection open"
    return seal.shared_memory()


def written() -> list[int]:
    """Return the files that the notebook has open for writing, by their numbers."""
    import fcntl

    held = [fd for fd in seal.open_files() if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE]
    return [fd for fd in held if _is_own(fd, regular=True)]


def written_by_python() -> list[int]:
    """Return what of that Python knows, where the system does not tell (Windows)."""
    import io

    files = [item for item in gc.get_objects() if type(item) is io.FileIO]
    open_files = [file.fileno() for file in files if not file.closed and file.mode != "rb"]
    return [fd for fd in open_files if _is_own(fd, regular=True)]


def _is_own(fd: int, *, regular: bool) -> bool:
    """Tell whether a file or connection is the notebook's: it was not open when we came."""
    try:
        status = os.fstat(fd)
    except OSError:
        return False
    own = (status.st_dev, status.st_ino) not in bootstrap.files
    return own and (stat.S_ISREG(status.st_mode) or not regular)


def _is_connected() -> bool:
    """Tell whether a socket of the notebook is connected to somewhere."""
    module: Any = sys.modules.get("socket")
    if module is None:
        return False
    return any(
        _leads_away(item) for item in gc.get_objects() if issubclass(type(item), module.socket)
    )


def _leads_away(socket: Any) -> bool:
    """Tell whether a socket is connected, and not one that the kernel talks to itself with."""
    base: Any = sys.modules["_socket"].socket
    try:
        peer, fd = base.getpeername(socket), base.fileno(socket)
    except OSError:
        return False
    if hasattr(os, "fork"):
        return _is_own(fd, regular=False)
    return isinstance(peer, tuple) and not str(peer[0]).startswith("127.")  # it has no number
