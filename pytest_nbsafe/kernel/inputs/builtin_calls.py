"""Calls that ask about files, which no audit event tells of."""

from __future__ import annotations

import os
import pathlib
from types import FrameType
from typing import Any

from .callers import Callers, asks_for_imports, frames, is_import, module_of
from .file_uses import FileUses
from .hindrances import Hindrances
from .telling import telling

_ASKERS = ("stat", "lstat", "access")
_PATHS = ("genericpath", "posixpath", "ntpath", "pathlib", "glob", "shutil", "fnmatch", "os")
"""Modules of Python that ask on behalf of others."""
_TIMES = frozenset({"getmtime", "getctime", "getatime"})
_STATUS_TIMES = frozenset({"st_mtime", "st_mtime_ns", "st_ctime", "st_ctime_ns", "st_atime"})

_RIGHTS = frozenset({"access", "st_mode", "st_uid", "st_gid"})


def watch_status(files: FileUses, callers: Callers, hindrances: Hindrances) -> None:
    """Tell of the paths that `os.stat` and its like are asked for."""
    status = _StatusCalls(files, callers, hindrances)
    for name in _ASKERS:
        original = getattr(os, name)
        stand_in = telling(original, status.asked)
        setattr(os, name, stand_in)
        for group in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if original in group:
                group.add(stand_in)
        accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps them
        if accessor is not None and hasattr(accessor, name):
            setattr(accessor, name, staticmethod(stand_in))


class _StatusCalls:
    """Calls of `os.stat` and its like: which of them ask for the notebook, and what they ask."""

    def __init__(self, files: FileUses, callers: Callers, hindrances: Hindrances) -> None:
        self._files, self._callers, self._hindrances = files, callers, hindrances
        self._home = os.getcwd() + os.sep  # noqa: PTH109  # a text

    def asked(self, path: Any) -> None:
        """Take note of a path that somebody asks about."""
        if not self._files.on or isinstance(path, int):
            return
        names, asker = _asker()
        if asker is None or self._callers.is_kernels():
            return
        if self._callers.is_pythons(asker) and not self._asks_for_user():
            return
        place = self._files.place(path)
        if "realpath" in names and not os.path.islink(place):  # noqa: PTH114  # each folder of it
            return
        is_users = self._callers.is_users(asker)
        is_own = is_users or place.startswith(self._home)
        if not is_own and any(map(is_import, frames())):
            return  # a library looks for its settings
        self._files.ask(place, reads=False)
        if place in self._files.asked:
            self._hinder(names, {*asker.f_code.co_names} if is_users else set())

    def _asks_for_user(self) -> bool:
        """Tell whether Python's library asks for what the user calls, not for what is imported."""
        return not asks_for_imports() and self._callers.is_users(self._callers.beyond_python())

    def _hinder(self, names: list[str], words: set[str]) -> None:
        """Take note of what is asked that the content of a file does not tell.

        By functions of Python of these names, called by code of the user with these words.
        """
        if _TIMES.intersection(names) or _STATUS_TIMES & words:
            self._hindrances.add("clock", "it asks when a file was changed")
        if _RIGHTS & words:
            self._hindrances.add("native", "it asks who may use a file")


def _asker() -> tuple[list[str], FrameType | None]:
    """Return by which functions of Python somebody asks about a path, and who does."""
    names: list[str] = []
    for frame in frames():
        if module_of(frame) not in _PATHS:
            return names, frame
        names.append(frame.f_code.co_name)
    return names, None
