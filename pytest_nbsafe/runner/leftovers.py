"""Processes that a notebook has started and that outlive its kernel: they are ended with it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MARK = "NBSAFE_KERNEL"
"""Stands in the environment of a kernel and of all that it starts, however they detach."""
_GRACE_S = 1.0
_PROCESSES = Path("/proc")
_TIDIES_UP = b"resource_tracker"
"""Python's own: it removes what workers have shared, and ends when it has."""


def end(mark: str, group: int | None) -> int:
    """End what a kernel that is gone has left, once it has had time to end by itself.

    `group` is the process group that was the kernel's. Only Linux tells the environment of a
    process; elsewhere one that has left the group goes on. Returns how many the notebook has left,
    0 where the system does not tell.
    """
    ended = 0
    if sys.platform == "linux":
        deadline = time.monotonic() + _GRACE_S
        while any(True for _ in _marked(mark)) and time.monotonic() < deadline:
            time.sleep(0.05)  # what tidies up after workers ends a moment after them
        ended = kill_marked(mark)
    elif group is not None and hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    return ended


def kill_marked(mark: str) -> int:
    """Kill the processes in whose environment the mark stands, and return how many."""
    killed = 0
    for process in _marked(mark):
        killed += not _tidies_up(process)
        _kill(process)
    return killed


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes in whose environment the mark stands."""
    entry = f"{MARK}={mark}".encode()
    for folder in _PROCESSES.glob("[0-9]*"):
        try:
            environ = (folder / "environ").read_bytes()
        except OSError:  # of another user, or gone
            continue
        if entry in environ.split(b"\0"):
            yield int(folder.name)


def _tidies_up(process: int) -> bool:
    try:
        return _TIDIES_UP in (_PROCESSES / str(process) / "cmdline").read_bytes()
    except OSError:
        return True


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        return
