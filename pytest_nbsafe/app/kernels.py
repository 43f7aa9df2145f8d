"""The kernels of one notebook: each started for a purpose, in the folders that it may write to."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from pytest_nbsafe import project
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import environments
from pytest_nbsafe.app.facts import watched
from pytest_nbsafe.app.inputs import working_folder
from pytest_nbsafe.notebook import markers
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.runner import own_folders, repeating
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kept_session import KeptSession
from pytest_nbsafe.runner.kernel import Kernel, Launch
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.runner.listening import Shown
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.runner.trial_run import Purpose

MakeKernel = Callable[[Launch], Kernel]


def end_servers() -> None:
    """End what waits to start kernels, once no more notebooks will run."""
    from pytest_nbsafe.runner import forked_kernels

    forked_kernels.close_idle()


def remove_left_folders() -> None:
    """Remove the temporary folders of processes that were killed."""
    own_folders.remove_abandoned(tempfile.gettempdir())


class Folders:
    """Where the kernels of a notebook write.

    `copies` are of the notebook's own folder, for all runs but the page's own; `temporary` is
    where programs keep what they need for a while, `repeated` that of repeated runs. What the
    folder holds at first is seen to before the first kernel starts, for that may write to it:
    `will_copy` says that a copy will surely be needed, `in_copy` that the page's own run has one.
    """

    def __init__(
        self,
        copies: FolderCopies,
        temporary: TemporaryFolder,
        repeated: TemporaryFolder,
        *,
        runs_once: bool,
        will_copy: bool,
        in_copy: bool = False,
    ) -> None:
        self.copies = copies
        self.temporary = temporary
        self.repeated = repeated
        self._will_copy = will_copy
        self.in_copy = in_copy
        self._is_noted = runs_once

    def note_first(self) -> None:
        """See to what the folder holds, if nothing has run yet."""
        if not self._is_noted:
            self._is_noted = True
            self.copies.note_first()
            if self._will_copy:
                self.copies.fresh()


def live(folders: Folders) -> Callable[[Launch], LiveKernel]:
    """Return what makes kernels that run all that they are asked."""

    def make(launch: Launch) -> LiveKernel:
        folders.note_first()
        return LiveKernel(launch)

    return make


def remembering(
    facts: Facts, graph: Graph, path: Path, folders: Folders, reuse: Reuse, *, verifies: bool
) -> MakeKernel:
    """Return what makes kernels that reuse what is known, and tell of it in `reuse`.

    Those that `verifies` is for run everything, and remark what would have been another.
    """
    from pytest_nbsafe.app import resuming
    from pytest_nbsafe.store.database import StoreRefused

    wake = live(folders)
    if not facts.config.trace:  # nobody tells what a cell reads
        reuse.remarks.append("nothing is reused: `trace` is off")
        return wake
    try:
        verifier = reuse.remarks.append if verifies else None
        return resuming.remembering(graph, path, wake, folders.copies, verifier, reuse.used)
    except StoreRefused as refused:
        reuse.remarks.append(f"nothing is reused: {refused}")
        return wake


def session_maker(
    facts: Facts,
    graph: Graph,
    path: Path,
    folders: Folders,
    shows: Shown,
    make_kernel: MakeKernel,
    kept: list[KeptSession] | None = None,
) -> Callable[[Purpose], KernelSession]:
    """Return what makes a session for a purpose; `shows` is told what the page's own run shows.

    Where a list is given, the session of that run is `kept` in it, and has to be ended.
    """
    paths = project.of(path).paths
    surroundings = environments.question(graph, path)
    given = dict(facts.config.environ)
    numbers, forks = count(), facts.config.kernel_start == "fork"

    def make(purpose: Purpose) -> KernelSession:
        number, is_repeat = next(numbers), purpose == "repeat"
        in_place = purpose == "clean" and not folders.in_copy
        is_kept = kept is not None and purpose == "clean"
        session = (KeptSession if is_kept else KernelSession)(
            facts.notebook,
            kernel=facts.config.kernel,
            timeout_s=markers.timeout_s(facts.notebook.metadata) or facts.config.timeout_s,
            cwd=working_folder(path, facts.config),
            trace=facts.config.trace,
            learning=watched(facts.config),
            analyses=graph.cells,
            paths=(paths.tests, paths.sources),
            surroundings=surroundings,
            shows=shows if purpose == "clean" else None,
            temporary=folders.repeated if is_repeat else folders.temporary,
            environ=repeating.environ(number, given, is_repeat=is_repeat),
            copies=None if in_place else folders.copies,
            slot=number if forks else None,
            measured=in_place,
            make_kernel=make_kernel,
        )
        if kept is not None and isinstance(session, KeptSession):
            kept.append(session)
        return session

    return make
