"""The hooks that find notebooks, and that leave no kernel behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.plugin.items import NotebookFile
from pytest_nbsafe.plugin.sessions import Sessions
from pytest_nbsafe.plugin.settings import Settings


class Collecting:
    """Finds the notebooks of a run and owns their sessions."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sessions = Sessions()
        self._misuse: NbsafeError | None = None

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> NotebookFile | None:
        """Collect a notebook, but never one of the copies that Jupyter keeps."""
        if file_path.suffix != ".ipynb" or ".ipynb_checkpoints" in file_path.parts:
            return None
        try:
            settings = self._settings.of(file_path)
        except NbsafeError as error:
            # Raised from here, it would be a collection error with a traceback.
            self._misuse = error
            return None
        file: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
        file.sessions, file.settings = self._sessions, settings
        return file

    def pytest_collection_modifyitems(self) -> None:
        """Stop in one line when some notebook's configuration is not understood."""
        if self._misuse is not None:
            raise pytest.UsageError(str(self._misuse))

    def pytest_sessionfinish(self) -> None:
        """Stop every kernel that is still up, whatever ended the run."""
        self._sessions.close()

    def pytest_unconfigure(self) -> None:
        """Stop what a second interrupt may have left."""
        self._sessions.close()
