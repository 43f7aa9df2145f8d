"""Calls that ask about files, which no audit event tells of."""

from __future__ import annotations

import os
import pathlib
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
"""What the content of a file does not tell."""


def watch_status(files: FileUses, callers: Callers, hindrances: Hindrances) -> None:
    """Tell of the paths that `os.stat` and its like are asked for."""
    home = os.getcwd() + os.sep  # noqa: PTH109  # a text

    def asked(path: Any) -> None:
        if not files.on or isinstance(path, int):
            return
        names: list[str] = []
        asker = None
        for frame in frames():
            if module_of(frame) not in _PATHS:
                asker = frame
                break
            names.append(frame.f_code.co_name)
        if asker is None or callers.is_kernels():
            return
        if callers.is_pythons(asker) and not _asks_for_user(callers):
            return
        place = files.place(path)
        if "realpath" in names and not os.path.islink(place):  # noqa: PTH114  # each folder of it
            return
        is_own = place.startswith(home)
        if not is_own and not callers.is_users(asker) and any(map(is_import, frames())):
            return  # a library looks for its settings
        files.ask(place, reads=False)
        words = {*asker.f_code.co_names} if callers.is_users(asker) else set()
        if place not in files.asked:
            return
        if _TIMES.intersection(names) or _STATUS_TIMES & words:
            hindrances.add("clock", "it asks when a file was changed")
        if _RIGHTS & words:
            hindrances.add("native", "it asks who may use a file")

    for name in _ASKERS:
        original = getattr(os, name)
        stand_in = telling(original, asked)
        setattr(os, name, stand_in)
        for group in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if original in group:
                group.add(stand_in)
        accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps them
        if accessor is not None and hasattr(accessor, name):
            setattr(accessor, name, staticmethod(stand_in))


def _asks_for_user(callers: Callers) -> bool:
    """Tell whether Python's library asks for what the user calls, not for what is imported."""
    return not asks_for_imports() and callers.is_users(callers.beyond_python())
