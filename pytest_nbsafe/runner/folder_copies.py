"""Copies of a notebook's folder for the runs beyond its own, so that what these write is not kept.

In a copy the notebook finds all that it found in its folder, and above it: the folders above are
made too, and lead by links to what lies beside. So `data.csv`, `../data.csv` and the modules beside
the notebook are read as before, and what is written to the folder goes into the copy.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pytest_nbsafe.runner.own_folders import OwnFolder
from pytest_nbsafe.values import dataclass

_MEGABYTE = 1024 * 1024
_BESIDE_LIMIT = 200
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


_State = tuple[str, int, int]
"""A path below a copy's root, when it was changed, and its size; of folders only the path."""


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
    """A copy of one folder for one run after the other; `close` removes it.

    `possible` is false once it is known that the folder cannot be copied.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.possible = os.name == "posix"
        self._folder = folder
        self._limits = limits or Limits()
        self._own: OwnFolder | None = None
        self._copy: FolderCopy | None = None
        self._state: frozenset[_State] = frozenset()
        self._first: frozenset[str] | None = None
        self._beside: dict[Path, list[str]] = {}
        self._written: set[Path] = set()
        self._is_as_at_first = False

    def note_first(self) -> None:
        """Note what the folder holds before any run, so that later copies hold nothing new.

        It costs less than a copy, which may never be needed; what a run changes in place it does
        not bring back.
        """
        if not self.possible:
            return
        try:
            self._first = frozenset(islice(_paths(self._folder), self._limits.files + 1))
        except OSError:
            self.possible = False
        if self._first is not None and len(self._first) > self._limits.files:
            self.possible = False

    def fresh(self) -> FolderCopy | None:
        """Return a copy in which no run has left anything, None where there can be none.

        It is that of the last run, which is over; made again, of what the folder holds now and held
        at first, where that has changed it.
        """
        if not self.possible:
            return None
        try:
            return self._fresh()
        except (OSError, _TooLarge):
            self.possible = False
            return None

    def note_written(self, paths: Iterable[str]) -> None:
        """Take note of files that a run in the folder itself has written, by absolute paths."""
        self._written.update(map(Path, paths))

    def take_back(self) -> None:
        """Take back what was written to the folder, for the run that did it is made anew there.

        What it made is removed; what it changed is brought back if it was copied before.
        """
        written, self._written = self._written, set()
        copy = self._copy if self._is_as_at_first else None
        if copy is not None and _state(copy) != self._state:
            copy = None
        for path in sorted(written, reverse=True):  # what lies in a folder before the folder
            with suppress(OSError, ValueError):
                below = path.relative_to(self._folder.resolve())
                _bring_back(path, copy.folder / below if copy else None, self._first)

    def close(self) -> None:
        """Remove the copy."""
        own, self._own, self._copy = self._own, None, None
        if own is not None:
            own.close()

    def _fresh(self) -> FolderCopy:
        copy = self._copy
        if copy is not None and _state(copy) == self._state:
            return copy
        is_large = _survey(self._folder, self._limits)
        self.close()
        self._own = OwnFolder()
        copy = self._copy = FolderCopy(str(self._own.path.resolve() / "copy"), self._folder)
        self._beside = self._beside or dict(_what_lies_beside(self._folder))
        _link_what_lies_beside(self._beside, copy)
        copy.folder.mkdir(parents=True, exist_ok=True)
        _copy(self._folder, copy.folder, is_large, self._first)
        self._state, self._is_as_at_first = _state(copy), not self._written
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


def _paths(folder: Path) -> Iterator[str]:
    """Yield the paths of all that is copied of a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.path
            if entry.is_dir(follow_symlinks=False) and not _is_linked(entry):
                yield from _paths(Path(entry.path))


def _copy(
    source: Path,
    target: Path,
    is_large: Callable[[os.DirEntry[str]], bool],
    first: Collection[str] | None,
) -> None:
    """Copy what a folder holds, of that only what was there at `first` where this is known.

    Links stay links to the same, sockets and the like are left out.
    """
    with os.scandir(source) as entries:
        for entry in entries:
            if first is not None and entry.path not in first:
                continue
            where = target / entry.name
            if entry.is_symlink():
                where.symlink_to(Path(entry.path).resolve())
            elif entry.is_dir():
                if _is_linked(entry):
                    where.symlink_to(entry.path, target_is_directory=True)
                else:
                    where.mkdir()
                    _copy(Path(entry.path), where, is_large, first)
                    shutil.copystat(entry.path, where)
            elif entry.is_file():
                if is_large(entry):
                    where.symlink_to(entry.path)
                else:
                    shutil.copy2(entry.path, where)


def _bring_back(path: Path, first: Path | None, known: Collection[str] | None) -> None:
    """Bring back what was at a path at first, of which `first` is the copy if there is one.

    Without one it is only told by the paths `known` whether there was something.
    """
    was_there = os.path.lexists(first) if first else known is None or str(path) in known
    if first and was_there and not first.is_symlink() and first.is_file():
        if path.read_bytes() != first.read_bytes():
            shutil.copy2(first, path)
    elif not was_there and path.is_dir() and not path.is_symlink():
        path.rmdir()
    elif not was_there:
        path.unlink()


def _is_linked(folder: os.DirEntry[str]) -> bool:
    """Return whether a folder is one that no notebook writes to, and that may be large."""
    return folder.name in _LINKED or Path(folder.path, _ENVIRONMENT).is_file()


def _what_lies_beside(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folders above a folder, each with what else it holds."""
    below = folder
    for above in folder.parents:
        try:
            with os.scandir(above) as entries:
                names = [entry.name for entry in entries if entry.name != below.name]
        except OSError:  # a folder that one may pass, but not list
            names = []
        yield above, names
        below = above


def _link_what_lies_beside(beside: Mapping[Path, list[str]], copy: FolderCopy) -> None:
    """Make the folders above the copy, each with links to what lay in the original at first."""
    for above, names in beside.items():
        made = Path(copy.root + str(above))
        made.mkdir(parents=True, exist_ok=True)
        if len(names) <= _BESIDE_LIMIT:
            for name in names:
                os.symlink(above / name, made / name)  # noqa: PTH211  # there are many


def _state(copy: FolderCopy) -> frozenset[_State]:
    """Return all that is there besides links, also in the folders above the copy."""
    return frozenset(_states(copy.root))


def _states(folder: str) -> Iterator[_State]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield entry.path, 0, 0
                yield from _states(entry.path)
            elif not entry.is_symlink():
                status = entry.stat(follow_symlinks=False)
                yield entry.path, status.st_mtime_ns, status.st_size
