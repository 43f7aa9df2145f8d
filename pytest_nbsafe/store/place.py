"""The folder of the user's own in which all is kept that can be made again."""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

VARIABLE = "NBSAFE_CACHE_DIR"
"""The variable of the environment that names the folder."""
_TAG_NAME = "CACHEDIR.TAG"
"""Tells backups to pass the folder by."""
_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of nbsafe. It may be deleted at any time.
# For information about cache directory tags see https://bford.info/cachedir/
"""


@lru_cache(maxsize=1)
def folder() -> Path | None:
    """Return the user's folder, made where it is not there; None where none can be.

    It is what NBSAFE_CACHE_DIR says, else `nbsafe` where the system keeps caches. One that belongs
    to somebody else, or that is a link, is not used.
    """
    named = os.environ.get(VARIABLE)
    try:
        place = Path(named) if named else _of_system() / "nbsafe"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own_folder(place):
            return None
        if not (place / _TAG_NAME).exists():
            write(place / _TAG_NAME, _TAG)
    except (OSError, ValueError, RuntimeError):  # it cannot be written; there is no home
        return None
    return place.absolute()


def is_own_folder(place: Path) -> bool:
    """Return whether a path is a folder of this user, and no link.

    Raises:
        OSError: it is not there, or cannot be looked at.

    """
    state = place.lstat()
    mine = not hasattr(os, "getuid") or state.st_uid == os.getuid()
    return stat.S_ISDIR(state.st_mode) and mine


def write(file: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that nobody reads half of it.

    Raises:
        OSError: it cannot be written; nothing of it is left.

    """
    written = file.with_name(f"{file.name}.{os.getpid()}.{time.monotonic_ns()}.part")
    try:
        with written.open("x", encoding="ascii", newline="\n") as stream:
            stream.write(text)
        written.replace(file)
    except OSError:
        with suppress(OSError):
            written.unlink()
        raise


def _of_system() -> Path:
    """Return where the system keeps what programs can make again, for this user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
