"""Displays that a later run changes: they stand below the cell that made them, as they are now."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Displays:
    """The displays of one run that have an id.

    `own` are the places among its outputs of each id, `updates` what the run showed last under an
    id: that is seen wherever a display of the id stands, also below earlier cells.
    """

    own: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    updates: Mapping[str, Output] = field(default_factory=dict)


def shown_instead(output: Output, update: Output) -> Output:
    """Return the output that an update leaves in the place of another."""
    return replace(output, text=update.text, data=update.data)
