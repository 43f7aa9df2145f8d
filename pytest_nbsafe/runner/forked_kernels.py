"""Kernels that are forked: a process that has ipykernel loaded starts one in a few milliseconds.

One such process, a fork server, serves all kernels of this program that start with the same command
in the same environment. Where kernels cannot be forked they start on their own: slower, and the
same.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from pytest_nbsafe.runner import leftovers
from pytest_nbsafe.runner.installed_kernels import command_of
from pytest_nbsafe.runner.provision import environ_with
from pytest_nbsafe.values import dataclass

ANSWER_LIMIT_S = 60.0
SLOTS = 3
"""A notebook seldom needs more kernels; those that follow start on their own."""
_MOST_SERVERS = 2 * SLOTS
_PROGRAM = ("-m", "ipykernel_launcher")
_OF_ONE_KERNEL = frozenset(
    {leftovers.MARK, "TMPDIR", "TEMP", "TMP", "PYTEST_CURRENT_TEST", "IPYTHONDIR"}
)
"""Variables that nothing reads before a kernel is up; any other asks for another server."""
_ROOM = "x" * 200
"""What stands for the mark in the environment of a server; no mark is longer."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel is started; those of different slots have no random choice of Python in common.

    Forks of one server have its hash seed, and their objects lie at similar addresses.
    """

    command: Sequence[str]
    environ: Mapping[str, str]
    cwd: str
    log: str
    slot: int


class _GoneError(Exception):
    """A fork server does not answer."""


class _Server:
    """A fork server; it ends, with all its kernels, when this program does."""

    def __init__(self, python: str, options: Sequence[str], environ: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        program = resources.files(__package__).joinpath("fork_server.py").read_text("utf-8")
        ours.settimeout(ANSWER_LIMIT_S)
        self._lines = ours.makefile("rw", encoding="utf-8", newline="\n")
        self._channel = ours
        atexit.register(self.close)
        self._lock = threading.Lock()
        self._hinder: str | None = None
        self.kernels = 0
        with theirs:
            self._process = subprocess.Popen(
                [python, *options, "-c", program, str(theirs.fileno()), leftovers.MARK],
                env={**environ, leftovers.MARK: _ROOM},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def fork(self, launch: Launch, arguments: Sequence[str]) -> int | None:
        """Return the process of a new kernel, None where none can be forked."""
        with self._lock:
            if self._hinder is None:
                self._hinder = self._answer()
            if self._hinder:
                return None
            umask = os.umask(0)
            os.umask(umask)
            process: int = self._ask(
                command=list(launch.command),
                arguments=list(arguments),
                environ=dict(launch.environ),
                mark=launch.environ.get(leftovers.MARK, ""),
                cwd=str(Path(launch.cwd).absolute()),
                umask=umask,
                log=launch.log,
            )
            self.kernels += 1
            return process

    def ended(self, process: int) -> int | None:
        """Return how a kernel ended, as `subprocess` counts, None while it runs."""
        with self._lock:
            try:
                status: int | None = self._ask(poll=process)
            except _GoneError:  # and with it the kernel
                status = -signal.SIGKILL
            self.kernels -= status is not None
            return status

    def close(self) -> None:
        """End the server and its kernels; safe to call twice."""
        with contextlib.suppress(OSError):  # it is gone already
            self._lines.close()
        self._channel.close()
        self._process.wait()
        atexit.unregister(self.close)

    def _ask(self, **question: Any) -> Any:
        try:
            self._lines.write(json.dumps(question) + "\n")
            self._lines.flush()
        except (OSError, ValueError) as error:
            raise _GoneError from error
        return self._answer()

    def _answer(self) -> Any:
        try:
            return json.loads(self._lines.readline())
        except (OSError, ValueError) as error:  # nothing at all is no JSON either
            raise _GoneError from error


class ForkedKernel:
    """The process of a forked kernel, with what is used of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, server: _Server, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._server = server

    def poll(self) -> int | None:
        """Return how it ended, None while it runs."""
        if self.returncode is None:
            self.returncode = self._server.ended(self.pid)
        return self.returncode

    def wait(self) -> int | None:
        """Return how it ended: what waits for it has polled before."""
        return self.poll()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


_servers: dict[tuple[object, ...], _Server] = {}
_lock = threading.Lock()


def fork(launch: Launch) -> ForkedKernel | None:
    """Return a kernel that was forked, None where it has to start on its own."""
    server = _server_of(launch.command, launch.environ, launch.slot)
    if server is None or not _may_show(launch.environ.get(leftovers.MARK, "")):
        return None
    options = _options(launch.command) or ()
    try:
        process = server.fork(launch, launch.command[len(options) + len(_PROGRAM) + 1 :])
    except _GoneError:
        process = None
    return None if process is None else ForkedKernel(server, process)


def begin(kernel: str, given: Mapping[str, str], slot: int) -> None:
    """Let the server come up that a kernel will be asked of, which is given these variables."""
    command = command_of(kernel)
    if command:
        _server_of(command, environ_with(given), slot)


def _server_of(command: Sequence[str], environ: Mapping[str, str], slot: int) -> _Server | None:
    """Return the server of such kernels; None where there are too many, or it cannot start."""
    options = _options(command)
    if options is None or slot >= SLOTS or not _may_fork(environ):
        return None
    shared = {name: text for name, text in environ.items() if name not in _OF_ONE_KERNEL}
    python = command[0]
    key = os.getpid(), slot, python, *options, frozenset(shared.items())
    with _lock:
        if key not in _servers and _has_room():
            try:
                _servers[key] = _Server(python, options, shared)
            except OSError:  # what is to run cannot: the kernel will say so
                return None
        return _servers.get(key)


def close_idle() -> None:
    """End the servers that have no kernel; they start again when one is asked for."""
    with _lock:
        for key in [key for key, server in _servers.items() if not server.kernels]:
            _servers.pop(key).close()


def _has_room() -> bool:
    """Return whether there may be one more server, if need be in place of one that is idle."""
    if len(_servers) < _MOST_SERVERS:
        return True
    idle = next((key for key, server in _servers.items() if not server.kernels), None)
    if idle is None:
        return False
    _servers.pop(idle).close()
    return True


def _options(command: Sequence[str]) -> Sequence[str] | None:
    """Return what stands between Python and ipykernel, None if it is another kernel."""
    options: list[str] = []
    for at, part in enumerate(command[1:], start=1):
        if tuple(command[at : at + len(_PROGRAM)]) == _PROGRAM:
            return options
        if not part.startswith("-X"):
            return None
        options.append(part)
    return None


def _may_fork(environ: Mapping[str, str]) -> bool:
    """Return whether a fork can be as a kernel that starts on its own.

    A path of PYTHONPATH that is not absolute would count from another folder.
    """
    paths = environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = paths == [""] or all(Path(path).is_absolute() for path in paths)
    return sys.platform == "linux" and absolute


def _may_show(mark: str) -> bool:
    """Return whether there is room for the mark of a kernel in the environment of its server."""
    return len(os.fsencode(mark)) <= len(_ROOM)
