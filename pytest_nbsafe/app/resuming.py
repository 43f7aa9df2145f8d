"""Kernels that remember: which store, what their runs depend on, and what can never be reused."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import cache
from pytest_nbsafe.app.store import FOLDER
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.judge.outside_influences import asked_by
from pytest_nbsafe.resume import environment_key, questions
from pytest_nbsafe.resume.remembering_kernel import Memory, RememberingKernel
from pytest_nbsafe.runner.installed_kernels import NoSuchKernel, interpreter
from pytest_nbsafe.runner.live_kernel import Kernel, Launch, LiveKernel
from pytest_nbsafe.store import database, place, signing
from pytest_nbsafe.store.database import Store, StoreRefused
from pytest_nbsafe.values import replace

_ASKED = {
    "machine": "it asks the clock, the machine or a command",
    "timers": "it measures time",
    "network": "it asks the network",
    "threads": "it starts threads or processes",
}
_DATA = frozenset({"data", "columns"})
"""Roles of what holds rows, and learns nothing."""
_ENVIRONMENT = re.compile(
    r"PYTHON\w*|LANG|LC_\w+|TZ|MPLBACKEND|\w+_NUM_THREADS|CUDA_VISIBLE_DEVICES|TF_\w+|HOME|PATH"
)
"""Variables that kernels and libraries heed, whether or not a cell asks for them."""


def remembering(
    graph: Graph,
    path: Path,
    wake: Callable[[Launch], LiveKernel],
    verifier: Callable[[str], None] | None = None,
) -> Callable[[Launch], Kernel]:
    """Return what makes a kernel of a notebook that remembers what its runs gave.

    `wake` makes the live one. A kernel whose environment cannot be told does not remember. A
    `verifier` is told what would have been reused wrongly: then everything is run.

    Raises:
        StoreRefused: there is no store to be used.

    """
    store = store_of(os.getpid(), _home(path))
    unfit = _unfit(graph)

    def make(launch: Launch) -> Kernel:
        context = _context(launch, path)
        if context is None:
            return wake(launch)
        environ = {**os.environ, **launch.environ}
        memory = Memory(
            store,
            context,
            str(path.resolve()),
            unfit,
            environ,
            keeps=launch.copies is None,
            learners=_learners(launch),
            verifier=verifier,
        )
        return RememberingKernel(memory, lambda: wake(replace(launch, inputs=True)))

    return make


@lru_cache(maxsize=4)
def store_of(process: int, folder: Path) -> Store:  # noqa: ARG001  # a fork has its own connection
    """Return the store in a folder, opened once for each process.

    Raises:
        StoreRefused: it cannot be used.

    """
    store = database.opened(folder)
    store.prune()
    return store


def _home(notebook: Path) -> Path:
    """Return the folder of the store.

    Raises:
        StoreRefused: there is none that only the user, or the pipeline, writes to.

    """
    from pytest_nbsafe import project

    folder = place.folder()
    if folder is None:
        raise StoreRefused(f"the folder for it cannot be used (see {place.VARIABLE})")
    root = project.of(notebook).folders[-1]
    if folder.resolve().is_relative_to(root.resolve()) and not signing.given():
        raise StoreRefused(
            f"{folder} lies in the repository, where a commit could bring a store along; "
            f"set {signing.VARIABLE} to a secret of the pipeline, or {place.VARIABLE} to a folder "
            "outside"
        )
    return folder / FOLDER


def _unfit(graph: Graph) -> Mapping[str, str]:
    """Return the texts whose outcome hangs on what cannot be keyed, each with the reason."""
    unfit: dict[str, str] = {}
    chance = makers(graph).drawing
    for cell in graph.notebook.code_cells:
        asked = asked_by(graph, cell.number)
        reason = next((words for kind, words in _ASKED.items() if kind in asked), "")
        if cell.number in chance:
            reason = reason or "it draws random numbers without a seed"
        if reason:
            unfit[cell.source] = reason
    return unfit


def _learners(launch: Launch) -> frozenset[str]:
    """Return the libraries of which it is watched what learns from what."""
    classes = launch.learning["classes"] if launch.learning else {}
    return frozenset(n.partition(".")[0] for n, role in classes.items() if role not in _DATA)


def _context(launch: Launch, path: Path) -> str | None:
    """Return what stands for all that the runs of a kernel depend on; None where unknown.

    Each notebook has contexts of its own: in a folder of notebooks many cells have one text.
    """
    try:
        program = interpreter(launch.kernel)
    except NoSuchKernel:
        return None
    environment = environment_key.key(program) if program else None
    if environment is None:
        return None
    heeded = {k: v for k, v in os.environ.items() if _ENVIRONMENT.fullmatch(k)}
    about = [
        str(path.resolve()),
        launch.kernel,
        str(launch.cwd),
        launch.trace,
        launch.learning,
        dict(launch.environ),
        launch.paths,
        heeded,
    ]
    return questions.hashed(cache.program(), environment, json.dumps(about, sort_keys=True))
