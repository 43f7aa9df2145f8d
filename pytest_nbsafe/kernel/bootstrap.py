"""Where the island comes ashore: the runner's request ends here."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

from . import folder_order, foreign_threads, measuring, open_log
from .adapters import names
from .contract import PACKAGE, TELLS_INPUTS, Measurement
from .inputs.run_inputs import RunInputs
from .learning import watching
from .tracer import Tracer
from .tracing.outside_effects import OutsideEffects

_FILES = 128

tracers: list[Tracer] = []
streams: tuple[Any, ...] = ()
files: set[tuple[int, int]] = set()
"""What was there when we came, for `fork`: the streams, and the files and sockets that are open
(device and number of each)."""


def install(
    trace: bool,  # noqa: FBT001  # sent as JSON
    adapters: list[str],
    learning: dict[str, Any] | None = None,
    paths: tuple[list[str], list[str]] = ([], []),
    root: str = "",
    inputs: bool = False,  # noqa: FBT001, FBT002  # sent as JSON
    measurement: Measurement | None = None,
) -> None:
    """Start to follow the runs of this kernel; `learning` names what is watched of libraries.

    `adapters` are the names of the libraries of which more is known. `paths` are folders that are
    searched for modules, too: before what is installed, and after it. `root` stands before the
    paths of a kernel that runs in a copy of its folder: texts count as if it did not. With `inputs`
    each run tells what it uses beyond names, where the Python is new enough. A `measurement` is
    begun where there is one.
    """
    from IPython import get_ipython

    global streams  # noqa: PLW0603  # a kernel has one of each
    shell: Any = get_ipython()
    names[:] = adapters
    foreign_threads.note_own()
    _note_files()
    streams = (sys.stdout, sys.stderr)
    tracers.append(tracer := Tracer(shell, trace=trace))
    if inputs and sys.version_info >= TELLS_INPUTS:
        tracer.inputs = RunInputs(shell, tracer.places, tracer.snapshot)
        tracer.links.figures = tracer.inputs.figures
        tracer.inputs.install()
    tracer.install()
    if root:
        tracer.snapshot.places = ((root, ""),)
        folder_order.install(root)
        OutsideEffects(tracer.watch, root).install()
    if learning is not None:
        tracer.desk = watching.install(learning, shell, tracer.watch)
    _widen(shell)
    _search(*paths)
    if measurement is not None:
        measuring.start(measurement)
    open_log.watch()
    gc.collect()  # what we made would else bring forward the collections that the cells pay for


def answer(text: str) -> None:
    """Let an answer to the host leave with the reply to its request."""
    payload = {"source": PACKAGE, "answer": text}
    tracers[-1].shell.payload_manager.write_payload(payload)


def _note_files() -> None:
    """Note which files are open; the system numbers them from 0 on."""
    for number in range(_FILES):
        try:
            status = os.fstat(number)
        except OSError:
            continue
        files.add((status.st_dev, status.st_ino))


def _search(first: list[str], last: list[str]) -> None:
    """Let folders be searched for modules, but none of them before the standard library."""
    path = sys.path
    ends = ("site-packages", "dist-packages")
    position = next((i for i, entry in enumerate(path) if entry.endswith(ends)), len(path))
    path[position:position] = [folder for folder in first if folder not in path]
    path.extend(folder for folder in last if folder not in path)


def _widen(shell: Any) -> None:
    """Let the output channel queue without a limit: a full queue drops messages."""
    try:
        import zmq

        thread = shell.kernel.iopub_thread
        thread.schedule(lambda: thread.socket.setsockopt(zmq.SNDHWM, 0))
    except Exception:  # noqa: S110  # another kernel than ipykernel; the default limit stays
        pass
