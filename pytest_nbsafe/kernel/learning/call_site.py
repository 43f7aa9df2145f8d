"""Where in the cells a watched call stands."""

from __future__ import annotations

from ..tracing.incidents import Watch


class CallSite:
    """Where we are. In the body of a magic, lines are those of the body."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    @property
    def run(self) -> int:
        """The current run."""
        return self.watch.run

    def line(self) -> int:
        """Return the line of the current run's cell that is executing."""
        return self.watch.places.current_line(self.run, within_magic=True)

    def place(self) -> tuple[int, int]:
        """Return the run and line of the innermost text of a cell: be it that of a helper."""
        return next(iter(self.watch.places.executing(within_magic=True)), (self.run, 0))
