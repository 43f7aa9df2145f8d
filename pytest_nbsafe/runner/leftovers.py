"""Processes that a notebook has started and that outlive its kernel: they are ended with it."""

from __future__ import annotations

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


def end(mark: str, group: int | None) -> None:
    """End what a kernel that is gone has left, once it has had time to end by itself.

    `group` is the process group that was the kernel's. Only Linux tells the environment of a
    process; elsewhere one that has left the group goes on.
    """
    if sys.platform == "linux":
        deadline = time.monotonic() + _GRACE_S
        while any(True for _ in _marked(mark)) and time.monotonic() < deadline:
            time.sleep(0.05)  # what tidies up after workers ends a moment after them
        for process in _marked(mark):
            _kill(process)
    elif group is not None and hasattr(os, "killpg"):
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            return


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes in whose environment the mark stands."""
    entry = f"{MARK}={mark}".encode()
    for folder in _PROCESSES.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            environ = (folder / "environ").read_bytes()
        except OSError:  # of another user, or gone
            continue
        if entry in environ.split(b"\0"):
            yield int(folder.name)


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        return
