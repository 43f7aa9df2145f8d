"""Which files are opened past Python: compiled code opens them by itself, and tells nobody.

Linux tells of what is opened in folders that are watched (inotify), by whichever process. The
folder of the notebook is, with those inside it, and all folders that the cells name. Where the
system may watch no more of them, that is told. Elsewhere nothing is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

from .real_paths import real_path

_OPEN, _MODIFY, _MOVED_FROM, _MOVED_TO = 0x20, 0x2, 0x40, 0x80
_CREATE, _DELETE, _OVERFLOW, _IS_FOLDER = 0x100, 0x200, 0x4000, 0x40000000
_WRITES = _MODIFY | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_ONLY_FOLDERS = 0x01000000
_HEAD = struct.Struct("iIII")
_BYTES = 1024 * 1024
_CALLS = 4
_MOST_FOLDERS = 500
_MOST_OTHERS = 200
_SHORT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})
"""How the system says that it may watch no more, for it watches too much as it is."""
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages"})


class NativeOpen(NamedTuple):
    """A path that somebody has opened, changed, or made; a folder that is opened is listed."""

    path: str
    is_folder: bool
    writes: bool
    is_new: bool


class NativeOpens:
    """The folders that are watched. `lost` tells that more happened than was kept.

    `is_short` tells that the system could not watch one that matters to the current run: one of the
    notebook's own folder, or one that its cell names.
    """

    def __init__(self) -> None:
        self.lost = self.is_short = False
        self._is_home_short = False
        self._unwatched: set[str] = set()
        self._file = -1
        self._process = 0
        self._home = ""
        self._links: set[str] = set()
        self._folders: dict[int, str] = {}
        self._tried: set[str] = set()
        self._others = 0

    @property
    def alive(self) -> bool:
        """Whether anything is told at all."""
        return self._file >= 0

    def install(self, folder: str) -> None:
        """Watch a folder and those inside it, where the system can do so."""
        if not sys.platform.startswith("linux"):
            return
        self._home, self._process = folder, os.getpid()
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except (AttributeError, OSError):
            return
        is_whole = self._watch_all(folder, _MOST_FOLDERS) if self.alive else not _is_short()
        self._is_home_short = not is_whole

    def start(self) -> None:
        """Forget what has happened until now; a forked child watches for itself."""
        if self.alive and os.getpid() != self._process:
            folders, self._tried, self._folders = [*self._tried], set(), {}
            self._unwatched, self._others = set(), 0
            self._file = -1  # it is our parent's
            self.install(self._home)
            for folder in folders:
                self.expect(folder)
        for _ in self.drain():
            pass
        self.lost, self.is_short = False, self._is_home_short

    def expect(self, folder: str) -> None:
        """Watch a folder that a cell names, and those inside it."""
        if self.alive and folder not in self._tried and self._others < _MOST_OTHERS:
            before = len(self._tried)
            is_deep = folder.count(os.sep) > 1  # what lies below `/data` may be the whole machine
            if not self._watch_all(folder, _MOST_OTHERS - self._others if is_deep else 1):
                self._unwatched.add(folder)
            self._others += len(self._tried) - before
        self.is_short |= folder in self._unwatched

    def drain(self) -> Iterator[NativeOpen]:
        """Yield what has happened since the last call, in this order.

        It ends although others go on: one call of the system gives all that waits.
        """
        for _ in range(_CALLS if self.alive else 0):
            try:
                data = os.read(self._file, _BYTES)
            except OSError:  # nothing is left
                return
            at = 0
            while at < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, at)
                at += _HEAD.size + length
                name = os.fsdecode(data[at - length : at].rstrip(b"\0"))
                self.lost |= bool(mask & _OVERFLOW)
                folder = self._folders.get(watch)
                if folder is not None:
                    path = os.path.join(folder, name) if name else folder  # noqa: PTH118
                    is_folder = bool(mask & _IS_FOLDER)
                    if is_folder and mask & (_CREATE | _MOVED_TO):
                        if not self._watch_all(path, _MOST_FOLDERS):
                            self.is_short = self._is_home_short = True
                    elif mask & _CREATE and os.path.islink(path):  # noqa: PTH114  # a text
                        self._links.add(path)
                    yield NativeOpen(path, is_folder, bool(mask & _WRITES), bool(mask & _CREATE))

    def links_to(self, path: str) -> Iterator[str]:
        """Yield the links in the watched folders by which a path may have been asked for."""
        for link in self._links:
            real = real_path(link)
            if path == real or path.startswith(real + os.sep):
                yield link

    def _watch_all(self, folder: str, most: int) -> bool:
        """Watch a folder and those inside it; return whether the system was not short of that."""
        waiting = [folder]
        while waiting and most > 0:
            folder = waiting.pop(0)
            if folder in self._tried:
                continue
            most -= 1
            if self._watch(folder):
                waiting += self._folders_in(folder)
            elif _is_short():
                self._unwatched.add(folder)
                return False
        return True

    def _watch(self, folder: str) -> bool:
        self._tried.add(folder)
        mask = _OPEN | _WRITES | _ONLY_FOLDERS
        number = self._libc.inotify_add_watch(self._file, os.fsencode(folder), mask)
        if number >= 0:
            self._folders[number] = folder
        return bool(number >= 0)

    def _folders_in(self, folder: str) -> list[str]:
        folders = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        self._links.add(entry.path)
                        real = real_path(entry.path)
                        folders.append(real if entry.is_dir() else os.path.dirname(real))  # noqa: PTH120
                    elif entry.is_dir() and entry.name[:1] != "." and entry.name not in _SKIPPED:
                        folders.append(entry.path)
        except OSError:  # what cannot be listed cannot be read by the cells
            pass
        return folders


def _is_short() -> bool:
    """Tell whether what has just failed did so for want of something that others use up."""
    return ctypes.get_errno() in _SHORT
