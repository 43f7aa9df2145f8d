"""What shows while cells run: under `-s` their outputs, on a terminal which cell it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.status_line import StatusLine

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_SAVE, _RESTORE, _CLEAR_REST = "\x1b7", "\x1b8", "\x1b[K"
_LEAST_COLUMNS = 20


def shows_at_once(config: pytest.Config) -> bool:
    """Return whether outputs are shown as they come (`-s`); a worker of pytest-xdist cannot."""
    return getattr(config.option, "capture", "") == "no" and not hasattr(config, "workerinput")


class Streaming:
    """Writes what the cells of a notebook show as it comes, under the name of the cell."""

    def __init__(self, path: Path) -> None:
        self._path = escape.line(path.name)
        self._cell = 0

    def starts(self, order: str, cell: int, cells: int) -> None:
        """Show nothing: the outputs tell."""

    def shows(self, cell: int, text: str) -> None:
        """Write a text, made safe for the terminal."""
        head = "" if cell == self._cell else f"\n--- {self._path}, cell {cell} ---\n"
        self._cell = cell
        sys.stdout.write(f"{head}{escape.streamed(text)}")
        sys.stdout.flush()


class TerminalProgress:
    """The cell that runs, behind what pytest has written of its line, as long as an item runs.

    pytest captures what is written meanwhile; so this writes to the terminal itself, and puts the
    cursor back to where pytest goes on.
    """

    def __init__(self, reporter: TerminalReporter, terminal: int) -> None:
        self._reporter = reporter
        self._terminal = os.dup(terminal)
        self.status = StatusLine(self._draw, self._erase)

    @classmethod
    def of(cls, config: pytest.Config) -> TerminalProgress | None:
        """Return what shows progress, None where pytest does not write to a terminal."""
        reporter: TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or not reporter.isatty or reporter.verbosity < 0:
            return None
        try:
            terminal = sys.stdout.fileno()
        except (AttributeError, OSError, ValueError):
            return None
        dumb = os.environ.get("TERM", "dumb") == "dumb"
        return cls(reporter, terminal) if os.isatty(terminal) and not dumb else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Take the text away when an item has run, before pytest goes on writing."""
        try:
            return (yield)
        finally:
            self.status.clear()

    def pytest_unconfigure(self) -> None:
        """Give the terminal back."""
        self.status.clear()
        os.close(self._terminal)

    def _draw(self, text: str) -> None:
        writer = self._reporter._tw  # noqa: SLF001  # it alone knows the column
        left = writer.fullwidth - writer.width_of_current_line - 2
        if left >= _LEAST_COLUMNS:
            self._write(f"{_SAVE} {text[:left]}{_CLEAR_REST}{_RESTORE}")

    def _erase(self) -> None:
        self._write(_CLEAR_REST)

    def _write(self, text: str) -> None:
        try:
            os.write(self._terminal, text.encode("utf-8", "replace"))
        except OSError:  # the terminal is gone
            return
