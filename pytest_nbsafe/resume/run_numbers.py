"""Numbers of runs: each live kernel counts its own, the session counts all."""

from __future__ import annotations

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.resume.positions import moved, runs_told


class RunNumbers:
    """Which run of a live kernel is which of the session."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._last = 0

    def note(self, run: int, number: int) -> None:
        """Note the number in the session of a run of the kernel."""
        self._known[run] = self._last = number

    def follows(self, number: int) -> bool:
        """Return whether the kernel gives its next run this number of itself."""
        return number == self._last + 1

    def of(self, run: int) -> int:
        """Return the number of a run of the kernel in the session, 0 where it is not known.

        One that it has not made itself has the number below zero already.
        """
        return -run if run < 0 else self._known.get(run, 0)

    def told(self, event: CellRun, number: int, ended: int) -> CellRun:
        """Return what the kernel told of a run, in the numbers of a session in which some ended."""
        last = max(self._known, default=0)
        runs = {run: (self.of(run) or ended + run - last, None) for run in runs_told(event)}
        return moved(event, number, runs, None)
