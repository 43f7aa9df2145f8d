"""How far the work on many notebooks is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_nbsafe.findings import Report


class Progress:
    """Notebooks done, failing, and the time that is left, of a number of them.

    `show` is told in a sentence after each of them, and when the work began (seconds).
    """

    def __init__(self, number: int, show: Callable[[str, float], None] | None, now: float) -> None:
        self._number = number
        self._show = show
        self._since = now
        self._done = self._failing = 0

    def add(self, report: Report, now: float) -> None:
        """Count a notebook, and show the whole."""
        self._done += 1
        self._failing += any(notebook.status == "failed" for notebook in report.notebooks)
        left_s = (now - self._since) / self._done * (self._number - self._done)
        if self._show is not None:
            self._show(f"{self}, about {_duration(left_s)} left", self._since)

    def __str__(self) -> str:
        return f"{self._done} of {self._number} notebooks done, {self._failing} failing"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
