"""How long all runs of one notebook may take together, in whichever kernel."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class NotebookLimit:
    """Seconds that the runs of a notebook may take, None for no limit.

    They count while something runs, not while pytest is busy with other tests. `cell` is the one
    that was due when none were left, 0 as long as none was.
    """

    def __init__(self, limit_s: float | None = None) -> None:
        self._limit_s = limit_s
        self.cell = 0
        self._used_s = 0.0
        self._since: float | None = None

    @property
    def left_s(self) -> float | None:
        """How many seconds are left, None when there is no limit."""
        if self._limit_s is None:
            return None
        running_s = 0.0 if self._since is None else time.perf_counter() - self._since
        return max(0.0, self._limit_s - self._used_s - running_s)

    def reason(self) -> str:
        """Why nothing more is run, empty as long as time is left."""
        return f"the notebook reached its limit of {self._limit_s:g} s" if self.left_s == 0 else ""

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the time until the end of the block, once where blocks are nested."""
        if self._since is not None:
            yield
            return
        self._since = started = time.perf_counter()
        try:
            yield
        finally:
            self._since = None
            self._used_s += time.perf_counter() - started
