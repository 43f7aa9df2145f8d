"""Kernels that remember: which store, what their runs depend on, and what can never be reused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import cache, run_store
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.judge.outside_influences import asked_by
from pytest_nbsafe.resume.learners import NO_LEARNERS, Learners
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.resume.used import Used
from pytest_nbsafe.runner.folder_copies import FolderCopies
from pytest_nbsafe.runner.kernel import Kernel, Launch
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import replace

_ASKED = {
    "machine": "it asks the clock, the machine or a command",
    "timers": "it measures time",
    "network": "it asks the network",
    "threads": "it starts threads or processes",
}
_DATA = frozenset({"data", "columns"})
"""Roles of what holds rows, and learns nothing."""
LEARNING_METHODS = frozenset(
    {"fit", "partial_fit", "fit_transform", "fit_resample", "fit_sample", "fit_predict", "score"}
    | {"transform", "inverse_transform", "decision_function"}
    | {"predict", "predict_proba", "predict_log_proba"}
)
"""Methods that the kernel watches of what learns; that of a splitter has too common a name."""
LEARNING_EFFECTS = frozenset(
    {"split", "resample", "shuffle", "sample", "concat", "cv", "cv_curve", "metric", "fitted"}
)
"""Effects of the functions that it watches."""


def remembering(
    graph: Graph,
    path: Path,
    wake: Callable[[Launch], LiveKernel],
    folder: FolderCopies,
    verifier: Callable[[str], None] | None = None,
    used: list[Used] | None = None,
) -> Callable[[Launch], Kernel]:
    """Return what makes a kernel of a notebook that remembers what its runs gave.

    `wake` makes the live one; `folder` is that of the notebook. A kernel whose environment cannot
    be told does not remember. A `verifier` is told what would have been reused wrongly: then
    everything is run. What the answers of each hang on is added to `used`.

    Raises:
        StoreRefused: there is no store to be used.

    """
    memory_of = memories(graph, path, verifier, used)

    def make(launch: Launch) -> Kernel:
        memory = memory_of(launch)
        if memory is None:
            return wake(launch)
        own = folder if launch.copies is None else None
        return RememberingKernel(memory, lambda: wake(replace(launch, inputs=True)), own)

    return make


def memories(
    graph: Graph,
    path: Path,
    verifier: Callable[[str], None] | None = None,
    used: list[Used] | None = None,
) -> Callable[[Launch], Memory | None]:
    """Return what tells with what a kernel remembers, None where its environment is not known.

    What the answers of each hang on is added to `used`.

    Raises:
        StoreRefused: there is no store to be used.

    """
    store = run_store.of_notebook(path)
    unfit, changes = _unfit(graph), _changes(graph)

    def memory_of(launch: Launch) -> Memory | None:
        own = Used(launch.kernel, launch.environ)
        if used is not None:
            used.append(own)
        context = _context(launch, path)
        if context is None:
            own.note_unkept()
            return None
        environ = {**os.environ, **launch.environ}
        return Memory(
            store,
            context,
            files.path_text(path),
            unfit,
            changes,
            environ,
            keeps=launch.copies is None,
            learners=learners(launch),
            verifier=verifier,
            used=own,
        )

    return memory_of


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


def _changes(graph: Graph) -> Mapping[str, frozenset[str]]:
    """Return the names that each text binds, removes or changes."""
    cells = graph.cells
    return {
        cell.source: frozenset[str]().union(
            *((*s.writes, *s.mutates, *s.deletes) for s in cells[cell.number].statements)
        )
        for cell in graph.notebook.code_cells
        if cell.number in cells
    }


def learners(launch: Launch) -> Learners:
    """Return what is watched of learning."""
    if not launch.learning:
        return NO_LEARNERS
    classes, functions = launch.learning["classes"], launch.learning["functions"]
    learning = {n.partition(".")[0] for n, role in classes.items() if role not in _DATA}
    every = {name.partition(".")[0] for name in (*classes, *functions)}
    calls = {
        name.rpartition(".")[2]
        for name, effect in functions.items()
        if name.partition(".")[0] in learning and effect in LEARNING_EFFECTS
    }
    words = LEARNING_METHODS | calls
    return Learners(frozenset(learning), frozenset(every - learning), words)


def _context(launch: Launch, path: Path) -> str | None:
    """Return what stands for all that the runs of a kernel depend on; None where unknown.

    Each notebook has contexts of its own: in a folder of notebooks many cells have one text.
    """
    environment = run_store.environment(launch.kernel, launch.environ)
    if environment is None:
        return None
    about = [
        str(path.resolve()),
        launch.kernel,
        str(launch.cwd),
        launch.trace,
        launch.learning,
        dict(launch.environ),
        launch.paths,
        run_store.heeded(),
    ]
    return hashed(cache.program(), environment, json.dumps(about, sort_keys=True))
