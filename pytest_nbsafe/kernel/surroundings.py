"""What the cells ran in: Python, the packages they imported, the files they read."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import bootstrap, open_log
from .contract import Surroundings, SurroundingsQuestion
from .installed_files import PYTHONS_OWN, prefixes, sites

_FILES = 200
_WHOLE_BYTES = 16 * 1024 * 1024
_ALL_BYTES = 128 * 1024 * 1024
_END_BYTES = 1024 * 1024
"""How many files are told at most, up to which size they are hashed whole, one and all together,
and how much of each end of a larger one is."""
_METADATA = re.compile(r"([^-]+)-([^-]+)(?:-[^-]+)*\.(?:dist-info|egg-info)")
_SYSTEM = ("/proc", "/sys", "/dev", "/etc", "/usr", "/lib", "/lib64", "/var", "/System", "/Library")


def ask(text: str) -> None:
    """Tell what the cells ran in; the answer leaves with the reply to the request."""
    bootstrap.answer(json.dumps(surroundings(json.loads(text))))


def surroundings(question: SurroundingsQuestion) -> Surroundings:
    """Return what the cells ran in, as far as it can be told at this time."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": dict(sorted(_packages(question))),
        "files": dict(sorted(_files(question))),
        "variables": sorted(name for name in question["variables"] if name in os.environ),
    }


# -- packages --------------------------------------------------------------------------------------


def _packages(question: SurroundingsQuestion) -> Iterator[tuple[str, str]]:
    """Yield the distributions of the modules that the cells imported, with their versions."""
    versions = dict(_versions())
    known, imported = question["distributions"], set(question["imports"])
    found = [name for name in question["left_out"] if name not in sys.modules]
    for name, module in list(sys.modules.items()):
        is_new = name not in open_log.modules or name in imported
        if "." not in name and not name.startswith("_") and is_new and _is_installed(module):
            found.append(name)
    for name in found:
        for distribution in known.get(name) or [name]:
            if _normalised(distribution) in versions:
                yield versions[_normalised(distribution)]
                break


def _versions() -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield name and version of each distribution that is installed, by its normalised name.

    They are read from the names of folders: importlib.metadata would open each of them.
    """
    for folder in reversed(sites()):
        try:
            names = [entry.name for entry in Path(folder).iterdir()]
        except OSError:
            continue
        for name in names:
            if match := _METADATA.fullmatch(name):
                normalised = _normalised(match[1])
                yield normalised, (normalised, match[2])


def _normalised(name: str) -> str:
    """Return the name of a distribution as PyPI compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_installed(module: Any) -> bool:
    """Tell whether a module may be of a distribution: not one of Python's own."""
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if not isinstance(file, str):
        return False
    return file.startswith(prefixes(*sites())) or not file.startswith(prefixes(*PYTHONS_OWN))


# -- files -----------------------------------------------------------------------------------------


def _files(question: SurroundingsQuestion) -> Iterator[tuple[str, str]]:
    """Yield the files that the cells read and did not write, each with a hash of its content."""
    here = str(bootstrap.tracers[-1].shell.starting_dir)
    installed = prefixes(*PYTHONS_OWN, *sites(), f"{sys.prefix}/share", f"{sys.prefix}/etc")
    named = (str(Path(here, name)) for name in question["files"])
    opened = {*open_log.read, *named, *_new_modules()} - open_log.written
    paths = {os.path.normpath(path) for path in opened if not path.startswith(installed)}
    called = ((_place(path, here, question), path) for path in paths)
    left = _ALL_BYTES
    for place, path in sorted(pair for pair in called if pair[0])[:_FILES]:
        try:
            state = Path(path).stat()
            if stat.S_ISREG(state.st_mode):
                whole = state.st_size <= min(_WHOLE_BYTES, left)
                left -= state.st_size if whole else 2 * _END_BYTES
                yield place, _digest(path, state.st_size, whole=whole)
        except OSError:
            continue


def _new_modules() -> Iterator[str]:
    """Yield the files of the modules that the cells imported, where these are text."""
    for name, module in list(sys.modules.items()):
        file = None if name in open_log.modules else getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            yield file


def _place(path: str, here: str, question: SurroundingsQuestion) -> str:
    """Return how a file is called from the notebook's folder, "" for what is not the user's.

    What lies elsewhere is called by its whole path, but for what the system and tools keep.
    """
    if path.startswith(prefixes(here)):
        place = os.path.relpath(path, here)
    elif path.startswith(prefixes(question["root"])):
        place = os.path.relpath(path, question["home"])
    elif path.startswith(prefixes(*_SYSTEM, tempfile.gettempdir())):
        return ""
    else:
        place = path
    parts = [part for part in Path(place).parts if part != os.pardir]
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    is_code = place.endswith((".so", ".pyd", ".ipynb"))
    return "" if hidden or is_code else place.replace(os.sep, "/")


def _digest(path: str, size: int, *, whole: bool) -> str:
    """Return a hash of a file's content; of a large one, of its size and of both its ends."""
    digest = hashlib.blake2b(b"" if whole else b"%d" % size, digest_size=10)
    with Path(path).open("rb") as stream:
        if whole:
            while block := stream.read(_END_BYTES):
                digest.update(block)
        else:
            digest.update(stream.read(_END_BYTES))
            stream.seek(max(size - _END_BYTES, 0))
            digest.update(stream.read(_END_BYTES))
    return digest.hexdigest()
