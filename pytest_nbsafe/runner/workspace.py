"""Folders to run a session in, so that each run begins with the files that were there at first.

What a session writes, its clean run must not find, and nobody's files are to be changed by looking
at a session. So every kernel works in a copy of the folder.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pytest_nbsafe.runner.own_folders import OwnFolder

_BYTES_LIMIT = 200 * 1024 * 1024
_FILE_LIMIT = 20 * 1024 * 1024
_LINKED = frozenset({".git", ".hg", "node_modules", ".venv", "venv", "__pycache__", ".tox"})


class Workspace:
    """Copies of one folder; `close` removes them.

    A file above `large_bytes` and folders that no notebook writes to are linked, not copied. A
    folder with more than `most_files` or 200 MB is not copied at all: `shared` is then true, and
    all runs take place in it.
    """

    def __init__(
        self, folder: Path, *, most_files: int = 5_000, large_bytes: int = _FILE_LIMIT
    ) -> None:
        self.folder = folder
        self._large_bytes = large_bytes
        self.shared = _is_large(folder, most_files, large_bytes)
        self._own = OwnFolder()
        self._root = self._own.path
        self._number = 0
        if not self.shared:
            try:
                self._copy(folder, self._root / "0")
            except OSError:
                self.shared = True

    def fresh(self) -> tuple[Path, dict[str, str]]:
        """Return a folder as it was at first, and what a kernel in it has in its environment."""
        self._number += 1
        temporary = self._root / f"{self._number}-tmp"
        temporary.mkdir()
        environ = {"TMPDIR": str(temporary)}
        if "PYTHONHASHSEED" not in os.environ:
            environ["PYTHONHASHSEED"] = "0"  # sets come in one order in every run
        if self.shared:
            return self.folder, environ
        copy = self._root / str(self._number)
        self._copy(self._root / "0", copy)
        return copy, environ

    def close(self) -> None:
        """Remove the copies."""
        self._own.close()

    def _copy(self, source: Path, target: Path) -> None:
        target.mkdir()
        with os.scandir(source) as entries:
            for entry in entries:
                self._copy_entry(entry, target / entry.name)

    def _copy_entry(self, entry: os.DirEntry[str], target: Path) -> None:
        where = Path(entry.path)
        if entry.is_dir(follow_symlinks=False) and entry.name not in _LINKED:
            self._copy(where, target)
        elif entry.is_symlink() or entry.is_dir() or _size(where) > self._large_bytes:
            target.symlink_to(where.resolve(), target_is_directory=entry.is_dir())
        elif entry.is_file():
            shutil.copy2(where, target)


def _is_large(folder: Path, most_files: int, large_bytes: int) -> bool:
    files = size = 0
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LINKED]
        for name in names:
            files += 1
            size += min(_size(Path(where, name)), large_bytes)
            if files > most_files or size > _BYTES_LIMIT:
                return True
    return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
