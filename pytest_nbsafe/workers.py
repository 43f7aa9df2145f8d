"""Processes of this program's own: they import nothing from the folder that is looked at.

That folder may be a stranger's. The standard library's process pool starts each process with the
working folder first on `sys.path`, so that a `multiprocessing.py` there would run; these begin with
the path of this process, without that folder, before they import anything.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pytest_nbsafe.errors import NbsafeError

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; from pytest_nbsafe import workers; workers.serve()"
)
"""`sys` is part of the interpreter; whatever is imported after it is found on the new path."""
_SAFELY = ["-P"] if sys.version_info >= (3, 11) else []
"""From Python 3.13 on a module is imported before such a text begins."""


def processors() -> int:
    """Return how many processors this process may use."""
    affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1


def results(
    do: Callable[[_Task], _Result], tasks: Sequence[_Task], processes: int
) -> Iterator[_Result]:
    """Yield `do(task)` of each task, in order, worked out by this many processes.

    `do` is a function of a module; tasks and results are sent as pickles.

    Raises:
        NbsafeError: a process ended before it answered.

    """
    from concurrent.futures import ThreadPoolExecutor

    mine, lock, over = threading.local(), threading.Lock(), threading.Event()
    workers: list[Worker] = []

    def start() -> None:
        with lock:  # none is started that nobody would end
            if not over.is_set():
                mine.worker = Worker()
                workers.append(mine.worker)

    def ask(task: _Task) -> _Result:
        try:
            result: _Result = mine.worker.ask(do, task)
        except EndedError as error:
            message = f"a process that analyses notebooks ended ({error})"
            hint = "was there too little memory? Try --jobs 1"
            raise NbsafeError("worker-ended", message, hint) from None
        return result

    pool = ThreadPoolExecutor(processes, initializer=start)
    try:
        yield from pool.map(ask, tasks)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C: what has not begun is not begun
        with lock:
            over.set()
        for worker in workers:
            worker.end()


_END_LIMIT_S = 20.0
"""How long a process may take to end what it has started."""


class EndedError(Exception):
    """The process ended before it answered; the text says how."""


class Worker:
    """One process, in a session of its own: Ctrl-C is left to this one, which ends it."""

    def __init__(self) -> None:
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, *_SAFELY, "-c", _START, *_search_path()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, do: Callable[..., Any], *arguments: object, cpu_s: float = 0.0) -> Any:
        """Return what a function returns there; 0 for no limit of the time it computes.

        Raises:
            EndedError: the process ended, by itself or because the limit was reached.
            Exception: what the function raised.

        """
        import pickle

        process = self._process
        assert process.stdin is not None, "it was started with pipes"
        assert process.stdout is not None, "it was started with pipes"
        try:
            pickle.dump((do, arguments, cpu_s), process.stdin)
            process.stdin.flush()
            result, error = pickle.load(process.stdout)  # noqa: S301 - it runs our code
        except (EOFError, OSError):
            raise EndedError(_ending(process.wait())) from None
        if error is not None:
            raise error
        return result

    def stop(self) -> None:
        """Ask the process to end what it does, and itself."""
        self._process.terminate()

    def finish(self) -> None:
        """Wait for the process to end, which it does when it is idle; end it if it does not."""
        import subprocess

        assert self._process.stdin is not None, "it was started with pipes"
        try:
            self._process.stdin.close()
            self._process.wait(_END_LIMIT_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None, "it was started with pipes"
        self._process.stdout.close()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Answer what is asked on standard input, until it is closed."""
    import gc
    import pickle

    gc.set_threshold(20_000, 20, 50)
    asked, answered = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what anything prints must not get between the answers
    while True:
        try:
            do, arguments, cpu_s = pickle.load(asked)  # noqa: S301 - from who started this process
        except EOFError:
            return
        answer: tuple[Any, Exception | None]
        _limit(cpu_s)
        try:
            answer = (do(*arguments), None)
        except Exception as error:  # noqa: BLE001 - it is raised again by who asked
            answer = (None, error)
        except KeyboardInterrupt:  # it is asked to end
            return
        _limit(0.0)
        pickle.dump(answer, answered)
        answered.flush()


def _limit(cpu_s: float) -> None:
    """Let the system end this process when it has computed for so long, 0 for never.

    Not a handler in Python: that would wait for a function in C to return.
    """
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)


def _search_path() -> list[str]:
    """Return `sys.path` without the working folder, and with the place of this package."""
    here = os.path.realpath("")
    paths = [path for path in sys.path if path and os.path.realpath(path) != here]
    package = str(Path(__file__).parents[1])
    return paths if package in paths else [*paths, package]


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
