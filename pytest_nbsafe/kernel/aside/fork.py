"""Runs cells on the side: in a forked child of the kernel, which cannot touch anything else.

The child is what the kernel is now, so that it answers "and if these cells ran again?". The kernel
itself is left as it was: what the child prints, shows and makes comes back through a pipe.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from .. import bootstrap
from ..adapters import adapter_of, answers, names
from ..contract import NOT_DONE, SLOWER, Answer, HostQuestion, no_answer
from ..foreign_threads import foreign_threads
from ..functions.reach import WORD
from . import child, in_place, orphans, seal

ANSWER_LIMIT = 64 * 1024 * 1024
RAW_LIMIT = 1_000_000
_CHUNK = 1 << 16
_PATIENCE_S = 0.1


def ask(question: str) -> None:
    """Answer a question of the host; the answer leaves with the reply to its request."""
    answer = run(bootstrap.tracers[-1], json.loads(question))
    bootstrap.answer(json.dumps(answer, default=child.plain))


def run(tracer: Any, asked: HostQuestion) -> Answer:
    """Return the answer of a child that ran the cells; or why there is none."""
    if asked["way"] == "look":
        return {**no_answer(), "shown": child.shown(tracer.home, WORD.findall(asked["cells"][-1]))}
    if asked["way"] == "here":
        return in_place.run(tracer, asked)
    if asked["way"] == "held":
        held = _held.pop(asked["at"], None)
        return no_answer("nothing was held there") if held is None else held.ask(asked)
    cause = obstacle()
    if cause:
        return no_answer(cause, elsewhere=True)
    if asked["follow"]:
        with contextlib.suppress(Exception):  # the child tells of it
            from ..parts import follower  # noqa: F401  # here, so that not each child loads it
    try:
        if asked["way"] == "hold":
            _held[asked["at"]] = _Held(tracer, asked["limit_s"])
            return no_answer()
        return _followed(tracer, asked)
    except OSError as error:
        return no_answer(f"the kernel could not be forked: {error}", elsewhere=True)


def _followed(tracer: Any, asked: HostQuestion) -> Answer:
    """Return the answer of a child; of another one where the first had too much to follow.

    So there is one child more than there are cells at most.
    """
    cost_s = 0.0
    while True:
        answer = _Fork(asked["limit_s"]).answer(tracer, asked)
        cost_s += answer["cost_s"]
        if answer["cause"] != child.TOO_MUCH:
            return {**answer, "cost_s": cost_s}
        child.unfollowed.add(asked["cells"][len(answer["runs"])])


# ------------------------------------------------------------------ may it be forked?


def obstacle() -> str:
    """Return why this kernel cannot be forked safely, empty when it can."""
    if not hasattr(os, "fork"):
        return "this system cannot fork a kernel"
    if threading.current_thread() is not threading.main_thread():
        return "the kernel does not run cells in its main thread"
    for library in names:
        if library in sys.modules and not getattr(adapter_of(library), "MAY_BE_FORKED", True):
            return f"a kernel that has loaded {library} cannot be forked"
    if any(answers("uses_gpu")):
        return "a kernel that uses a GPU cannot be forked"
    for thread in foreign_threads():
        return f"the thread {thread.name!r} of the notebook is at work"
    return seal.shared_memory()


# ------------------------------------------------------------------ the parent's side


class _Fork:
    """One child: its two pipes, and what has come through them.

    It is given time to compute, and as much to wait. What it is kept from by other work on the
    machine is not counted.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.pid = 0
        self.fds: dict[str, int] = {}
        self.came = {"answer": bytearray(), "raw": bytearray()}
        self.status: int | None = None
        self.cpu_s = 0.0
        self.waited_s = 0.0
        self.adoption = orphans.Adoption()

    def answer(self, tracer: Any, asked: HostQuestion) -> Answer:
        """Fork, wait for the child's answer, and leave nothing of it behind."""
        try:
            self.adoption.begin()
            self._fork(lambda ways, restore: child.live(tracer, asked, ways, restore))
            late = self._listen()
        finally:
            self._end()
        return self._received(late=late)

    def _fork(self, live: Callable[[tuple[int, int], Callable[[], None]], None]) -> None:
        """Fork a child that does nothing but `live`, which is told the ways out."""
        restore = child.keep()
        for name in ("answer", "raw"):
            self.fds[name], self.fds[f"{name}-in"] = os.pipe()
            os.set_blocking(self.fds[name], False)
        self.pid = forked()
        if self.pid == 0:
            try:
                live((self.fds["answer-in"], self.fds["raw-in"]), restore)
            finally:
                os._exit(1)  # two kernels must not go on
        for name in ("answer-in", "raw-in"):
            os.close(self.fds.pop(name))

    def _listen(self) -> bool:
        """Take in what the child sends; tell whether its time ran out."""
        import select

        watch = Watch(self.pid)
        poll = select.poll()
        names = {self.fds[name]: name for name in ("answer", "raw")}
        for fd in names:
            poll.register(fd, select.POLLIN)
        until = time.monotonic() + self.limit_s * SLOWER
        while names and not _is_whole(self.came["answer"]):
            left = until - time.monotonic()
            if left <= 0 or self.waited_s > self.limit_s:
                return True
            ready = poll.poll(min(left, _PATIENCE_S) * 1000)
            for fd, _ in ready:
                if not self._read(fd, names[fd]):
                    poll.unregister(fd)
                    del names[fd]
            if not ready and self._is_gone():
                break
            if not ready and watch.is_waiting():
                self.waited_s += _PATIENCE_S
        return False

    def _read(self, fd: int, name: str) -> bool:
        """Read what there is; False when no more will come."""
        limit = ANSWER_LIMIT if name == "answer" else RAW_LIMIT
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return True
        came = self.came[name]
        came += data[: max(0, limit - len(came))]
        return bool(data)

    def _is_gone(self) -> bool:
        """Tell whether the child has ended, though something it started may hold the pipe."""
        if self.status is None:
            self._reap(os.WNOHANG)
        return self.status is not None

    def _end(self) -> None:
        """Kill what is left of the child, reap it and close the pipes."""
        if self.pid > 0:
            _kill_group(self.pid)
            if self.status is None:
                self._reap(0)
        self.adoption.end()
        if "raw" in self.fds:
            _drain(self.fds["raw"], self.came["raw"])
        for fd in self.fds.values():
            os.close(fd)
        self.fds.clear()

    def _reap(self, options: int) -> None:
        """Take in how the child ended, and how long it computed, if it has."""
        try:
            pid, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # the notebook reaps all children itself
            self.status = 0
            return
        if pid:
            self.status, self.cpu_s = status, used.ru_utime + used.ru_stime

    def _received(self, *, late: bool) -> Answer:
        """Return the child's answer with what it wrote past Python, or why there is none."""
        came = self.came["answer"]
        if late or (not _is_whole(came) and is_stopped(self.status)):
            answer = no_answer(f"{NOT_DONE} {self.limit_s:g} s")
        elif not _is_whole(came):
            answer = no_answer(death(self.status))
        else:
            answer = json.loads(came[child.HEAD :])
            answer["raw"] = bytes(self.came["raw"]).decode("utf-8", "replace")
        return {**answer, "cost_s": self.cpu_s + self.waited_s}


class Watch:
    """Tells of another process whether it computes."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ticks = -1

    def is_waiting(self) -> bool:
        """Tell whether it waits, and has since the last time, and not only for its turn.

        Where the system does not tell (only Linux does), what takes time is taken for waiting.
        """
        before = self._ticks
        state, self._ticks = self._told()
        return state != b"R" and self._ticks == before

    def cpu_s(self) -> float:
        """Return how long it has computed, 0 where the system does not tell."""
        return self._told()[1] / os.sysconf("SC_CLK_TCK")

    def _told(self) -> tuple[bytes, int]:
        try:
            with open(f"/proc/{self._pid}/stat", "rb") as about:  # noqa: PTH123  # quick
                state, *fields = about.read().rpartition(b")")[2].split()
        except OSError:
            return b"", 0
        return state, int(fields[10]) + int(fields[11])


class _Held(_Fork):
    """A child that stays what the kernel was when it was forked, until it is asked.

    It ends with the kernel, or with the way in, whichever ends first.
    """

    def __init__(self, tracer: Any, limit_s: float) -> None:
        super().__init__(limit_s)
        way_in, self.fds["question"] = os.pipe()
        try:
            self._fork(lambda ways, restore: child.wait(tracer, way_in, ways, restore))
        except BaseException:
            self._end()
            raise
        finally:
            os.close(way_in)

    def ask(self, asked: HostQuestion) -> Answer:
        """Let it run the cells, wait for its answer, and leave nothing of it behind."""
        self.limit_s = asked["limit_s"]
        try:
            self.adoption.begin()
            with contextlib.suppress(BrokenPipeError):  # that it is gone is told
                child.write(self.fds["question"], json.dumps(asked).encode())
            late = self._listen()
        finally:
            self._end()
        return self._received(late=late)


_held: dict[int, _Held] = {}
"""Children that wait, by the number that the host gave them."""


def forked() -> int:
    """Fork, without the warning of Python 3.12 that there are threads.

    The filter is taken in and out by hand: `catch_warnings` would make the notebook's own
    warnings show a second time.
    """
    seal.pause_pools()
    quiet = ("ignore", None, DeprecationWarning, None, 0)
    filters: Any = warnings.filters
    filters.insert(0, quiet)
    try:
        return os.fork()
    finally:
        filters.remove(quiet)


def _is_whole(came: bytearray) -> bool:
    if len(came) < child.HEAD:
        return False
    return len(came) >= child.HEAD + int.from_bytes(came[: child.HEAD], "big")


def is_stopped(status: int | None) -> bool:
    """Tell whether a child was ended because it computed or waited for as long as it may."""
    stops = (signal.SIGXCPU, signal.SIGPROF, signal.SIGALRM)
    return status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) in stops


def _kill_group(leader: int) -> None:
    """Kill the child and all that it started; its group may not be made yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(leader, signal.SIGKILL)
        except OSError:
            continue


def _drain(fd: int, came: bytearray) -> None:
    """Take in the rest of what was written past Python."""
    while len(came) < RAW_LIMIT:
        try:
            data = os.read(fd, _CHUNK)
        except OSError:
            return
        if not data:
            return
        came += data


def death(status: int | None) -> str:
    """Return how the child ended that did not answer."""
    if status is not None and os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"it was killed by {name}"
    code = os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else 0
    return f"it ended the process with code {code}"
