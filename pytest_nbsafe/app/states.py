"""Sessions that come to the state around a cell, reusing what is known of earlier runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import kernels
from pytest_nbsafe.app.inputs import working_folder
from pytest_nbsafe.errors import NbsafeError, no_code_cell
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.installed_kernels import KernelStartFailed, NoSuchKernel
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.runner.trial_run import Purpose
from pytest_nbsafe.trace.results import CellResult, why

MakeSession = Callable[[Purpose], KernelSession]


def session_makers(
    stack: ExitStack, facts: Facts, graph: Graph, path: Path, reuse: Reuse, *, copies: bool
) -> Iterator[MakeSession]:
    """Yield what makes sessions of a notebook: those that remember, then those that run it all.

    The second are for where what is remembered is of no use (`StateDiffers`). They tell of
    themselves in `reuse`. Their folders live as long as the stack; `copies` says that some
    run in a copy of the notebook's own.
    """
    folder = working_folder(path, facts.config)
    of_folder = stack.enter_context(closing(FolderCopies(folder)))
    temporary = stack.enter_context(closing(TemporaryFolder()))
    folders = kernels.Folders(
        of_folder, temporary, temporary, runs_once=not copies, will_copy=copies
    )
    remembering = kernels.remembering(facts, graph, path, folders, reuse, verifies=False)
    for make_kernel in (remembering, kernels.live(folders)):
        of_folder.take_back()
        yield kernels.session_maker(facts, graph, path, folders, lambda *_: None, make_kernel)


@contextmanager
def running(make: MakeSession, purpose: Purpose, path: Path) -> Iterator[KernelSession]:
    """Give a session that has started; it ends with the context.

    Raises:
        NbsafeError: its kernel does not start.

    """
    with closing(make(purpose)) as session:
        try:
            session.start()
            yield session
        except (NoSuchKernel, KernelStartFailed) as error:  # one that remembers starts late
            raise NbsafeError("no-kernel", f"{path}: {error}") from None


def cells_as_far(path: Path, graph: Graph, numbers: tuple[int, ...], last: int) -> list[Cell]:
    """Return the cells of a plan as far as a cell.

    Raises:
        NbsafeError: it is not among them.

    """
    if last not in numbers:
        raise no_code_cell(str(path), last, numbers, " that runs")
    return [graph.notebook.cell(n) for n in numbers[: numbers.index(last) + 1]]


def run_all(session: KernelSession, cells: Sequence[Cell]) -> list[CellResult]:
    """Run cells one after another, also after one that fails.

    Raises:
        NbsafeError: the kernel is gone after one of them.

    """
    session.expect(cells)
    results: list[CellResult] = []
    for step, cell in enumerate(cells, 1):
        results.append(session.run(cell, step))
        if not session.alive:
            message = f"cell {cell.number} leaves no kernel behind: {why(results[-1])}"
            raise NbsafeError("kernel-gone", message)
    return results


def failed(results: Iterable[CellResult]) -> dict[int, str]:
    """Return the cells that failed, each with its reason."""
    return {result.cell: why(result) for result in results if result.status != "ok"}
