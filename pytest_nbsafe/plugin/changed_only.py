"""`--nbsafe-changed-since`: notebooks that nothing has touched are deselected."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.plugin.items import NotebookItem
from pytest_nbsafe.reports import escape
from pytest_nbsafe.sentences import many

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_KEY = "nbsafe_untouched"


class ChangedOnly:
    """Leaves out the notebooks that do not rest on what has changed, and says how many they are."""

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._left_out: set[Path] = set()
        self._is_touched = cache(self._asked)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the items of notebooks that are not touched."""
        untouched = [
            item
            for item in items
            if isinstance(item, NotebookItem) and not self._is_touched(item.path)
        ]
        if untouched:
            self._left_out.update(item.path for item in untouched)
            config.hook.pytest_deselected(items=untouched)
            gone = set(untouched)
            items[:] = [item for item in items if item not in gone]

    def _asked(self, path: Path) -> bool:
        from pytest_nbsafe.app import changes

        try:
            return changes.is_touched(path, self._reference)
        except NbsafeError:  # it lies in no repository, or in another one
            return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of pytest-xdist has left out: each of them collects all."""
        paths = getattr(node, "workeroutput", {}).get(_KEY, ())
        self._left_out.update(map(Path, paths))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Let a run pass for which nothing is left."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_KEY] = [str(path) for path in self._left_out]
        elif exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._left_out:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Say what was left out."""
        if self._left_out:
            number = many(len(self._left_out), "notebook")
            line = f"nbsafe: {number} untouched since {self._reference}"
            terminalreporter.write_sep("-", escape.line(line))
