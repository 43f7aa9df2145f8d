"""`nbsafe checkout --list`: what the store holds for the cells of a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import kernels, resuming
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.inputs import working_folder
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.order import orderings
from pytest_nbsafe.reports.stored_page_report import StoredPage
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.stored_runs import stored_runs
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kernel import Launch
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.store.database import StoreRefused


def stored_page(path: Path, settings: Mapping[str, Any]) -> StoredPage:
    """Return what is kept of the cells of a notebook, in page order. Nothing runs.

    Raises:
        NbsafeError: the notebook cannot be read or is not Python; there is no store; or it cannot
            be told what its kernel is.

    """
    graph, config = python_graph(path, settings, as_run=True)
    facts, _ = facts_of(graph, None, config)
    numbers = orderings.topdown(graph).cells
    memory = _memory(facts, graph, path)
    sources = [graph.notebook.cell(number).source for number in numbers]
    runs = stored_runs(memory, sources)
    return StoredPage(str(path), dict(zip(numbers, runs, strict=True)))


def _memory(facts: Facts, graph: Graph, path: Path) -> Memory:
    """Return what the kernel of the page's own run remembers with."""
    launches: list[Launch] = []

    def note(launch: Launch) -> LiveKernel:
        launches.append(launch)
        return LiveKernel(launch)

    with ExitStack() as stack:
        folder = working_folder(path, facts.config)
        copies = stack.enter_context(closing(FolderCopies(folder)))
        temporary = stack.enter_context(closing(TemporaryFolder()))
        folders = kernels.Folders(copies, temporary, temporary, runs_once=True, will_copy=False)
        make = kernels.session_maker(facts, graph, path, folders, lambda *_: None, note)
        make("clean").close()
    try:
        memory = resuming.memories(graph, path)(launches[0])
    except StoreRefused as refused:
        raise NbsafeError("no-store", f"there is no store: {refused}") from None
    if memory is None:
        raise NbsafeError("no-kernel", f"{path}: nothing is kept of kernels like its own")
    return memory
