"""The notebooks that are open: one session a notebook, and only a few at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_nbsafe.app.session import NotebookSession
    from pytest_nbsafe.config import Config

MOST = 3
"""How many notebooks stay open when another plugin shuffles their items among each other."""


class OpenNotebooks:
    """The open notebooks, the one used last at the end."""

    def __init__(self) -> None:
        self._open: dict[Path, NotebookSession] = {}

    def of(
        self, path: Path, config: Config, selected: Callable[[], set[int] | None]
    ) -> NotebookSession:
        """Return the session of a notebook, opened for the cells that were selected."""
        from pytest_nbsafe.app.session import NotebookSession

        session = self._open.pop(path, None)
        if session is None:
            session = NotebookSession(path, config, selected())
        self._open[path] = session
        while len(self._open) > MOST:
            self.close(next(iter(self._open)))
        return session

    def close(self, path: Path) -> None:
        """Close one notebook, if it is open."""
        session = self._open.pop(path, None)
        if session is not None:
            session.close()

    def close_all(self) -> None:
        """Close every notebook."""
        while self._open:
            self.close(next(iter(self._open)))
