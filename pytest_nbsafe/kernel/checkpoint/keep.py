"""Keeps values in files: a forked child does, in the background; the notebook does not wait."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from typing import Any

from .. import bootstrap
from ..aside import child, fork, seal
from ..checkpoint_contract import CoVariable, Keeping, KeepQuestion, Kept, KeptFile
from ..collector import paused
from ..contract import NOT_DONE, SLOWER
from . import blobs, keeping, pickling
from .reachable import Surface

_NICENESS = 5
_MOST_TIMES, _SETUP_S = 2, 0.2
"""How many times longer than it may a child computes before the system ends it, and to begin."""
_BEGINNING_S = 0.05
"""How long it takes a child to look at what modules hold, and at who refers to what: measured."""
_PACKING_SHARE = 0.2
"""How much of the time that is left compressing may take: else less would be kept for it."""


def ask(question: str) -> None:
    """Begin to keep what the host asks for; the answer leaves with the reply to its request."""
    bootstrap.answer(json.dumps(begin(bootstrap.tracers[-1], json.loads(question))))


@paused()  # in a child too: else it would write into all memory, which is the kernel's as yet
def begin(tracer: Any, asked: KeepQuestion) -> Keeping:
    """Return the number of what is being kept, or why nothing is."""
    cause = fork.obstacle()
    if cause:
        return {"ticket": 0, "cause": cause}
    groups = (asked["names"], asked["limit_s"]), (asked["likely"], asked["likely_s"])
    if not any(keeping.is_any_affordable(tracer, n, s - _BEGINNING_S) for n, s in groups):
        return {"ticket": 0, "cause": keeping.NO_TIME}
    try:
        task = Task(tracer, asked)
    except OSError as error:
        return {"ticket": 0, "cause": f"the kernel could not be forked: {error}"}
    ticket = len(tasks) + 1
    tasks[ticket] = task
    return {"ticket": ticket, "cause": ""}


def _all_s(asked: KeepQuestion) -> float:
    """Return how long all of it may take."""
    return asked["limit_s"] + asked["likely_s"]


tasks: dict[int, Task] = {}
"""By their tickets."""


def kept_by_now() -> dict[str, Kept]:
    """Return what is kept, by tickets, of all that is done by now."""
    found = {str(n): task.collect(0.0, stop=False) for n, task in tasks.items()}
    return {ticket: kept for ticket, kept in found.items() if kept["done"]}


class Task:
    """A child that keeps co-variables; it writes a line for each into a file without a name."""

    def __init__(self, tracer: Any, asked: KeepQuestion) -> None:
        self.kept: Kept = {"done": False, "covariables": [], "cause": "", "cost_s": 0.0}
        self.limit_s = _all_s(asked)
        self.lines: Any = tempfile.TemporaryFile(dir=asked["folder"])  # noqa: SIM115  # closed in `_end`
        status = os.fstat(self.lines.fileno())
        self.file = status.st_dev, status.st_ino
        bootstrap.files.add(self.file)  # it is not the notebook's
        restore = child.keep()
        self.surface = keeping.surface_of(tracer) if asked["waits"] else None
        self.pid = fork.forked()
        if self.pid == 0:
            try:
                _live(tracer, asked, self.surface, self.lines.fileno(), restore)
            finally:
                os._exit(1)  # two kernels must not go on

    def collect(self, wait_s: float, *, stop: bool) -> Kept:
        """Return what is kept by now; wait for the rest as long as it is said.

        What the child is kept from by other work on the machine is not counted.
        """
        watch, until, waited_s = fork.Watch(self.pid), time.monotonic() + wait_s * SLOWER, 0.0
        began_s, pause_s = watch.cpu_s(), 0.001
        while not self.kept["done"]:
            if self._has_ended(os.WNOHANG):
                break
            spent_s = watch.cpu_s() - began_s + waited_s
            if spent_s >= wait_s or time.monotonic() >= until:
                if not stop:
                    break
                with contextlib.suppress(OSError):
                    os.kill(self.pid, signal.SIGKILL)
                self._has_ended(0)
                break
            time.sleep(pause_s)
            waited_s += pause_s if watch.is_waiting() else 0.0
            pause_s = min(2 * pause_s, 0.01)
        if self.lines is not None:
            self._read()
        return self.kept

    def _has_ended(self, options: int) -> bool:
        """Take in how the child ended, if it has."""
        try:
            pid, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # the notebook reaps all children itself
            self.kept["done"] = True
            return True
        if pid:
            self.kept["done"] = True
            self.kept["cost_s"] = used.ru_utime + used.ru_stime
            if fork.is_stopped(status):
                self.kept["cause"] = f"{NOT_DONE} {self.limit_s:g} s"
            elif status:
                self.kept["cause"] = fork.death(status)
        return bool(pid)

    def _read(self) -> None:
        """Take in the lines that are whole by now."""
        size = os.fstat(self.lines.fileno()).st_size
        *whole, _ = os.pread(self.lines.fileno(), size, 0).split(b"\n")
        answers: list[Any] = [json.loads(line) for line in whole]
        self.kept["covariables"] = [about for about in answers if "names" in about]
        causes = [about["cause"] for about in answers if "names" not in about]
        self.kept["cause"] = causes[0] if causes else self.kept["cause"]
        if self.kept["done"]:
            self.lines.close()
            self.lines = self.surface = None  # not before: that would write into shared pages
            bootstrap.files.discard(self.file)


# ------------------------------------------------------------------ the child's side


def _live(
    tracer: Any, asked: KeepQuestion, surface: Surface | None, lines: int, restore: Any
) -> None:
    """Keep what is asked for, and end the process."""
    try:
        restore()
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        seal.close_off((lines, nowhere), _all_s(asked), [], asked["folder"])
        seal.quiet_pools()
        seal.end_after(_MOST_TIMES * _all_s(asked) + _SETUP_S)
        gate = _Gate(asked["folder"], asked["limit_s"])
        seal.guard(gate.refuse)
        surface = surface or keeping.surface_of(tracer)
        for about in keeping.kept(tracer, asked, gate.write, surface):
            _tell(lines, about)
    except BaseException as error:  # nothing may go back up into the kernel's own loop
        with contextlib.suppress(BaseException):
            _tell(lines, {"cause": f"nothing more could be kept: {error!r}"})
    finally:
        os._exit(0)


class _Gate:
    """Lets through what we write ourselves, and nothing that values do as they are pickled."""

    def __init__(self, folder: str, limit_s: float) -> None:
        self._folder, self._is_open = folder, False
        self._until_s = time.process_time() + limit_s

    def write(self, data: Any) -> KeptFile:
        """Write bytes to a file of the folder, compressed where there is time for it."""
        self._is_open = True
        may_take_s = _PACKING_SHARE * (self._until_s - time.process_time())
        try:
            return blobs.write(self._folder, data, pack_s=may_take_s)
        finally:
            self._is_open = False

    def refuse(self, cause: str) -> None:
        """Stop what a value is about to do."""
        if not self._is_open:
            raise pickling.Refused(cause)


def _tell(way: int, about: CoVariable | dict[str, str]) -> None:
    os.write(way, json.dumps(about).encode() + b"\n")
