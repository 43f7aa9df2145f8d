"""What a run used beyond names, compared with how it is now."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from pytest_nbsafe.kernel.contract import HASH_DIGITS

if TYPE_CHECKING:
    from pytest_nbsafe.kernel.contract import CellRun, FileRead, Inputs, SurroundingsQuestion

_CHUNK = 1024 * 1024
_ALL = "*"
_ABOUT = (".dist-info", ".egg-info")
"""What tells of packages: it counts wherever modules are looked for, as in the kernel."""
_FOLDER = "folder"
"""Stands for the hash of what is no file but a folder, as in the kernel."""
_hashes: dict[tuple[str, int, int, int, int], str] = {}


class Uses(TypedDict):
    """What can change between two runs, of what one used beyond names: as in `Inputs`."""

    files: list[FileRead]
    modules: dict[str, str]
    places: dict[str, tuple[list[str], str]]
    folders: dict[str, str]
    variables: dict[str, str]


def of_runs(events: Iterable[CellRun | None]) -> list[Uses]:
    """Return what runs used, as far as they have told."""
    return [
        {
            "files": inputs["files"],
            "modules": inputs["modules"],
            "places": inputs["places"],
            "folders": inputs["folders"],
            "variables": inputs["variables"],
        }
        for event in events
        if event is not None and (inputs := event["inputs"]) is not None
    ]


def of_surroundings(asked: SurroundingsQuestion) -> list[Uses]:
    """Return what the answer to a question hangs on: the files that it names, as they are now."""
    paths = [f"{asked['home']}/{path}" for path in asked["files"]]
    states = {path: file_hash(path) for path in paths}
    return [{"files": [], "modules": states, "places": {}, "folders": {}, "variables": {}}]


def changed(inputs: Inputs | Uses, environ: Mapping[str, str]) -> str:
    """Return what is no longer as a run found it, as the beginning of a sentence; "" if all is.

    `environ` is the environment that a kernel would have now.
    """
    for read in inputs["files"]:
        is_same = os.path.realpath(read["path"]) == read["real"]
        if not is_same or file_hash(read["path"]) != read["hash"]:
            return f"{_name(read['path'])} {_what(read['hash'], read['path'])}"
    for path, digest in inputs["modules"].items():
        if file_hash(path) != digest:
            return f"{_name(path)} {_what(digest, path)}"
    for folder, (names, digest) in inputs["places"].items():
        if _places_hash(folder, names) != digest:
            return f"what lies in {_name(folder)} under the name of a module changed"
    for folder, digest in inputs["folders"].items():
        if folder_hash(folder) != digest:
            return f"what lies in {_name(folder)} changed"
    for name, digest in inputs["variables"].items():
        if name == _ALL:  # it holds what is of one kernel alone
            return "the environment changed"
        if variable_hash(name, environ) != digest:
            return f"the variable {name} changed"
    return ""


def file_hash(path: str) -> str:
    """Return the hash of a file's content, as a kernel tells it; empty where there is no file.

    A file is read once as long as nothing shows that it was written to since.
    """
    try:
        state = os.stat(path)  # noqa: PTH116  # the path is a text
        if not stat.S_ISREG(state.st_mode):
            return _FOLDER
        key = (path, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        if key not in _hashes:
            digest = hashlib.sha256()
            with Path(path).open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
            _hashes[key] = digest.hexdigest()[:HASH_DIGITS]
        return _hashes[key]
    except (OSError, ValueError):
        return ""


def folder_hash(path: str) -> str:
    """Return the hash of the names in a folder, as a kernel tells it; empty where there is none."""
    try:
        names = sorted(os.listdir(path))  # noqa: PTH208  # the names are texts
    except (OSError, ValueError):
        return ""
    return _hash("\0".join(names))


def _places_hash(folder: str, names: Collection[str]) -> str:
    """Return the hash of what lies in a folder under names of modules, as a kernel tells it."""
    wanted = {*names}
    try:
        entries = os.listdir(folder)  # noqa: PTH208  # the names are texts
        found = [n for n in entries if n.partition(".")[0] in wanted or n.endswith(_ABOUT)]
    except (OSError, ValueError):
        found = []
    packages = {name for name in found if os.path.exists(f"{folder}/{name}/__init__.py")}  # noqa: PTH110
    return _hash("\0".join(sorted(f"{n}{os.sep}" if n in packages else n for n in found)))


def variable_hash(name: str, environ: Mapping[str, str]) -> str:
    """Return the hash of a variable, as a kernel tells it; empty where it is not set."""
    return _hash(environ[name]) if name in environ else ""


def _hash(text: str) -> str:
    data = text.encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:HASH_DIGITS]


def _what(was: str, path: str) -> str:
    if not was:
        return "is there now"
    return "changed" if os.path.exists(path) else "is gone"  # noqa: PTH110  # the path is a text


def _name(path: str) -> str:
    return os.path.basename(path) or path  # noqa: PTH119  # the path is a text
