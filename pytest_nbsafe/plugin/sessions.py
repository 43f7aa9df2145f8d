"""The notebooks that are open: one kernel session a notebook, closed after its last item."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_nbsafe.findings import Outcome
from pytest_nbsafe.plugin.items import THE_NOTEBOOK, NotebookItem

if TYPE_CHECKING:
    from pytest_nbsafe.check import NotebookSession
    from pytest_nbsafe.plugin.items import NotebookFile

MOST = 3
"""How many notebooks stay open when another plugin shuffles their items among each other."""


class Sessions:
    """The open notebooks, the one used last at the end."""

    def __init__(self) -> None:
        self._open: dict[Path, NotebookSession] = {}
        self._to_come: dict[Path, set[str]] = {}

    def of(self, file: NotebookFile) -> NotebookSession:
        """Return the session of a notebook, opened for the cells that were selected."""
        from pytest_nbsafe.check import NotebookSession

        session = self._open.pop(file.path, None)
        if session is None:
            session = NotebookSession(file.path, file.settings, self._selected(file))
        self._open[file.path] = session
        while len(self._open) > MOST:
            self._close(next(iter(self._open)))
        return session

    def outcome(self, item: NotebookItem) -> Outcome:
        """Return what an item has to say, running what that needs.

        Its findings carry the path as pytest writes it, from the root.
        """
        session = self.of(item.file)
        self._to_come[item.path].discard(item.nodeid)
        outcome = _outcome(session, item.number)
        path = item.file.shown
        return replace(outcome, findings=tuple(replace(f, path=path) for f in outcome.findings))

    def leave(self, file: NotebookFile) -> None:
        """Close a notebook if no item of it is still to come."""
        if not self._to_come.get(file.path):
            self._close(file.path)

    def close(self) -> None:
        """Close every notebook."""
        while self._open:
            self._close(next(iter(self._open)))

    def _close(self, path: Path) -> None:
        session = self._open.pop(path, None)
        if session is not None:
            session.close()

    def _selected(self, file: NotebookFile) -> set[int] | None:
        """Return the numbers of the cells that pytest will ask for, None when that is all."""
        items = [
            item
            for item in file.session.items
            if isinstance(item, NotebookItem) and item.path == file.path
        ]
        self._to_come.setdefault(file.path, {item.nodeid for item in items})
        numbers = {item.number for item in items}
        return None if numbers >= file.numbers else numbers - {THE_NOTEBOOK}


def _outcome(session: NotebookSession, number: int) -> Outcome:
    if session.notebook and number and number not in {cell.number for cell in session.cells}:
        reason = f"cell {number} is gone: the notebook changed after it was collected"
        return Outcome(number, "failed", reason)
    return session.outcome(number)
