"""Where a kernel's files lie, how one talks to it, and what its death says."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from pytest_nbsafe.runner.own_folders import OwnFolder

_FATAL = ("Fatal ", "the cell ")
"""How a line begins that says why a kernel ended: Python's own, and what the kernel's part says."""
_LAST_BYTES = 2_000
_NO_DEBUGGER_WARNINGS = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
_SOCKET_PATH_LIMIT = 90  # sun_path holds 104 bytes on macOS, 108 on Linux; a suffix is added


class KernelFolder:
    """A temporary folder for one kernel: connection file, sockets, and what it prints itself.

    `log` takes the standard streams of the process, which hold what ipykernel does not forward:
    start-up errors and the last words of a crash.
    """

    def __init__(self) -> None:
        self._own = OwnFolder(_short_root())
        self.path = self._own.path
        self._log_path = self.path / "log"
        self.log: IO[bytes] = self._log_path.open("wb")

    @property
    def transport(self) -> str:
        """`ipc` where the system has Unix sockets and the path is short enough, else `tcp`."""
        short = len(os.fsencode(self.path / "k-12345")) < _SOCKET_PATH_LIMIT
        return "ipc" if os.name == "posix" and sys.platform != "cygwin" and short else "tcp"

    @property
    def connection_file(self) -> Path:
        """Tells where to talk to the kernel."""
        return self.path / "kernel.json"

    def apply(self, manager: Any) -> None:
        """Let a kernel manager put its connection file and sockets here."""
        manager.connection_file = str(self.connection_file)
        if self.transport == "ipc":
            manager.transport = "ipc"
            manager.ip = str(self.path / "k")

    def last_line(self) -> str:
        """Return the line that says most of the last printed: what was fatal, else the last.

        A thread of the kernel may still warn of what has already ended it.
        """
        try:
            self.log.flush()
            text = self._log_path.read_bytes()[-_LAST_BYTES:].decode("utf-8", "replace")
        except (OSError, ValueError):
            return ""
        lines = text.strip().splitlines() or [""]
        return next((line for line in reversed(lines) if line.startswith(_FATAL)), lines[-1])

    def close(self) -> None:
        """Remove the folder; safe to call twice."""
        self.log.close()
        self._own.close()


def environ_with(given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a kernel that is given these variables."""
    return {**os.environ, **given, **_NO_DEBUGGER_WARNINGS}


def death(code: int | None) -> str:
    """Return how a process ended, as a fragment: "killed by SIGKILL, ..." or "exit code 1"."""
    if code is None:
        return "it does not answer any more"
    if code >= 0:
        return f"the kernel exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hints = {
        "SIGXCPU": ", for it computed for too long",
        "SIGKILL": ", perhaps because memory ran out",
        "SIGSEGV": ", a crash inside compiled code",
        "SIGABRT": ", a crash inside compiled code",
    }
    return f"the kernel was killed by {name}{hints.get(name, '')}"


def kill_group(leader: int | None) -> None:
    """Kill a kernel's process group: itself (not yet reaped) and commands it started."""
    if leader is None or not hasattr(os, "killpg"):
        return
    try:
        if os.getpgid(leader) == leader:
            os.killpg(leader, signal.SIGKILL)
    except OSError:
        return


def _short_root() -> str | None:
    """Return a short folder for sockets; the system's own when there is no /tmp to write to."""
    root = "/tmp"  # noqa: S108  # mkdtemp makes a private folder in it; TMPDIR may be too long
    return root if os.name == "posix" and os.access(root, os.W_OK | os.X_OK) else None
