"""Notebooks for the tests that start kernels."""

from __future__ import annotations

from collections.abc import Callable

from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.runner.kernel_process import KernelProcess
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.trace.results import CellResult

RunCells = Callable[..., list[CellResult]]


def notebook(*sources: str) -> Notebook:
    cells = (Cell(CellId(str(n)), n, "code", source) for n, source in enumerate(sources, 1))
    return Notebook("nb.ipynb", tuple(cells))


def process_of(session: KernelSession) -> KernelProcess:
    """Return the process behind a session that has started."""
    assert isinstance(session.kernel, LiveKernel)
    assert session.kernel.process is not None
    return session.kernel.process
