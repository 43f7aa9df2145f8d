from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult
from runner.kernels import RunCells, notebook


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KernelSession]:
    """One kernel for the tests of a module that do no harm to each other."""
    with KernelSession(notebook("0"), cwd=tmp_path_factory.mktemp("nb"), timeout_s=60) as session:
        yield session


@pytest.fixture
def run_cells(tmp_path: Path) -> RunCells:
    """Run cells in a kernel of their own; stops when the kernel is gone."""

    def run(*sources: str, timeout_s: float | None = 60, trace: bool = True) -> list[CellResult]:
        book = notebook(*sources)
        results = []
        with KernelSession(book, cwd=tmp_path, timeout_s=timeout_s, trace=trace) as session:
            for step, cell in enumerate(book.code_cells, 1):
                if session.alive:
                    results.append(session.run(cell, step))
        return results

    return run
