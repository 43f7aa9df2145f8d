"""Whose time it was: a cell's own run is the cell's, everything else the notebook's item's."""

from __future__ import annotations

from pytest_nbsafe.findings import Outcome


class Billing:
    """The time of the items of one notebook, the sum of which stays as it was.

    The item that asks first may drive the runs of all cells; an item that asks later waits for
    nothing. Without the item of the notebook there is nobody to bill the rest to: the items then
    keep the time that they took.
    """

    def __init__(self, *, has_notebook: bool) -> None:
        self._has_notebook = has_notebook
        self._rest_s = 0.0

    def of(self, outcome: Outcome, took_s: float) -> float:
        """Return the seconds of an item that took so many to report this outcome."""
        if not self._has_notebook:
            return took_s
        if not outcome.cell:  # of the notebook as a whole
            rest_s, self._rest_s = self._rest_s, 0.0
            return max(0.0, took_s + rest_s)
        self._rest_s += took_s - outcome.duration_s
        return outcome.duration_s
