"""`nbsafe checkout`: a kernel in the state that a notebook has before or after one of its cells."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from pytest_nbsafe.app import kernels
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.installed_kernels import NoSuchKernel
from pytest_nbsafe.runner.kernel_process import KernelStartFailed
from pytest_nbsafe.runner.live_kernel import StateDiffers
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.trace.results import CellResult, why
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """A kernel that waits: who knows its `connection` file can talk to it.

    `reused` of the `runs` before it were not made again; `failed` are the cells among them that
    failed, each with its reason. It took `took_s` seconds. `remarks` say why nothing was reused.
    """

    connection: Path
    runs: int
    reused: int
    failed: Mapping[int, str]
    took_s: float
    remarks: tuple[str, ...] = ()


@contextmanager
def checked_out(
    path: Path, settings: Mapping[str, Any], cell: int, *, before: bool
) -> Iterator[CheckedOut]:
    """Give a kernel in the state before or after a cell, in page order; it ends with the context.

    What is known of earlier runs is not run again, as with `resume`. A cell that fails does not
    stop those below it.

    Raises:
        NbsafeError: the notebook cannot be read or is not Python, has no such code cell, or its
            kernel does not start.

    """
    started = time.perf_counter()
    graph, config = python_graph(path, settings)
    facts, plan = facts_of(graph, None, config)
    numbers = [run.cell for run in plan.runs]
    if cell not in numbers:
        known = f"code cells: {', '.join(map(str, numbers))}" if numbers else ""
        raise NbsafeError("no-such-cell", f"{path} has no code cell {cell} that runs", known)
    to_run = [graph.notebook.cell(n) for n in numbers[: numbers.index(cell) + (not before)]]
    remarks: list[str] = []
    with ExitStack() as stack:
        copies = stack.enter_context(closing(FolderCopies(path.resolve().parent)))
        temporary = stack.enter_context(closing(TemporaryFolder()))
        folders = kernels.Folders(copies, temporary, temporary, runs_once=True, will_copy=False)
        remembering = kernels.remembering(graph, path, folders, remarks, verifies=False)
        for make_kernel in (remembering, kernels.live(folders)):
            make = kernels.session_maker(facts, graph, path, folders, lambda *_: None, make_kernel)
            with closing(make("clean")) as session:
                try:
                    session.start()
                    session.expect(to_run)
                    results = [session.run(each, step) for step, each in enumerate(to_run, 1)]
                    yield CheckedOut(
                        session.kernel.connection_file(),
                        len(results),
                        sum(result.reused for result in results),
                        _failed(results),
                        time.perf_counter() - started,
                        tuple(remarks),
                    )
                except StateDiffers:  # what is remembered is of no use: run it all
                    continue
                except (NoSuchKernel, KernelStartFailed) as error:
                    raise NbsafeError("no-kernel", f"{path}: {error}") from None
                return


def _failed(results: list[CellResult]) -> dict[int, str]:
    return {result.cell: why(result) for result in results if result.status != "ok"}
