"""Files of a repository that nobody trusts: only regular ones are read, and not without end."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

MEGABYTE = 1024 * 1024
MOST_BESIDE_BYTES = 8 * MEGABYTE
"""The most that is read of a file beside the notebooks: settings, requirements, a baseline."""

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class UnfitFileError(OSError):
    """A file that is not read; `strerror` is the reason, as for any other OSError."""

    def __str__(self) -> str:
        return str(self.strerror)


class TooLargeError(UnfitFileError):
    """A file that has more bytes than are read of its kind."""


def is_file(path: Path) -> bool:
    """Return whether a regular file is there; no path is too strange to ask."""
    return _is_kind(path, stat.S_ISREG)


def is_folder(path: Path) -> bool:
    """Return whether a folder is there; no path is too strange to ask."""
    return _is_kind(path, stat.S_ISDIR)


def _is_kind(path: Path, test: Callable[[int], bool]) -> bool:
    try:
        return test(path.stat().st_mode)
    except (OSError, ValueError):
        return False


_OF_TOOLS = frozenset(
    ("node_modules", "site-packages", "__pycache__", "__pypackages__", "build", "dist", "_build")
)


def is_of_tools(folder: Path) -> bool:
    """Return whether a folder holds what tools put there: an environment, a build."""
    name = folder.name
    return (
        name.startswith(".")
        or name in _OF_TOOLS
        or is_file(folder / "pyvenv.cfg")
        or is_folder(folder / "conda-meta")
    )


def read_bytes(path: Path, most_bytes: int = MOST_BESIDE_BYTES) -> bytes:
    """Return the bytes of a regular file, links followed.

    Raises:
        OSError: it cannot be opened, is a pipe, a device or the like, or has more than
            `most_bytes`; `strerror` says why.

    """
    content = read_start(path, most_bytes + 1, most_bytes)  # of /proc the size is not known
    if len(content) > most_bytes:
        raise _too_large(most_bytes)
    return content


def read_start(path: Path, number: int, most_bytes: int = MOST_BESIDE_BYTES) -> bytes:
    """Return the first bytes of a regular file, at most so many of them.

    Raises:
        OSError: as `read_bytes`.

    """
    try:
        _must_be_fit(path.stat(), most_bytes)  # a pipe is not even opened
        # Another file may lie there now: opening does not wait for who writes to a pipe.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY)
    except ValueError as error:  # a path with a NUL
        raise _no_path(error) from error
    with os.fdopen(descriptor, "rb") as stream:
        _must_be_fit(os.fstat(stream.fileno()), most_bytes)
        return stream.read(number)


_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_text(path: Path, most_bytes: int = MOST_BESIDE_BYTES) -> str:
    """Return the text of a regular file in UTF-8.

    Raises:
        OSError: as `read_bytes`.
        UnicodeDecodeError: it is not UTF-8.

    """
    return read_bytes(path, most_bytes).decode("utf-8")


def _must_be_fit(state: os.stat_result, most_bytes: int) -> None:
    if not stat.S_ISREG(state.st_mode):
        kind = _KINDS.get(stat.S_IFMT(state.st_mode), "something else")
        raise UnfitFileError(errno.EINVAL, f"it is {kind}, not a regular file")
    if state.st_size > most_bytes:
        raise _too_large(most_bytes)


def _no_path(reason: object) -> UnfitFileError:
    return UnfitFileError(errno.EINVAL, f"no such path: {reason}")


def _too_large(most_bytes: int) -> TooLargeError:
    return TooLargeError(errno.EFBIG, f"it has more than {most_bytes // MEGABYTE} MB")


def real(path: Path) -> Path:
    """Return the absolute path that links lead to; links in a circle are left as they are."""
    return Path(os.path.realpath(path))


def path_text(path: Path) -> str:
    r"""Return the absolute path that links lead to, as a text that can be written anywhere.

    Bytes of a name that are not UTF-8 stand in it as `\xe9`.
    """
    return os.fsencode(path.resolve()).decode("utf-8", "backslashreplace")


def must_be_writable(path: Path, *, with_folders: bool) -> None:
    """Do nothing if a file can be written at `path`, made `with_folders` that are not there or not.

    Raises:
        OSError: it cannot; what was there is unchanged, and nothing is left.

    """
    try:
        state = path.stat() if path.exists() else None
        if state is not None and stat.S_ISDIR(state.st_mode):
            raise UnfitFileError(errno.EISDIR, "it is a folder")
        nearest = next(folder for folder in path.absolute().parents if folder.exists())
    except ValueError as error:
        raise _no_path(error) from error
    if "\0" in str(path):
        raise _no_path("embedded null character")
    if not with_folders and nearest != path.absolute().parent:
        raise UnfitFileError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not nearest.is_dir():
        raise UnfitFileError(errno.ENOTDIR, f"{nearest} is not a folder")
    if not os.access(path if state is not None else nearest, os.W_OK):
        raise UnfitFileError(errno.EACCES, os.strerror(errno.EACCES))
    if state is None:
        _try_name(nearest / path.name)


def _try_name(path: Path) -> None:
    """Create a file and remove it: some names, and some folders, refuse only then."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY))
    path.unlink()
