"""Temporary folders of our own: removed at their end, or by the next run where we were killed.

A folder holds a file that its owner keeps locked as long as it lives, however it ends. So nothing
hangs on numbers of processes, which are given again, and differ from container to container.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from pytest_nbsafe.runner import leftovers

if sys.platform != "win32":
    import fcntl

_PREFIX = "nbsafe-"
_OWNER = "owner"
PRIVATE = 0o700


class OwnFolder:
    """A new folder in `parent`, or where temporary files lie; `close` removes it."""

    def __init__(self, parent: str | None = None) -> None:
        parent = parent or tempfile.gettempdir()
        _remove_abandoned_once(parent)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._lock = _locked(self.path)
        self._process = os.getpid()
        atexit.register(self.close)  # once more, should Ctrl-C come while it is being removed

    def close(self) -> None:
        """Remove the folder; safe to call twice, and without effect in a fork of this process."""
        if os.getpid() != self._process:
            return
        remove(self.path)
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
        atexit.unregister(self.close)


def remove(folder: Path) -> None:
    """Remove a folder and all in it, also folders in it that their maker has closed to himself."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for where, inner, _ in os.walk(folder):
        for name in inner:
            path = os.path.join(where, name)  # noqa: PTH118  # as os.walk gives them
            if not os.path.islink(path):  # noqa: PTH114
                os.chmod(path, PRIVATE)  # noqa: PTH101
    shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(parent: str) -> None:
    """Remove the folders that runs of this user have left which were killed, and their processes.

    A link is never followed, and what is not as we make it stays.
    """
    try:
        names = [name for name in os.listdir(parent) if name.startswith(_PREFIX)]  # noqa: PTH208
    except OSError:
        return
    for name in names:
        folder = Path(parent, name)
        try:
            lock = _lock_of_abandoned(folder)
        except OSError:  # its owner lives, or it is another's
            continue
        if lock is not None:
            leftovers.kill_marked(str(folder))
            remove(folder)
            os.close(lock)


@functools.cache
def _remove_abandoned_once(parent: str) -> None:
    remove_abandoned(parent)


def _locked(folder: Path) -> int | None:
    """Return a file that is open and locked; it has its name only when it is."""
    if sys.platform == "win32":
        return None
    new = folder / f"{_OWNER}.new"
    lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(folder / _OWNER)
    except OSError:  # a file system without locks: the folder is then never taken for abandoned
        new.unlink(missing_ok=True)
    return lock


def _lock_of_abandoned(folder: Path) -> int | None:
    """Return the lock of a folder that nobody owns any more, None for what is no folder of ours.

    Raises:
        OSError: its owner lives, or it is not to be looked into.

    """
    if sys.platform == "win32":
        return None
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_mode & 0o777 == PRIVATE
    if not ours or status.st_uid != os.geteuid():
        return None
    lock = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    if stat.S_ISREG(os.fstat(lock).st_mode):
        return lock
    os.close(lock)
    return None
