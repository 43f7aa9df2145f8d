"""The hooks that find notebooks, keep the items of each together, and leave no kernel behind."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_nbsafe import suffixes
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.plugin.items import NotebookFile, NotebookItem, OpenNotebooks
from pytest_nbsafe.plugin.progress import Streaming, TerminalProgress, shows_at_once
from pytest_nbsafe.plugin.settings import Settings
from pytest_nbsafe.reports.status_line import NotebookStatus
from pytest_nbsafe.stopping import StopSignals


class Collecting:
    """Finds the notebooks of a run and owns those that are open."""

    def __init__(self, settings: Settings, *, in_worker: bool) -> None:
        self._settings = settings
        self._below: dict[Path, frozenset[Path] | None] = {}
        self._open_notebooks = OpenNotebooks()
        self._stop_signals = StopSignals(also_interrupts=in_worker)
        self._only_notebooks = False

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Show what runs, but not in a worker of pytest-xdist, which has no terminal."""
        config = session.config
        self._open_notebooks.updates = bool(config.getoption("nbsafe_update"))
        if hasattr(config, "workerinput"):
            return
        if shows_at_once(config):
            self._open_notebooks.listen = Streaming
        elif (progress := TerminalProgress.of(config)) is not None:
            config.pluginmanager.register(progress, "nbsafe-progress")
            status = progress.status
            self._open_notebooks.listen = lambda _: NotebookStatus(status)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Collect a notebook as nothing else, but never one of the copies that Jupyter keeps."""
        collectors = yield
        is_copy = ".ipynb_checkpoints" in file_path.parts
        if is_copy or not suffixes.is_notebook(file_path.name):
            return collectors
        if not self._is_looked_at(file_path, parent.session, is_free=not collectors):
            return collectors
        file: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
        file.open_notebooks, file.chosen = self._open_notebooks, self._settings
        return [file]

    def _is_looked_at(self, path: Path, session: pytest.Session, *, is_free: bool) -> bool:
        """Return whether a notebook was named, or lies where the command line looks too.

        Text may hold tests of another kind: it is a notebook where `include` names it, or where
        it was named itself and is free, for nothing else collects it.
        """
        if session.isinitpath(path):
            return is_free or not suffixes.is_text(path.name) or self._is_included(path)
        named = next((folder for folder in path.parents if session.isinitpath(folder)), None)
        if named is None:
            return not suffixes.is_text(path.name)
        if named not in self._below:
            from pytest_nbsafe.app import discovery

            try:
                self._below[named] = frozenset(discovery.below(named, self._settings.by_hand))
            except NbsafeError:  # which the notebook that it concerns tells
                self._below[named] = None
        below = self._below[named]
        if below is None:
            return not suffixes.is_text(path.name)
        return path in below

    def _is_included(self, path: Path) -> bool:
        from pytest_nbsafe.app import discovery

        try:
            return not discovery.is_excluded(path, self._settings.by_hand)
        except NbsafeError:  # which any notebook beside it tells
            return False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the items of each notebook together, in page order, whatever has shuffled them."""
        pages: dict[Path, list[NotebookItem]] = {}
        for item in items:
            if isinstance(item, NotebookItem):
                pages.setdefault(item.path, []).append(item)
        for page in pages.values():
            page.sort(key=NotebookItem.place)
        ordered: list[pytest.Item] = []
        for item in items:
            if isinstance(item, NotebookItem):
                ordered += pages.pop(item.path, [])
            else:
                ordered.append(item)
        items[:] = ordered

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Stop every kernel at once: pytest may take seconds to show where it was interrupted."""
        self._stop_signals.ignore()
        self._open_notebooks.close_all()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Stop every kernel that is still up, whatever ended the run."""
        self._open_notebooks.finish()
        items = getattr(session, "items", ())
        self._only_notebooks = all(isinstance(item, NotebookItem) for item in items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Stop what a second interrupt may have left.

        pytest then looks twice through all objects for exceptions in the user's finalizers. Where
        this process held notebooks alone, none of the user's objects is among them.
        """
        self._open_notebooks.close_all()
        self._stop_signals.leave()
        if self._only_notebooks and "PYTEST_CURRENT_TEST" not in os.environ:
            gc.freeze()


class Distributing:
    """Keeps notebooks whole under `-n`, and ends its workers in time."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Take in that pytest-xdist has a worker."""
        self._nodes.append(node)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Tell the workers to end.

        pytest-xdist asks them too, but they look up only after 5 seconds and are killed after 10,
        which may leave the files of a kernel behind.
        """
        for node in self._nodes:
            process = getattr(getattr(node.gateway, "_io", None), "popen", None)
            if process is not None and node.gateway.spec.popen and os.name == "posix":
                process.terminate()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Remove what a worker has left that was killed all the same."""
        if self._nodes:
            from pytest_nbsafe.app import kernels

            kernels.remove_left_folders()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return a scheduler that never parts a notebook, None where one was chosen by hand."""
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
    path, _, item = nodeid.partition("::")
    is_item = item == "notebook" or item.startswith("cell-")
    return path if is_item and suffixes.is_notebook(path) else nodeid
