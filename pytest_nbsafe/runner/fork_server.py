"""The program that forks kernels: it has ipykernel loaded, and each fork of it becomes a kernel.

It runs in the Python of the kernels, which need not be ours: it imports nothing of ours, and is
sent as text. It is given the number of a socket, and the variable whose value each kernel has to
show. Over the socket it first says why it cannot be forked, if so, then answers a line with a line,
until the other side is gone; then all its kernels end.
"""

from __future__ import annotations

import sys

if not sys.path[0]:
    del sys.path[0]  # the folder in which it runs, which is not to be imported from

import ctypes
import gc
import importlib.util
import json
import os
import runpy  # noqa: F401  # a kernel that starts with -m has it loaded
import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import IO

PROGRAM = "ipykernel_launcher"
LOADS = (
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "ipykernel.debugger"),
    *("ipykernel.subshell_manager", "ipykernel.shellchannel", "IPython.core.completerlib"),
    *("sqlite3", "tornado.platform.asyncio"),
)
"""What every kernel loads before its first cell; what a version of ipykernel lacks is left out."""
PARENT = "JPY_PARENT_PID"
"""By this a kernel knows whose end is its own; it is read when ipykernel is loaded."""
_ENV_START = 47
"""Which entry of /proc/self/stat it is after the program's name: the 50th of all, see proc(5)."""


def serve(channel: socket.socket) -> dict[str, Any]:
    """Fork kernels as long as somebody asks for them; a fork returns what it is to become."""
    lines = channel.makefile("rw", encoding="utf-8", newline="\n")
    os.environ[PARENT] = str(os.getpid())
    given = dict(os.environ)
    gc.disable()
    for name in LOADS:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    # What stays as it is need not be looked at by each collection, nor copied for it; what the
    # user's cells make is collected as ever.
    gc.freeze()
    gc.enable()
    added = {name: text for name, text in os.environ.items() if given.get(name) != text}
    _say(lines, _hindrance())
    kernels: set[int] = set()
    for line in lines:
        asked: dict[str, Any] = json.loads(line)
        if "poll" in asked:
            _say(lines, _ended(asked["poll"], kernels))
            continue
        kernel = os.fork()
        if not kernel:
            lines.close()
            channel.close()
            asked["environ"].update(added)
            asked["environ"][PARENT] = given[PARENT]
            return asked
        kernels.add(kernel)
        _say(lines, kernel)
    for kernel in kernels:
        try:
            os.killpg(kernel, signal.SIGKILL)
        except OSError:
            continue
    os._exit(0)


def become(asked: dict[str, Any], address: int, room: int) -> None:
    """Be the process that was asked for, as if it had been started on its own."""
    os.setsid()
    os.chdir(asked["cwd"])
    os.umask(asked["umask"])
    ctypes.memmove(address, os.fsencode(asked["mark"]).ljust(room, b"\0")[:room], room)
    os.environ.clear()
    os.environ.update(asked["environ"])
    time.tzset()
    nothing, end = os.pipe()
    os.close(end)
    log = os.open(asked["log"], os.O_WRONLY)
    for source, targets in ((nothing, (0,)), (log, (1, 2))):
        for target in targets:
            os.dup2(source, target)
        os.close(source)
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, asked["cwd"])  # as -m does, and the program takes it out


def run(command: list[str], arguments: list[str]) -> None:
    """Run the program of a kernel as `python -m` does, with as many frames above it."""
    spec: Any = importlib.util.find_spec(PROGRAM)
    sys.orig_argv = command
    sys.argv = [spec.origin, *arguments]
    main = sys.modules["__main__"] = importlib.util.module_from_spec(spec)
    main.__name__ = "__main__"
    exec(spec.loader.get_code(PROGRAM), vars(main))  # noqa: S102  # it is ipykernel's own


def _hindrance() -> str:
    """Return why this process cannot be forked, empty when it can."""
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        return "it has threads"
    for name in ("sitecustomize", "usercustomize"):
        if name in sys.modules:
            return name + " may count on a process of its own"
    return ""


def _ended(kernel: int, kernels: set[int]) -> int | None:
    """Return how a kernel ended, as `subprocess` counts, None if it has not."""
    try:
        process, status = os.waitpid(kernel, os.WNOHANG)
    except ChildProcessError:
        return 0
    if not process:
        return None
    kernels.discard(kernel)
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _room(variable: str) -> tuple[int, int]:
    """Return where the value of a variable stands that others read, and how long it may be.

    What is read in /proc is what stood in the environment when the process started.
    """
    environ = Path("/proc/self/environ").read_bytes()
    start = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[_ENV_START])
    entry = (variable + "=").encode()
    at = environ.index(entry) + len(entry)
    return start + at, environ.index(b"\0", at) - at


def _say(lines: IO[str], answer: object) -> None:
    lines.write(json.dumps(answer) + "\n")
    lines.flush()


def main() -> tuple[list[str], list[str]]:
    """Serve; a fork returns the command that it stands for, and the arguments in it."""
    address, room = _room(sys.argv[2])
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    become(asked, address, room)
    return asked["command"], asked["arguments"]


if __name__ == "__main__":
    run(*main())
