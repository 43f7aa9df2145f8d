"""Calls that no audit event tells of: whether a file is there, and numbers that nobody seeded."""

from __future__ import annotations

import os
import pathlib
import random
from typing import Any

from ..functions.stand_in import exchange
from .callers import Callers, frames, is_import
from .file_uses import FileUses
from .hindrances import Hindrances
from .telling import Told, telling

_ASKERS = ("stat", "lstat", "access")
_PATHS = ("genericpath", "posixpath", "ntpath", "pathlib", "glob", "shutil", "fnmatch", "os")
"""Modules of Python that ask on behalf of others."""
_TIMES = frozenset({"getmtime", "getctime", "getatime"})
_STATUS_TIMES = frozenset({"st_mtime", "st_mtime_ns", "st_ctime", "st_ctime_ns", "st_atime"})
_DEEP = 12
_CHANCE = frozenset({"tempfile", "uuid"})
"""Modules of Python that draw numbers for names."""


def watch_status(files: FileUses, callers: Callers, hindrances: Hindrances) -> None:
    """Tell of the paths that `os.stat` and its like are asked for."""

    def asked(path: Any) -> None:
        if not files.on or isinstance(path, int):
            return
        names: list[str] = []
        asker = None
        for frame in frames():
            if _module(frame) not in _PATHS:
                asker = frame
                break
            names.append(frame.f_code.co_name)
        if asker is None or callers.is_pythons(asker) or callers.is_kernels():
            return
        place = files.place(path)
        files.ask(place, reads=False)
        times = _TIMES.intersection(names) or (
            callers.is_users(asker) and not _STATUS_TIMES.isdisjoint(asker.f_code.co_names)
        )
        if times and place in files.asked:
            hindrances.add("clock", "it asks when a file was changed")

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


def watch_chance(callers: Callers, hindrances: Hindrances) -> None:
    """Tell of random numbers that come from the system, and of generators that it seeds."""

    def drawn(*_: Any) -> None:
        if not hindrances.on:
            return
        steps = [*frames()]
        if any(map(is_import, steps)):  # a library prepares its own generator, which is watched
            return
        steps = steps[:_DEEP]
        if any(_module(frame) in _CHANCE and not callers.library(frame) for frame in steps):
            if not callers.is_users(callers.beyond_python()):
                return
            if any(_module(frame) == "tempfile" for frame in steps):
                return
        if not callers.is_kernels():
            hindrances.add("unseeded", "it draws random numbers that nothing seeded")

    def seeded(*args: Any, **kwargs: Any) -> None:
        if (args[1] if len(args) > 1 else kwargs.get("a")) is None:
            drawn()

    os.urandom = telling(os.urandom, drawn)
    random._urandom = os.urandom  # type: ignore[attr-defined]  # noqa: SLF001  # its own name
    exchange(random.Random.seed, lambda original: Told(original, seeded))


def _module(frame: Any) -> str:
    """Return the last word of the module whose code runs in a frame, `pathlib` for its parts."""
    name = str(frame.f_globals.get("__name__", ""))
    return "pathlib" if name.startswith("pathlib.") else name
