"""What was found in a notebook before, kept in a folder and found again by all it depends on.

An entry is named by a hash of the notebook's bytes, of the settings, and of this program, so that
it is never out of date: whatever changes leads to another entry. A folder may come with a
repository that nobody trusts; so entries are JSON, which loading cannot execute, and what is
wrong in one in any way makes it no entry. (Someone who writes the folder can hide findings, but so
can someone who writes the notebook's comments.)
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_nbsafe import __version__
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Finding, NotebookReport, Step
from pytest_nbsafe.locations import Location

Answer = tuple[tuple[Finding, ...], NotebookReport]
"""The findings of one notebook, and what became of it."""

NAME = ".nbsafe_cache"
_ROOTS = ("pyproject.toml", "nbsafe.toml", ".git")
_FORM = 1
_DAY_S = 24 * 60 * 60
_KEPT_S = 30 * _DAY_S
_MOST_BYTES = 64 * 1024 * 1024
_MOST_ENTRY_BYTES = 8 * 1024 * 1024

_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of nbsafe. It may be deleted at any time.
# For information about cache directory tags see https://bford.info/cachedir/
"""


def folder_of(notebook: Path) -> Path | None:
    """Return the cache folder of a notebook's project, None when it lies in no project.

    A project is the nearest folder upward that holds a pyproject.toml, an nbsafe.toml or a .git;
    beside a notebook that lies somewhere else nothing is written.
    """
    return _folder(notebook.absolute().parent)


@lru_cache(maxsize=1024)
def _folder(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if any((folder / root).exists() for root in _ROOTS):
            return folder / NAME
    return None


def key(content: bytes, parts: Iterable[str]) -> str:
    """Return the name of the entry for a notebook's bytes and all else that the answer hangs on."""
    digest = _digest()
    digest.update(_program().encode())
    for part in parts:
        digest.update(_sized(part.encode("utf-8", "surrogatepass")))
    digest.update(content)
    name: str = digest.hexdigest()
    return name


def load(folder: Path, entry: str) -> Answer | None:
    """Return what an entry holds, None when there is none or anything is wrong with it."""
    file = folder / f"{entry}.json"
    try:
        text = _text(file)
        if text is None:
            return None
        checksum, _, document = text.partition("\n")
        if checksum != _checksum(entry, document):
            return None
        return _answer(json.loads(document))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def store(folder: Path, entry: str, answer: Answer) -> None:
    """Write an entry in one step; where that cannot be done there will be none."""
    document = json.dumps(_document(answer), separators=(",", ":"))
    with suppress(OSError):
        _prepare(folder)
        _write(folder / f"{entry}.json", f"{_checksum(entry, document)}\n{document}")
        _prune(folder)


# -- the key ---------------------------------------------------------------------------------------


def _digest() -> Any:
    return hashlib.blake2b(digest_size=20)


def _sized(part: bytes) -> bytes:
    """Return a part with its length before it, so that no two lists of parts look the same."""
    return b"%d:%b" % (len(part), part)


def _checksum(entry: str, document: str) -> str:
    digest = _digest()
    digest.update(_sized(entry.encode()) + document.encode())
    checksum: str = digest.hexdigest()
    return checksum


@lru_cache(maxsize=1)
def _program() -> str:
    """Return what changes when this program or its Python does.

    The version is not enough: in a checkout the source changes under one version.
    """
    files = sorted(_source(str(Path(__file__).parent)))
    return f"{_FORM}\n{__version__}\n{sys.version}\n{files}"


def _source(folder: str) -> Iterable[tuple[str, int, int]]:
    with os.scandir(folder) as items:
        for item in items:
            if item.name.endswith((".py", ".toml")):
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


def _prepare(folder: Path) -> None:
    """Make the folder; backups and version control are told to pass it by."""
    if (folder / "CACHEDIR.TAG").exists():
        return
    folder.mkdir(exist_ok=True)
    _write(folder / ".gitignore", "*\n")
    _write(folder / "CACHEDIR.TAG", _TAG)


def _write(file: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that nobody reads half of it."""
    written = file.with_name(f"{file.name}.{os.getpid()}.{time.monotonic_ns()}.part")
    try:
        with written.open("x", encoding="ascii", newline="\n") as stream:
            stream.write(text)
        written.replace(file)
    except OSError:
        with suppress(OSError):
            written.unlink()
        raise


def _prune(folder: Path) -> None:
    """Once a day, remove entries that were not used for long, and the oldest of too many."""
    stamp, now = folder / "pruned", time.time()
    with suppress(OSError):
        if now - stamp.stat().st_mtime < _DAY_S:
            return
    _write(stamp, "")
    with os.scandir(folder) as items:
        entries = [(item.stat(follow_symlinks=False), item.path) for item in items if _ours(item)]
    left = _MOST_BYTES
    for state, path in sorted(entries, key=lambda entry: -entry[0].st_mtime):
        left -= state.st_size
        if left < 0 or now - state.st_mtime > _KEPT_S:
            with suppress(OSError):
                Path(path).unlink()


def _ours(item: os.DirEntry[str]) -> bool:
    """Return whether a file is an entry, or what a process that was killed left of one."""
    name, _, rest = item.name.partition(".")
    return len(name) == 40 and (rest == "json" or rest.endswith(".part"))


# -- an entry --------------------------------------------------------------------------------------

_FINDING: Mapping[str, tuple[type, ...]] = {
    "code": (str,),
    "severity": (str,),
    "verdict": (str,),
    "path": (str,),
    "message": (str,),
    "remedy": (str,),
    "cell_id": (str, type(None)),
    "count": (int, type(None)),
    "file_line": (int, type(None)),
    "anchor": (str,),
}
_LOCATION: Mapping[str, tuple[type, ...]] = {
    "cell": (int,),
    "line": (int,),
    "column": (int,),
    "end_line": (int, type(None)),
    "end_column": (int, type(None)),
}
_STEP: Mapping[str, tuple[type, ...]] = {"cell": (int,), "line": (int,), "cause": (str,)}
_REPORT: Mapping[str, tuple[type, ...]] = {
    "path": (str,),
    "cells": (int,),
    "status": (str,),
    "note": (str,),
    "known": (int,),
}
_SEVERITIES = ("error", "warning", "note")
_VERDICTS = ("suspected", "observed", "confirmed", "refuted", "proved")
_STATUSES = ("passed", "failed", "skipped", "not-analysed")


def _document(answer: Answer) -> list[Any]:
    findings, report = answer
    return [
        _values(report, _REPORT),
        [
            [
                _values(finding, _FINDING),
                _values(finding.location, _LOCATION),
                [_values(step, _STEP) for step in finding.steps],
            ]
            for finding in findings
        ],
    ]


def _answer(document: Any) -> Answer:
    """Return what a document says.

    Raises:
        ValueError: its form is another (or TypeError, or KeyError).

    """
    described, findings = _list(document)
    fields = _fields(described, _REPORT)
    if fields["status"] not in _STATUSES:
        raise ValueError("no status")
    report = NotebookReport(orders=(), duration_s=0.0, **fields)
    return tuple(_finding(*_list(parts)) for parts in _list(findings)), report


def _finding(described: Any, location: Any, steps: Any) -> Finding:
    fields = _fields(described, _FINDING)
    known = fields["severity"] in _SEVERITIES and fields["verdict"] in _VERDICTS
    if not known or fields["code"] not in CODES:
        raise ValueError("no such code, severity or verdict")
    return Finding(
        location=Location(**_fields(location, _LOCATION)),
        steps=tuple(Step(**_fields(step, _STEP)) for step in _list(steps)),
        **fields,
    )


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError("no list")
    return value


def _values(value: object, form: Mapping[str, tuple[type, ...]]) -> list[Any]:
    return [getattr(value, name) for name in form]


def _fields(values: Any, form: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """Return the fields of a value, each of its type (a bool is no number)."""
    for value, types in zip(_list(values), form.values(), strict=True):
        if type(value) not in types:
            raise ValueError("a field of another type")
    return dict(zip(form, values, strict=True))
