"""A notebook of which all is known: what a session said of it is said again, and nothing runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pytest_nbsafe.app import parameters
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import NotebookReport, Outcome
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.runner.listening import Listener
from pytest_nbsafe.values import replace


class GivenSession:
    """What a `NotebookSession` is for who asks for outcomes, of a notebook that has a report.

    `outcomes` are those of all its cells, and of the notebook as a whole. `listener` is told what
    cells showed.
    """

    no_kernel = ""

    def __init__(
        self,
        path: Path,
        config: Config,
        listener: Listener,
        report: NotebookReport,
        outcomes: Sequence[Outcome],
    ) -> None:
        self._path, self._config, self._listener = path, config, listener
        self._report = report
        self._outcomes = {outcome.cell: outcome for outcome in outcomes}
        self._started = time.perf_counter()

    @cached_property
    def notebook(self) -> Notebook | None:
        """The page, None where it cannot be read any more."""
        config = self._config
        try:
            page = load.read(self._path, config.libraries, config.most_mb)
        except load.Unreadable:
            return None
        return parameters.given(page, config)

    @property
    def cells(self) -> Sequence[Cell]:
        """The cells that are tested, in page order."""
        return self.notebook.code_cells if self.notebook is not None else ()

    def outcome(self, cell: int) -> Outcome:
        """Return what a cell (or the notebook, 0) has to say."""
        outcome = self._outcomes[cell]
        for text in (outcome.output, outcome.errors, outcome.traceback):
            if text:
                self._listener.shows(cell, text)
        return outcome

    def report(self) -> NotebookReport:
        """Return what became of the notebook."""
        return replace(self._report, duration_s=time.perf_counter() - self._started)

    def close(self) -> None:
        """Do nothing: no kernel is up."""
