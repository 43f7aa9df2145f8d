"""The temporary folder of a notebook: what its kernels leave there is counted and removed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping

from pytest_nbsafe.runner import own_folders
from pytest_nbsafe.sentences import listed, many
from pytest_nbsafe.values import dataclass

_SHORT = "/tmp"  # noqa: S108  # a private folder is made in it
_LONGEST = 71
"""Bytes of a folder in which `multiprocessing` can still make its sockets (macOS: 104 in all)."""
_OF_PYTHON = "pymp-"
"""How the folders begin that `multiprocessing` makes for its sockets."""
_ADDED = len("/nbsafe-12345678/tmp")


@dataclass(frozen=True, slots=True)
class Left:
    """What a kernel has left: processes, and in its temporary folder files and folders."""

    processes: int = 0
    files: int = 0
    folders: int = 0

    def __str__(self) -> str:
        """Return what became of it, empty where nothing was left."""
        ended = many(self.processes, "process", "processes")
        counts = ((self.files, "file"), (self.folders, "folder"))
        removed = listed([many(count, noun) for count, noun in counts if count])
        parts = (
            f"ended {ended}" if self.processes else "",
            f"removed {removed} in the temporary folder" if removed else "",
        )
        said = " and ".join(filter(None, parts))
        return said and f"the notebook left something behind: {said}"


class TemporaryFolder:
    """Where all kernels of one notebook put temporary files: each finds it empty.

    Its path is the same for all of them, and `hide` makes of it what a run without it would show.
    `left` is the most that one of the kernels has left.
    """

    def __init__(self) -> None:
        self.left = Left()
        plain = tempfile.gettempdir()
        parent = _parent(plain)
        self._own = own_folders.OwnFolder(parent)
        self._path = self._own.path / "tmp"
        self._path.mkdir(own_folders.PRIVATE)
        path = str(self._path)
        shown = ((path, plain),) if parent != plain else ()
        self._shown = [*shown, (path[len(parent) :], "")]  # the same behind another name of parent

    @property
    def environ(self) -> Mapping[str, str]:
        """What leads a kernel, and all that it starts, here."""
        return {"TMPDIR": str(self._path)} if os.name == "posix" else {}

    def hide(self, message: bytes) -> bytes:
        """Return a part of a message of a kernel, with the plain temporary folder in place of this.

        It is done here, once for outputs, tracebacks and values alike.
        """
        for here, plain in self._shown:
            message = message.replace(here.encode(), plain.encode())
        return message

    def empty(self, processes: int) -> None:
        """Note what a kernel has left, the processes that were ended too, and remove it."""
        folders = files = 0
        with contextlib.suppress(OSError), os.scandir(self._path) as entries:
            are_folders = [
                entry.is_dir(follow_symlinks=False)
                for entry in entries
                if not entry.name.startswith(_OF_PYTHON)
            ]
            folders = are_folders.count(True)
            files = len(are_folders) - folders
        own_folders.remove(self._path)
        self._path.mkdir(own_folders.PRIVATE, exist_ok=True)
        left = self.left
        self.left = Left(
            max(left.processes, processes), max(left.files, files), max(left.folders, folders)
        )

    def close(self) -> None:
        """Remove the folder; safe to call twice."""
        self._own.close()


def _parent(plain: str) -> str:
    """Return where to make the folder: in /tmp where only that leaves room for sockets."""
    too_long = len(os.fsencode(plain)) <= _LONGEST < len(os.fsencode(plain)) + _ADDED
    usable = plain.isascii() and not {'"', "\\"} & {*plain}  # it is put into JSON
    writable = os.name == "posix" and os.access(_SHORT, os.W_OK | os.X_OK)
    return _SHORT if too_long and usable and writable else plain
