"""The hooks that find notebooks, and that leave no kernel behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_nbsafe.plugin.items import NotebookFile
from pytest_nbsafe.plugin.open_notebooks import OpenNotebooks
from pytest_nbsafe.plugin.options import Settings


class Collecting:
    """Finds the notebooks of a run and owns those that are open."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open_notebooks = OpenNotebooks()

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> NotebookFile | None:
        """Collect a notebook, but never one of the copies that Jupyter keeps."""
        if file_path.suffix != ".ipynb" or ".ipynb_checkpoints" in file_path.parts:
            return None
        file: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
        file.open_notebooks, file.chosen = self._open_notebooks, self._settings
        return file

    def pytest_sessionfinish(self) -> None:
        """Stop every kernel that is still up, whatever ended the run."""
        self._open_notebooks.close_all()

    def pytest_unconfigure(self) -> None:
        """Stop what a second interrupt may have left."""
        self._open_notebooks.close_all()
