"""Why a run cannot be reused: what it asked of the world, and what it left running."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from .. import audit
from ..contract import Hindrance
from ..foreign_threads import foreign_threads
from .callers import Callers, frames, is_import
from .cell_hooks import is_any_of_cells
from .waiting_callbacks import waits_for_cells

_PROCESSES = (
    *("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn"),
    *("os.spawn", "pty.spawn", "os.startfile"),
)
_NETWORK = (
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"),
    *("urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect"),
)
_NATIVE = ("ctypes.dlopen", "ctypes.dlsym", "mmap.__new__")
_OF_THE_SYSTEM = ("/proc/", "/sys/")
_OF_CHANCE = ("/dev/random", "/dev/urandom", "/dev/hwrng")
_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")  # noqa: S104  # addresses to compare with
_OPEN = "_modified_open"
"""The `open` of cells, which IPython has made."""
_MADE_UP = (*_OF_THE_SYSTEM, *_OF_CHANCE)
_MOST = 20


class Hindrances:
    """The hindrances of the current run, each kind once a line."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._run = 0
        self.on = False
        self._goes_on = False
        self._notes: dict[tuple[str, int, str], None] = {}

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._process, _PROCESSES)
        audit.listen(self._network, _NETWORK)
        audit.listen(self._native, _NATIVE)
        audit.listen(self._opened, ["open"])
        audit.listen(self._input, ["builtins.input"])

    def start(self, run: int) -> None:
        """Forget the last run, but for what it left running: that may still do anything."""
        self._notes, self._run, self.on = {}, run, True
        if self._goes_on:
            self.add("threads", "what a cell had started still ran when it began", 0)

    def stop(self) -> None:
        """Take no more notes of what happens, but for what is added."""
        self.on = False

    def add(self, kind: str, words: str, line: int | None = None) -> None:
        """Take note of a hindrance, at the line that is being executed or another."""
        if len(self._notes) < _MOST:
            line = self.line() if line is None else line
            self._notes[kind, line, words] = None

    def line(self) -> int:
        """Return the line of the cell that is being executed."""
        return self._callers.line(self._run)

    def all(self) -> list[Hindrance]:
        """Return what hinders the run from being reused."""
        return [{"kind": kind, "line": line, "words": words} for kind, line, words in self._notes]

    # ------------------------------------------------------------ while it runs

    def _process(self, _event: str, _args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        through_pool = False
        for frame in frames():
            if is_import(frame):  # a library looks at the machine
                return
            if self._callers.is_users(frame):
                break
            is_pool = self._callers.is_pool(frame)
            through_pool |= is_pool
            if through_pool and not is_pool and not self._callers.is_pythons(frame):
                return  # a library shares its own work out
        self.add("subprocess", "it starts another process")

    def _network(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in {"socket.connect", "socket.sendto"}:
            address = args[1]
            host = str(address[0]) if isinstance(address, tuple) and address else ""
            if not host or (host.startswith(_LOCAL) and self._is_pools()):
                return
        elif event == "urllib.Request":
            if str(args[0]).startswith(("file:", "data:")):
                return
        elif self._is_pools() or self._callers.is_kernels():
            return
        self.add("network", "it uses the network")

    def _is_pools(self) -> bool:
        """Tell whether processes of one pool talk with each other."""
        return any(
            str(frame.f_globals.get("__name__", "")).startswith("multiprocessing")
            or self._callers.is_pool(frame)
            for frame in frames()
        )

    def _native(self, event: str, _args: tuple[Any, ...]) -> None:
        if self.on and self._callers.is_users(self._callers.beyond_python()):
            words = "it maps a file into memory" if "mmap" in event else "it calls compiled code"
            self.add("native", words)

    def _opened(self, _event: str, args: tuple[Any, ...]) -> None:
        """Take note of a file that the system makes up as it is read, where a cell reads it."""
        path = args[0]
        if not self.on or type(path) is not str or not path.startswith(_MADE_UP):
            return
        beyond = (frame for frame in frames() if not self._callers.is_pythons(frame))
        asker = next((frame for frame in beyond if frame.f_code.co_name != _OPEN), None)
        if self._callers.is_users(asker):
            if path in _OF_CHANCE:
                self.add("unseeded", "it draws random numbers that nothing seeded")
            else:
                self.add("clock", "it reads what the system tells of itself")

    def _input(self, _event: str, _args: tuple[Any, ...]) -> None:
        if self.on:
            self.add("input", "it asks its user")

    # ------------------------------------------------------------ at its end

    def look_at_what_runs(self, shell: Any) -> None:
        """Take note of what cells have started and goes on, and of what runs around all cells."""
        self._goes_on = False
        if is_any_of_cells(shell, self._callers.is_users_file):
            self._goes_on = True
            self.add("threads", "code of a cell is called around each cell", 0)
        for thread in foreign_threads():
            if self._works_for_cells(thread):
                self._note_running("thread")
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # none runs in this thread
            return
        if waits_for_cells(loop, shell.user_ns, self._callers.is_users_file):
            self._note_running("callback")
        for task in asyncio.all_tasks(loop):
            code = getattr(task.get_coro(), "cr_code", None)
            if code is not None and self._callers.is_users_file(code.co_filename):
                self._note_running("task")

    def _note_running(self, what: str) -> None:
        self._goes_on = True
        self.add("threads", f"a {what} that a cell started still runs, or waits", 0)

    def _works_for_cells(self, thread: Any) -> bool:
        """Tell whether a thread runs code of a cell or of the project, now."""
        frame = sys._current_frames().get(thread.ident)  # noqa: SLF001  # what else tells
        while frame is not None:
            if self._callers.is_users(frame):
                return True
            frame = frame.f_back
        called = getattr(thread, "_target", None) or getattr(thread, "function", None)
        code = getattr(called, "__code__", None)
        return code is not None and self._callers.is_users_file(code.co_filename)
