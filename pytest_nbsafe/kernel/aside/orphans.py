"""What a sealed child has started ends with it, also where it has left the child's process group.

A filter of calls keeps a child from starting anything; where the system has none, compiled code
can. While a child lives, processes that lose their parent become the kernel's own (Linux), so that
none of its descendants can get out of sight.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SET_SUBREAPER, _GET_SUBREAPER = 36, 37
_MOST_ROUNDS = 1_000
"""Each ends one generation; what multiplies faster than it is killed is not waited for."""


class Adoption:
    """From `begin` to `end` the kernel adopts orphans; those that the child has left are killed."""

    def __init__(self) -> None:
        self._before: set[int] = set()
        self._was = -1

    def begin(self) -> None:
        """Adopt orphans from now on; nothing where the system cannot do it."""
        if sys.platform != "linux":
            return
        import ctypes

        was = ctypes.c_int(-1)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_GET_SUBREAPER, ctypes.byref(was), 0, 0, 0) == 0:
            self._was, self._before = was.value, set(_children())
            libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)

    def end(self) -> None:
        """Kill the orphans that carry the child's seal, and adopt no more."""
        if self._was < 0:
            return
        import ctypes

        for _ in range(_MOST_ROUNDS):
            orphans = [pid for pid in _children() if pid not in self._before and _is_sealed(pid)]
            if not orphans:
                break
            for pid in orphans:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        prctl: Any = ctypes.CDLL(None).prctl
        prctl(_SET_SUBREAPER, self._was, 0, 0, 0)


def _children() -> Iterator[int]:
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            yield from map(int, (task / "children").read_text(encoding="ascii").split())


def _is_sealed(pid: int) -> bool:
    """Return whether a process can get no new privileges: a child is sealed so, and its children.

    What the notebook itself left running may be adopted too; it goes on.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "\nNoNewPrivs:\t1\n" in status
