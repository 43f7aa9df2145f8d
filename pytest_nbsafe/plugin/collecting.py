"""The hooks that find notebooks, keep the items of each together, and leave no kernel behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe.plugin.items import NotebookFile, OpenNotebooks
from pytest_nbsafe.plugin.settings import Settings


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


class Distributing:
    """Stands in for the scheduler that `-n` picks by itself; one chosen by hand stays."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return a scheduler that never parts a notebook, None to leave the choice to others."""
        if config.getoption("dist") != "load":
            return None
        from xdist.scheduler import LoadScopeScheduling

        class NotebookScheduling(LoadScopeScheduling):  # type: ignore[misc] # untyped without xdist
            """Gives out notebooks whole, and every other test for itself."""

            def _split_scope(self, nodeid: str) -> str:
                return scope(nodeid)

        return NotebookScheduling(config, log)


def scope(nodeid: str) -> str:
    """Return what must stay together with an item: its notebook, or only itself."""
    path = nodeid.partition("::")[0]
    return path if path.endswith(".ipynb") else nodeid
