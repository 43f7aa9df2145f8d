"""What runs a notebook under test: its kernels, their folders, and what is expected of its page."""

from __future__ import annotations

from pathlib import Path

from pytest_nbsafe.analysis import files
from pytest_nbsafe.analysis.build import unlinked
from pytest_nbsafe.app.expected import expectations
from pytest_nbsafe.app.kernels import Folders, MakeKernel, live, remembering, session_maker
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.runner import kernel_coverage
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kept_session import KeptSession
from pytest_nbsafe.runner.listening import Listener
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder
from pytest_nbsafe.runner.trial_run import TrialRun
from pytest_nbsafe.trace.suspicions import Suspicions


def trial_run(
    facts: Facts,
    clean: Plan,
    path: Path,
    listener: Listener,
    own_folders: tuple[FolderCopies, list[TemporaryFolder]],
    reuse: Reuse | None,
    kept: list[KeptSession] | None = None,
    *,
    once: bool,
    in_copy: bool,
) -> TrialRun:
    """Return what runs a notebook: from top to bottom alone where it is too much to judge.

    `own_folders` are copies of the notebook's own, and temporary ones, which have to be closed:
    that of its kernels comes first in the list. With `in_copy` the page's own run has a copy, too.
    Where `reuse` is given, kernels may remember, and tell of it there; where `kept` is,
    the kernel of the page's own run stays up.
    """
    graph, plan, suspicions, config = facts.graph, facts.plan, facts.suspicions, facts.config
    if graph.budget.suffices:
        graph.budget.lift()
    else:
        graph, plan, suspicions = unlinked(facts.notebook), clean, Suspicions()

    own_plan = plan if orders.differs(plan, clean) else None
    copies, temporaries = own_folders
    temporaries[:0] = [TemporaryFolder() for _ in range(2 if config.repeat > 1 else 1)]
    folders = Folders(
        copies,
        temporaries[0],
        temporaries[1] if config.repeat > 1 else temporaries[0],
        runs_once=once,
        will_copy=in_copy or own_plan is not None or files.may_write(facts.notebook),
        in_copy=in_copy,
    )
    make_kernel: MakeKernel = live(folders)
    if config.resume != "off" and reuse is not None and not kernel_coverage.is_measured():
        verifies = config.resume == "verify"
        make_kernel = remembering(facts, graph, path, folders, reuse, verifies=verifies)
    return TrialRun(
        graph,
        own_plan,
        clean,
        suspicions,
        session_maker(facts, graph, path, folders, listener.shows, make_kernel, kept),
        listener,
        expected=expectations(facts.notebook, config),
        repeat=config.repeat,
        once=once,
        order=config.order,
        limit_s=config.notebook_timeout_s,
    )
