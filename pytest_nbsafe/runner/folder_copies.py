"""Copies of a notebook's folder for the runs beyond its own, so that what these write is not kept.

In a copy the notebook finds all that it found in its folder, and above it: the folders above are
made too, and lead by links to what lies beside. So `data.csv`, `../data.csv` and the modules beside
the notebook are read as before, and what is written to the folder goes into the copy.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_nbsafe.runner.own_folders import OwnFolder
from pytest_nbsafe.values import dataclass

_MEGABYTE = 1024 * 1024
_BESIDE_LIMIT = 500
"""Of a folder above with more entries than that, none is linked."""
_LINKED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".tox", ".nox", ".ipynb_checkpoints"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
_ENVIRONMENT = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is copied: no more files, and bytes, than that.

    Where it is more, files of over `large_bytes` are linked instead; else nothing is copied.
    """

    files: int = 5_000
    bytes: int = 200 * _MEGABYTE
    large_bytes: int = 20 * _MEGABYTE


@dataclass(frozen=True, slots=True)
class FolderCopy:
    """A copy of a folder: below `root` it has the whole path of the original."""

    root: str
    original: Path

    @property
    def folder(self) -> Path:
        """The copy itself."""
        return Path(self.root + str(self.original))

    def of(self, path: str) -> str:
        """Return a path that lies in the folder as it is in the copy, any other as it is."""
        return self.root + path if Path(path).is_relative_to(self.original) else path

    def hide(self, message: bytes) -> bytes:
        """Return a message of a kernel in the copy as one in the folder would have sent it."""
        return message.replace(self.root.encode(), b"")


class FolderCopies:
    """The copies of one folder, all as it is when the first is made; `close` removes them.

    `possible` is false once it is known that the folder cannot be copied.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._own: OwnFolder | None = None
        self._first: FolderCopy | None = None
        self.possible = os.name == "posix"
        self._number = 0

    def fresh(self) -> FolderCopy | None:
        """Return a copy that nothing has run in, None where the folder is too large for that."""
        if not self.possible:
            return None
        try:
            if self._first is None:
                self._first = self._copied(self._folder)
            return self._copied(self._first.folder)
        except (OSError, _TooLarge):
            self.possible = False
            return None

    def close(self) -> None:
        """Remove the copies."""
        own, self._own, self._first = self._own, None, None
        if own is not None:
            own.close()

    def _copied(self, source: Path) -> FolderCopy:
        is_large = _survey(source, self._limits)
        if self._own is None:
            self._own = OwnFolder()
        self._number += 1
        copy = FolderCopy(str(self._own.path.resolve() / str(self._number)), self._folder)
        _link_what_lies_beside(self._folder, copy)
        copy.folder.mkdir(parents=True)
        _copy(source, copy.folder, is_large)
        return copy


class _TooLarge(Exception):  # noqa: N818  # it is an answer
    """There is too much to be copied."""


def _survey(folder: Path, limits: Limits) -> Callable[[os.DirEntry[str]], bool]:
    """Return what tells files that are linked for their size.

    Raises:
        _TooLarge: there is too much even without these.

    """
    files = small_bytes = all_bytes = 0
    for entry in _files(folder):
        size = entry.stat(follow_symlinks=False).st_size
        files, all_bytes = files + 1, all_bytes + size
        small_bytes += size if size <= limits.large_bytes else 0
        if files > limits.files or small_bytes > limits.bytes:
            raise _TooLarge
    if all_bytes <= limits.bytes:
        return lambda _: False
    return lambda entry: entry.stat(follow_symlinks=False).st_size > limits.large_bytes


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not _is_linked(entry):
                    yield from _files(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield entry


def _copy(source: Path, target: Path, is_large: Callable[[os.DirEntry[str]], bool]) -> None:
    """Copy what a folder holds; links stay links to the same, sockets and the like are left out."""
    with os.scandir(source) as entries:
        for entry in entries:
            where = target / entry.name
            if entry.is_symlink():
                where.symlink_to(Path(entry.path).resolve())
            elif entry.is_dir():
                if _is_linked(entry):
                    where.symlink_to(entry.path, target_is_directory=True)
                else:
                    where.mkdir()
                    _copy(Path(entry.path), where, is_large)
                    shutil.copystat(entry.path, where)
            elif entry.is_file():
                if is_large(entry):
                    where.symlink_to(entry.path)
                else:
                    shutil.copy2(entry.path, where)


def _is_linked(folder: os.DirEntry[str]) -> bool:
    """Return whether a folder is one that no notebook writes to, and that may be large."""
    return folder.name in _LINKED or Path(folder.path, _ENVIRONMENT).is_file()


def _link_what_lies_beside(folder: Path, copy: FolderCopy) -> None:
    """Make the folders above the copy, each with links to what lies in the original."""
    below = folder
    for above in folder.parents:
        made = Path(copy.root + str(above))
        made.mkdir(parents=True, exist_ok=True)
        try:
            with os.scandir(above) as entries:
                names = [entry.name for entry in entries if entry.name != below.name]
        except OSError:  # a folder that one may pass, but not list
            names = []
        if len(names) <= _BESIDE_LIMIT:
            for name in names:
                (made / name).symlink_to(above / name)
        below = above
