"""Which saved outputs are compared with new ones, and how."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pytest_nbsafe.trace.outputs.comparison import Settings
from pytest_nbsafe.trace.outputs.difference import Mode
from pytest_nbsafe.trace.outputs.sanitizers import Sanitizer
from pytest_nbsafe.values import dataclass, field

OutputMode = Literal["off", "lenient", "exact"]


@dataclass(frozen=True, slots=True)
class Expectations:
    """How the outputs of a notebook are compared: `mode`, but for the cells in `own`.

    `now` is when the notebook runs, None where dates are data.
    """

    mode: OutputMode = "lenient"
    own: Mapping[int, OutputMode] = field(default_factory=dict)
    sanitizers: tuple[Sanitizer, ...] = ()
    now: datetime | None = None

    def settings(self, cell: int) -> Settings | None:
        """Return how the outputs of a cell are compared, None where they are not."""
        mode = self.own.get(cell, self.mode)
        if mode == "off":
            return None
        compared: Mode = mode
        return Settings(compared, self.sanitizers, self.now)


NONE_EXPECTED = Expectations("off")
