"""What a kernel would run in, told without starting it: its Python, and what is installed there."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pytest_nbsafe.store.list_hash import hashed

_INSTALLED = (".dist-info", ".egg-info", ".egg-link", ".pth")
_CONTENT = (".egg-link", ".pth")
_OF_SYSTEM = (Path("/etc/ipython"), Path("/usr/local/etc/ipython"))
_HASHED = "direct_url.json"
"""Tells that a package was installed from a folder: its version says nothing of its content."""


def key(interpreter: str) -> str | None:
    """Return what tells one environment from another; None where that cannot be told.

    `interpreter` is the program that the kernel starts with. The key changes with each package that
    is installed, removed or has another version.
    """
    folders = _folders_of(interpreter)
    return None if folders is None else _key(interpreter, folders)


def shell_key(interpreter: str, ipython: Path) -> str:
    """Return what tells one set of files from another that IPython reads and runs when it starts.

    `ipython` is its own folder, of which a kernel takes the profile that is there by default.
    """
    profile = ipython / "profile_default"
    of_environment = Path(interpreter).parent.parent / "etc" / "ipython"
    places = (ipython, profile, profile / "startup", of_environment, *_OF_SYSTEM)
    files = sorted(file for place in places for file in _files_of_shell(place))
    return hashed(*(text for file in files for text in (str(file), _hash(file))))


def _files_of_shell(folder: Path) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.suffix in {".py", ".ipy", ".json"}]
    except OSError:
        return []


@lru_cache(maxsize=16)
def _folders_of(interpreter: str) -> tuple[str, ...] | None:
    """Return where the packages of an interpreter lie, None where it is no Python of that form."""
    program = Path(interpreter)
    if _is_own(program):
        ends = ("site-packages", "dist-packages")
        return tuple(folder for folder in sys.path if folder.rstrip("/\\").endswith(ends))
    home = program.parent.parent
    found = [*home.glob("lib/python3*/site-packages"), *home.glob("Lib/site-packages")]
    configuration = home / "pyvenv.cfg"
    try:
        text = configuration.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # an interpreter of the system looks in more places than we know
    shares = "include-system-site-packages = true" in text.lower()
    return tuple(map(str, found)) if found and not shares else None


def _is_own(program: Path) -> bool:
    try:
        return program.samefile(sys.executable) and program.parent == Path(sys.executable).parent
    except OSError:
        return False


def _key(interpreter: str, folders: tuple[str, ...]) -> str | None:
    try:
        state = Path(interpreter).stat()
        known = state.st_size, state.st_mtime_ns  # another version may be as large
        about = (str(Path(interpreter).resolve()), *known, _system())
        installed = [
            sorted(_installed(folder))
            for folder in folders
            if os.path.isdir(folder)  # noqa: PTH112  # a zip on the path is none
        ]
    except OSError:
        return None
    return hashed(repr(about), *map(repr, installed))


def _system() -> str:
    """Return the system, its machine and its C library: at once where the system itself tells."""
    if hasattr(os, "uname") and "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", ()):
        told = os.uname()
        library = os.confstr("CS_GNU_LIBC_VERSION")
        return f"{told.sysname} {told.release} {told.machine} {library}"
    import platform

    return platform.platform()


def _installed(folder: str) -> Iterator[tuple[str, str]]:
    """Yield what is installed in a folder, with what tells its content where no version does."""
    with os.scandir(folder) as items:
        for item in items:
            if not item.name.endswith(_INSTALLED):
                continue
            content = ""
            if item.name.endswith(_CONTENT):
                content = _hash(Path(item.path))
            elif os.path.exists(f"{item.path}/{_HASHED}"):  # noqa: PTH110  # there are hundreds
                content = _hash(Path(item.path) / "RECORD")
            yield item.name, content


def _hash(file: Path) -> str:
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""
