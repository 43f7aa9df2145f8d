"""A text under execution: the cell's, or one nested in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import instrument


class RunningText:
    """A text under execution: the cell's, or a nested one (the body of `%%capture`).

    `shift` is the number of the cell's lines above it, None when it is not part of the cell.
    `text` is what IPython made of `raw`, as far as that is known.
    """

    def __init__(self, raw: str, shift: int | None) -> None:
        self.raw = self.text = raw
        self.shift = shift
        self.file = ""
        self.line_of: Callable[[int], int] = lambda line: line + (shift or 0)
        self.transformed = self.followed = False
        self.plan = instrument.TreeHooks()
        self.started = 0

    def is_timed(self) -> bool:
        """Tell whether it is the body of `%%time` with that line above it."""
        return re.match(r"\s*%%time\b", self.raw) is not None and "\n" in self.raw
