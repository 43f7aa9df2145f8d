"""What was found in a notebook before, kept in a folder and found again by all it depends on.

The folder is the user's own: what comes with a repository can neither put an entry there, which
would hide findings, nor have anything written elsewhere through a link. An entry is named by a hash
of the notebook's bytes, of the settings, and of this program, so that it is never out of date:
whatever changes leads to another entry. Entries are JSON, which loading cannot execute, and what is
wrong in one in any way makes it no entry.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from operator import not_
from pathlib import Path

from pytest_nbsafe import __version__
from pytest_nbsafe.findings import Report
from pytest_nbsafe.reports import transport
from pytest_nbsafe.store import place
from pytest_nbsafe.store.list_hash import hashed

_FORM = 2
_NONE: Mapping[str, str] = {}
_DAY_S = 24 * 60 * 60
_KEPT_S = 30 * _DAY_S
_MOST_BYTES = 256 * 1024 * 1024
_MOST_ENTRY_BYTES = 8 * 1024 * 1024


def key(content: bytes, parts: Iterable[str]) -> str:
    """Return the name of the entry for a notebook's bytes and all else that the answer hangs on."""
    return hashed(program(), *parts, content)


def load(
    folder: Path, entry: str, hold: Callable[[Mapping[str, str]], bool] = not_
) -> Report | None:
    """Return the report of one notebook, None when there is no entry or anything is wrong in it.

    `hold` tells whether the modules of the repository are still what the report hangs on.
    """
    file = folder / f"{entry}.json"
    try:
        text = _text(file)
        if text is None:
            return None
        checksum, _, document = text.partition("\n")
        if checksum != _checksum(entry, document):
            return None
        packed, modules = json.loads(document)
        report = transport.unpack(packed)
        if not _are_texts(modules) or not hold(modules):
            return None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return report if len(report.notebooks) == 1 else None


def _are_texts(modules: object) -> bool:
    return isinstance(modules, dict) and all(type(text) is str for text in modules.values())


def store(
    folder: Path,
    entry: str,
    report: Report,
    modules: Mapping[str, str] = _NONE,
    most_bytes: int = _MOST_BYTES,
) -> None:
    """Write a notebook's report in one step; where that cannot be done there will be none.

    `modules` are those of the repository that the answer hangs on, each with what was there.
    """
    document = json.dumps([transport.pack(report), dict(modules)], separators=(",", ":"))
    with suppress(OSError):
        place.write(folder / f"{entry}.json", f"{_checksum(entry, document)}\n{document}")
        _prune(folder, most_bytes)


# -- the key ---------------------------------------------------------------------------------------


def _checksum(entry: str, document: str) -> str:
    return hashed(entry, document)


@lru_cache(maxsize=1)
def program() -> str:
    """Return what changes when this program or its Python does.

    The version is not enough: in a checkout the source changes under one version.
    """
    files = sorted(_source(str(Path(__file__).parents[1])))
    return f"{_FORM}\n{__version__}\n{sys.version}\n{files}"


def _source(folder: str) -> Iterable[tuple[str, int, int]]:
    with os.scandir(folder) as items:
        for item in items:
            if item.name.endswith((".py", ".toml", ".sql")):
                state = item.stat()
                yield item.path, state.st_size, state.st_mtime_ns
            elif item.name != "__pycache__" and item.is_dir():
                yield from _source(item.path)


# -- the folder ------------------------------------------------------------------------------------


def _text(file: Path) -> str | None:
    """Return an entry's text, None if it is no plain file or too large; mark it as used."""
    state = os.lstat(file)
    if not stat.S_ISREG(state.st_mode) or state.st_size > _MOST_ENTRY_BYTES:
        return None
    text = file.read_text(encoding="ascii")
    if time.time() - state.st_mtime > _DAY_S:
        with suppress(OSError):
            os.utime(file)
    return text


def _prune(folder: Path, most_bytes: int) -> None:
    """Once a day, remove entries that were not used for long, and the oldest of too many."""
    stamp, now = folder / "pruned", time.time()
    with suppress(OSError):
        if now - stamp.stat().st_mtime < _DAY_S:
            return
    place.write(stamp, "")
    with os.scandir(folder) as items:
        entries = [(item.stat(follow_symlinks=False), item.path) for item in items if _ours(item)]
    left = most_bytes
    for state, path in sorted(entries, key=lambda entry: -entry[0].st_mtime):
        left -= state.st_size
        if left < 0 or now - state.st_mtime > _KEPT_S:
            with suppress(OSError):
                Path(path).unlink()


def _ours(item: os.DirEntry[str]) -> bool:
    """Return whether a file is an entry, or what a process that was killed left of one."""
    name, _, rest = item.name.partition(".")
    return len(name) == 40 and (rest == "json" or rest.endswith(".part"))
