"""`--nbsafe-changed-since`: notebooks that nothing has touched are deselected."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.plugin.items import NotebookItem
from pytest_nbsafe.reports import escape
from pytest_nbsafe.sentences import many


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

    def pytest_report_collectionfinish(self) -> list[str]:
        """Say what was left out."""
        if not self._left_out:
            return []
        number = many(len(self._left_out), "notebook")
        return [f"nbsafe: {number} untouched since {escape.line(self._reference)}"]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Let a run pass for which nothing is left."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._left_out:
            session.exitstatus = pytest.ExitCode.OK
