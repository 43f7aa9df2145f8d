"""Findings that are known and pass: kept in a file, keyed by content, subtracted from a report."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_nbsafe import files
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.values import dataclass

DEFAULT = "nbsafe-baseline.json"
VERSION = 1
_MOST_BYTES = 64 * files.MEGABYTE


@dataclass(frozen=True, slots=True)
class Baseline:
    """The findings that a file holds, counted by fingerprint for each notebook."""

    file: Path
    known: Mapping[str, Mapping[str, int]]


def read(file: Path) -> Baseline:
    """Return what a baseline file holds.

    Raises:
        NbsafeError: there is no such file, or it is no baseline.

    """
    try:
        state = file.stat()
    except (OSError, ValueError):
        raise NbsafeError(
            "no-baseline", f"there is no baseline {file}", "`--write-baseline` writes one"
        ) from None
    return _read(file, state.st_mtime_ns, state.st_size)


def new(baseline: Baseline, notebook: Path, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings of a notebook that the baseline does not hold.

    Of several that are alike, as many are known as the baseline counts; the first ones are.
    """
    left = Counter(of_notebook(baseline, notebook))
    if not left:
        return tuple(findings)
    unknown: list[Finding] = []
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
        else:
            unknown.append(finding)
    return tuple(unknown)


def of_notebook(baseline: Baseline, notebook: Path) -> Mapping[str, int]:
    """Return what the baseline knows of one notebook, counted by fingerprint."""
    return baseline.known.get(_key(baseline.file, notebook), {})


def write(file: Path, notebooks: Iterable[Path], findings: Sequence[Finding]) -> int:
    """Write the findings of these notebooks as known and return how many the file holds now.

    What it knows of other notebooks stays, as long as these exist.

    Raises:
        NbsafeError: the file is there and is no baseline, or cannot be written.

    """
    checked = {_key(file, notebook) for notebook in notebooks}
    kept = {
        path: entries
        for path, entries in (_document(file)["notebooks"] if file.exists() else {}).items()
        if path not in checked and (file.parent / path).exists()
    }
    for path in checked:
        entries = [_entry(f) for f in findings if _key(file, Path(f.path)) == path]
        if entries:
            kept[path] = sorted(entries, key=lambda entry: tuple(entry.values()))
    text = json.dumps({"version": VERSION, "notebooks": dict(sorted(kept.items()))}, indent=1)
    try:
        file.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"cannot write the baseline {file}: {error.strerror}"
        raise NbsafeError("cannot-write", message, "see --baseline") from error
    return sum(map(len, kept.values()))


def _entry(finding: Finding) -> dict[str, str]:
    """Return a finding as the file holds it; the text is there for whoever reads the file."""
    text = finding.anchor.strip() or finding.message
    return {"code": finding.code, "text": text, "fingerprint": finding.fingerprint}


def _key(file: Path, notebook: Path) -> str:
    return Path(os.path.relpath(files.real(notebook), files.real(file).parent)).as_posix()


@lru_cache(maxsize=8)
def _read(file: Path, _changed_ns: int, _bytes: int) -> Baseline:
    """Read a file once for all notebooks, as long as it stays the same."""
    notebooks = _document(file)["notebooks"]
    return Baseline(
        file,
        {
            path: Counter(entry["fingerprint"] for entry in entries)
            for path, entries in notebooks.items()
        },
    )


def _document(file: Path) -> dict[str, Any]:
    """Return the content of a baseline file, its form checked."""
    try:
        document = json.loads(files.read_text(file, _MOST_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise NbsafeError("bad-baseline", f"cannot read the baseline {file}: {error}") from error
    if not _is_baseline(document):
        hint = f"`--write-baseline` writes version {VERSION} again once the file is gone"
        raise NbsafeError("bad-baseline", f"{file} is not a baseline of this version", hint)
    content: dict[str, Any] = document
    return content


def _is_baseline(document: Any) -> bool:
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return False
    notebooks = document.get("notebooks")
    return isinstance(notebooks, dict) and all(
        isinstance(entries, list)
        and all(isinstance(e, dict) and isinstance(e.get("fingerprint"), str) for e in entries)
        for entries in notebooks.values()
    )
