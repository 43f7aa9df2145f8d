"""What a run does outside of its folder, which no copy keeps off: other files, the network."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .. import audit
from ..contract import OUTSIDE
from .incidents import Watch

_VERBS = {
    "os.remove": "removes", "os.rename": "renames", "os.rmdir": "removes", "os.mkdir": "makes",
    "os.truncate": "writes", "shutil.rmtree": "removes", "shutil.move": "moves",
    "sqlite3.connect": "opens",
}  # fmt: skip
"""Events whose first argument names what is touched, and the verb for it."""
_MOST = 20


class OutsideEffects:
    """Notes what happens outside of a folder as incidents, each once in a run.

    What lies in folders for temporary files, devices and hidden folders of the user (caches and
    settings) is nobody's result.
    """

    def __init__(self, watch: Watch, folder: str) -> None:
        self._watch = watch
        self._inside = (folder, tempfile.gettempdir(), "/dev", "/proc", sys.prefix)
        self._home = os.path.expanduser("~")  # noqa: PTH111  # texts throughout
        self._known: set[tuple[int, str]] = set()
        self._host = ""
        self._process = os.getpid()

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._saw, _EVENTS)

    def _saw(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._watch.run or os.getpid() != self._process:
            return
        if event == "socket.getaddrinfo":
            self._host = str(args[0])
        elif event == "socket.connect":
            address = args[1]
            if isinstance(address, tuple) and not _is_this_machine(str(address[0])):
                self._note(f"connects to {self._host or address[0]}")
        elif event != "open":
            self._touches(_VERBS[event], args[0])
        else:
            file = audit.opened(args)
            if file is not None and file.writes:
                self._touches("writes", file.path)

    def _touches(self, verb: str, path: Any) -> None:
        if isinstance(path, int) or path == ":memory:":
            return
        real = os.path.realpath(os.fsdecode(path))
        if verb == "makes" and Path(real).is_dir():
            return
        hidden = real.startswith(f"{self._home}/.") or "/__pycache__" in real
        if not hidden and not any(_lies_in(real, folder) for folder in self._inside):
            self._note(f"{verb} {real}, which is outside of the notebook's folder")

    def _note(self, message: str) -> None:
        run = self._watch.run
        if (run, message) not in self._known and len(self._known) < _MOST:
            self._known.add((run, message))
            self._watch.note(OUTSIDE, self._watch.places.current_line(run), message)


_EVENTS = frozenset({"open", "socket.connect", "socket.getaddrinfo", *_VERBS})


def _is_this_machine(host: str) -> bool:
    return host.startswith("127.") or host in {"::1", "localhost", "0.0.0.0"}  # noqa: S104


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
