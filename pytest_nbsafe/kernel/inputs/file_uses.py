"""Which files and folders a run asks for, and which it writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from typing import Any

from .. import audit
from ..contract import FileRead
from ..hashes_contract import FOLDER, hash_at, hash_of_names_in
from ..installed_files import UsersFiles
from .callers import asks_for_imports
from .real_paths import real_path

_MOST = 20_000
_LONGEST = 1024
"""Bytes of the longest path that macOS tells."""
_HERE = f"{os.sep}.{os.sep}"
_LISTS = ("os.listdir", "os.scandir")
_TOUCHES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
}
"""Where among the arguments of an event stand the paths that are written to, each with the place of
the open folder that it is below of: the number of that, -1 for none."""
_MODULES = (".py", *all_suffixes())
"""Files that are known as those of modules; others come with a module: an archive, data."""


class Asked:
    """What stood at a path when a run first asked for it: nothing where `status` is None.

    `digest` is the hash of it, None as long as the end of the run is early enough to take it. Where
    it was not `is_read`, the run has only asked whether it is there.
    """

    def __init__(self, status: os.stat_result | None) -> None:
        self.status = status
        self.is_read = False
        self.digest: str | None = None
        if status is None:
            self.digest = ""
        elif not stat.S_ISREG(status.st_mode):
            self.digest = FOLDER


class FileUses:
    """Files and folders of the user that the current run has asked for.

    A file is hashed at the end of the run, or before the run writes to it. `known` are all paths
    that were told of, `unseen` those that changed though nothing was told. `lost` tells that more
    were asked for than are followed.
    """

    def __init__(self, users_files: UsersFiles) -> None:
        self._users_files = users_files
        self._getcwd, self._stat = os.getcwd, os.stat
        self.on = False
        self.start()
        self.on = False

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._opened, ["open"])
        audit.listen(self._listed, _LISTS)
        audit.listen(self._touched, _TOUCHES)
        audit.listen(self._connected, ["sqlite3.connect"])

    def start(self) -> None:
        """Forget the last run."""
        self.on = True
        self.lost = False
        self.asked: dict[str, Asked] = {}
        self.folders: dict[str, str] = {}
        self.known: set[str] = set()
        self.unseen: list[str] = []
        self._pending: dict[tuple[int, int], list[str]] = {}
        self._written: dict[str, bool] = {}
        self._real_written: set[str] = set()

    # ------------------------------------------------------------ while it runs

    def ask(self, path: str, *, reads: bool = True) -> None:
        """Take note that the run asks for what is at an absolute path, to read it or not."""
        self.known.add(path)
        if path in self.asked:
            self.asked[path].is_read |= reads
            return
        if not self._users_files.is_users(path):
            return
        if len(self.asked) >= _MOST:
            self.lost = True
            return
        real = real_path(path)
        self.known.add(real)
        if real in self._real_written:
            return
        status = self._status(path)
        if status is None or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            self.asked[path] = asked = Asked(status)
            asked.is_read = reads
            if status is not None:
                self._pending.setdefault((status.st_dev, status.st_ino), []).append(path)

    def write(self, path: str) -> None:
        """Take note that the run is about to write to an absolute path."""
        self.known.add(path)
        if not self._users_files.is_users(path):
            return
        status = self._status(path)
        if status is not None:
            for other in self._pending.pop((status.st_dev, status.st_ino), ()):
                self._take(other)
        self._written.setdefault(path, os.path.lexists(path))
        self._real_written.add(real_path(path))

    def place(self, path: Any, folder: int = -1) -> str:
        """Return the absolute path of what was asked for, below an open folder or the present.

        Steps up stay: they lead elsewhere where a link stands before them.
        """
        base = self._getcwd() if folder < 0 else _path_of(folder)
        place = os.path.join(base, os.fsdecode(path)).replace(_HERE, os.sep)  # noqa: PTH118
        return place[:-2] if place.endswith(_HERE[:-1]) else place

    def _opened(self, _: str, args: tuple[Any, ...]) -> None:
        file = audit.opened(args) if self.on else None
        if file is None or self._users_files.is_installed(file.path):
            return
        path = self.place(file.path)
        if path.endswith(_MODULES) and asks_for_imports():
            self.known.add(path)
            return
        if file.reads or not file.anew:
            self.ask(path)
        if file.writes:
            self.write(path)

    def _listed(self, _: str, args: tuple[Any, ...]) -> None:
        if not self.on or isinstance(args[0], int):
            return
        path = self.place("" if args[0] is None else args[0])
        self.known.add(path.rstrip(os.sep) or os.sep)
        if not asks_for_imports():
            self.list_names(path)

    def list_names(self, path: str) -> None:
        """Take note that the run lists a folder."""
        folder = path.rstrip(os.sep) or os.sep
        if folder not in self.folders and self._users_files.is_users(folder):
            self.folders[folder] = hash_of_names_in(folder)

    def write_unseen(self, path: str, *, was_there: bool) -> None:
        """Take note that an absolute path was written to, too late to tell what was there."""
        if self._users_files.is_users(path):
            self._written.setdefault(path, was_there)
            self._real_written.add(real_path(path))
            asked = self.asked.get(path)
            if asked is not None and asked.digest is None:
                del self.asked[path]

    def _touched(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        for at, folder_at in _TOUCHES[event]:
            path = args[at]
            if not isinstance(path, int):
                place = self.place(path, -1 if folder_at is None else args[folder_at])
                if event == "os.mkdir":
                    self.ask(place, reads=False)
                    if os.path.isdir(place):  # noqa: PTH112  # it fails
                        continue
                self.write(place)

    def _connected(self, _: str, args: tuple[Any, ...]) -> None:
        path = database_path(args[0]) if self.on else ""
        if path:
            place = self.place(path)
            self.ask(place)
            self._take(place)  # it may be changed without a word

    def _take(self, path: str) -> None:
        """Take the hash of a file that was asked for as it is now."""
        asked = self.asked.get(path)
        if asked is not None and asked.digest is None:
            asked.digest = hash_at(path)

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return self._stat(path)
        except (OSError, ValueError):
            return None

    # ------------------------------------------------------------ at its end

    def stop(self) -> None:
        """Take no more notes."""
        self.on = False

    def files(self) -> Iterator[FileRead]:
        """Yield what the run asked for, and note what has changed though nothing was told."""
        for path, asked in sorted(self.asked.items()):
            if not self._users_files.is_users(path):  # so it turned out
                continue
            status = self._status(path)
            if path not in self._written and _differs(asked.status, status):
                self._written[path] = asked.status is not None
                if asked.digest is None and asked.is_read:
                    self.unseen.append(path)
            digest = hash_at(path) if asked.digest is None else asked.digest
            yield {"path": path, "real": real_path(path), "hash": digest}

    def written(self) -> list[str]:
        """Return what the run has written, without what it has made and removed again."""
        return sorted(
            path for path, was_there in self._written.items() if was_there or os.path.lexists(path)
        )


def _path_of(folder: int) -> str:
    """Return where an open folder lies, by its number.

    Raises:
        OSError: the system does not tell.

    """
    try:
        import fcntl
    except ImportError:  # Windows, where no path is below an open folder
        raise OSError from None
    asks = getattr(fcntl, "F_GETPATH", None)  # of macOS, which has no `/proc`
    if asks is None:
        return os.readlink(f"/proc/self/fd/{folder}")  # noqa: PTH115  # a text
    return os.fsdecode(fcntl.fcntl(folder, asks, bytes(_LONGEST)).rstrip(b"\0"))


def database_path(database: Any) -> str:
    """Return the path of the file of an SQLite database, "" where it is in memory."""
    path = os.fsdecode(database)
    if path.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        parts = urlsplit(path)
        if "mode=memory" in parts.query:
            return ""
        path = unquote(parts.path)
    return "" if path in {"", ":memory:"} else path


def _differs(before: os.stat_result | None, now: os.stat_result | None) -> bool:
    """Tell whether something else stands at a path; the time of a folder is not its own."""
    if before is None or now is None:
        return before is not now
    if stat.S_ISDIR(before.st_mode) and stat.S_ISDIR(now.st_mode):
        return False
    return _state(before) != _state(now)


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_ino, status.st_size, status.st_mtime_ns)
