"""`nbsafe.lock`: what the notebooks of a folder ran in when they passed, to be compared later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_nbsafe import files
from pytest_nbsafe.environment import LOCK, Entry, Environment
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import NotebookReport
from pytest_nbsafe.reports.json import dump, environment
from pytest_nbsafe.sentences import listed, many

VERSION = 1
_HINT = "remove it, and `nbsafe run --lock` writes it again"


def of(notebook: Path) -> Environment | None:
    """Return what a notebook ran in when it was locked, None when it was not.

    Raises:
        NbsafeError: the lock file of its folder cannot be read.

    """
    return _in_folder(files.real(notebook).parent).get(notebook.name)


def write(notebooks: Iterable[NotebookReport], root: Path) -> Iterator[str]:
    """Lock the notebooks that passed, a file for each folder, and yield a line for each file.

    What is known of others in a folder stays, as long as these exist. Paths are relative to `root`.

    Raises:
        NbsafeError: a lock file is there that is none, or cannot be written.

    """
    folders: dict[Path, dict[str, NotebookReport]] = {}
    for notebook in notebooks:
        if notebook.status != "not-analysed":
            path = files.real(root / notebook.path)
            folders.setdefault(path.parent, {})[path.name] = notebook
    for folder, reports in sorted(folders.items()):
        kept = {
            name: ran_in
            for name, ran_in in _in_folder(folder).items()
            if files.is_file(folder / name)
        }
        passed = {
            name: report.environment
            for name, report in reports.items()
            if report.environment is not None and report.status == "passed"
        }
        if passed:
            _write(folder / LOCK, {**kept, **passed})
        number = len({**kept, **passed})
        held = f"holds {many(number, 'notebook')}" if number else "is not written"
        left = listed(sorted(reports.keys() - passed.keys()))
        yield f"{folder / LOCK} {held}" + (f"; {left} did not pass" if left else "")


def _write(file: Path, notebooks: Mapping[str, Environment]) -> None:
    entries = {name: environment(notebooks[name]) for name in sorted(notebooks)}
    try:
        text = dump({"version": VERSION, "notebooks": entries})
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise NbsafeError("cannot-write", f"cannot write {file}: {error.strerror}") from error


def _in_folder(folder: Path) -> Mapping[str, Environment]:
    file = folder / LOCK
    try:
        state = file.stat()
    except (OSError, ValueError):
        return {}
    return _read(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _read(file: Path, _changed_ns: int, _bytes: int) -> Mapping[str, Environment]:
    """Read a file once for all notebooks, as long as it stays the same."""
    try:
        document = json.loads(files.read_text(file))
    except (OSError, ValueError, RecursionError) as error:
        raise NbsafeError("bad-lock", f"cannot read {file}: {error}", _HINT) from error
    try:
        if document["version"] != VERSION:
            raise NbsafeError("bad-lock", f"{file} is of another version", _HINT)
        return {str(name): _entry(entry) for name, entry in document["notebooks"].items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NbsafeError("bad-lock", f"{file} is not a lock file", _HINT) from error


def _entry(entry: Mapping[str, Any]) -> Environment:
    return Environment(
        _text(entry["python"]),
        _text(entry["platform"]),
        packages=_entries(entry["packages"]),
        files=_entries(entry["files"]),
        seeds=tuple(map(_text, entry["seeds"])),
        variables=tuple(map(_text, entry["variables"])),
    )


def _entries(table: Mapping[str, Any]) -> tuple[Entry, ...]:
    return tuple(Entry(name, _text(value)) for name, value in table.items())


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
