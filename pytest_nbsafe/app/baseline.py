"""Findings that are known and pass: kept in a file, keyed by content, subtracted from a report."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe import files
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.config import is_asked
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding, NotebookReport
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.judge.trial import Trial
    from pytest_nbsafe.rules.base import Facts

DEFAULT = "nbsafe-baseline.json"
VERSION = 1
_RAN = frozenset({"ok", "raised"})
_MOST_BYTES = 64 * files.MEGABYTE


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding that a file holds.

    `joined` are the fingerprints of what it told along, `ran` says whether a run brought it out.
    """

    code: str
    fingerprint: str
    joined: tuple[str, ...] = ()
    ran: bool = False


@dataclass(frozen=True, slots=True)
class Baseline:
    """The findings that a file holds, for each notebook."""

    file: Path
    known: Mapping[str, tuple[Entry, ...]]


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


def divided(
    baseline: Baseline, notebook: Path, findings: Sequence[Finding]
) -> tuple[tuple[Finding, ...], tuple[Entry, ...]]:
    """Return the findings of a notebook that are new, and the entries that fit none.

    Of several that are alike, as many are known as the baseline counts; the first ones are. One
    fault may be told at another of its places when the first is gone, and what it accounted for
    when it is mended: both are known, too.
    """
    left = list(of_notebook(baseline, notebook))
    unknown: list[Finding] = []
    for finding in findings:
        entry = next((e for e in left if e.fingerprint == finding.fingerprint), None)
        if entry is None:
            unknown.append(finding)
        else:
            left.remove(entry)
    new: list[Finding] = []
    for finding in unknown:
        places = {j.fingerprint for j in finding.joined if j.code == finding.code}
        places.add(finding.fingerprint)
        entry = next((e for e in left if not places.isdisjoint((e.fingerprint, *e.joined))), None)
        if entry is None:
            new.append(finding)
        else:
            left.remove(entry)
    return tuple(new), tuple(left)


def of_notebook(baseline: Baseline, notebook: Path) -> tuple[Entry, ...]:
    """Return what the baseline knows of one notebook."""
    return baseline.known.get(_key(baseline.file, notebook), ())


def write(file: Path, notebooks: Iterable[NotebookReport], findings: Sequence[Finding]) -> int:
    """Write the findings of these notebooks as known and return how many the file holds now.

    What it knows of other notebooks stays, as long as these exist.

    Raises:
        NbsafeError: the file is there and is no baseline, or cannot be written.

    """
    checked = {_key(file, Path(notebook.path)): notebook for notebook in notebooks}
    kept = {path: entries for path, entries in _still_there(file).items() if path not in checked}
    for path, notebook in checked.items():
        ran = bool(notebook.orders)
        entries = [_entry(f, ran=ran) for f in findings if f.path == notebook.path]
        if entries:
            kept[path] = sorted(entries, key=_order)
    return _write(file, kept)


def without_fixed(file: Path, notebooks: Iterable[NotebookReport]) -> tuple[int, int]:
    """Take what is fixed out of the file, return how many entries that were, and how many are left.

    Those of notebooks that do not exist any more are fixed.

    Raises:
        NbsafeError: the file is no baseline, or cannot be written.

    """
    before = sum(map(len, _document(file)["notebooks"].values()))
    kept = _still_there(file)
    for notebook in notebooks:
        fixed = Counter(notebook.fixed)
        left = []
        for entry in reversed(kept.pop(path := _key(file, Path(notebook.path)), ())):
            if fixed[entry["fingerprint"]] > 0:
                fixed[entry["fingerprint"]] -= 1
            else:
                left.append(entry)
        if left:
            kept[path] = left[::-1]
    number = sum(map(len, kept.values()))
    if number < before:
        _write(file, kept)
    return before - number, number


def _still_there(file: Path) -> dict[str, Sequence[dict[str, Any]]]:
    """Return the entries of a file, by notebook, of notebooks that exist."""
    notebooks = _document(file)["notebooks"] if file.exists() else {}
    return {path: held for path, held in notebooks.items() if (file.parent / path).exists()}


def _write(file: Path, notebooks: Mapping[str, Sequence[dict[str, Any]]]) -> int:
    text = json.dumps({"version": VERSION, "notebooks": dict(sorted(notebooks.items()))}, indent=1)
    try:
        file.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"cannot write the baseline {file}: {error.strerror}"
        raise NbsafeError("cannot-write", message, "see --baseline") from error
    return sum(map(len, notebooks.values()))


def _order(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    return entry["code"], entry["text"], entry["fingerprint"]


def _entry(finding: Finding, *, ran: bool) -> dict[str, Any]:
    """Return a finding as the file holds it; the text is there for whoever reads the file."""
    entry: dict[str, Any] = {
        "code": finding.code,
        "text": finding.anchor.strip() or finding.message,
        "fingerprint": finding.fingerprint,
    }
    joined = {joined.fingerprint for joined in finding.joined} - {finding.fingerprint}
    if joined:
        entry["joined"] = sorted(joined)
    if ran:
        entry["run"] = True
    return entry


def _key(file: Path, notebook: Path) -> str:
    return Path(os.path.relpath(files.real(notebook), files.real(file).parent)).as_posix()


@lru_cache(maxsize=8)
def _read(file: Path, _changed_ns: int, _bytes: int) -> Baseline:
    """Read a file once for all notebooks, as long as it stays the same."""
    notebooks = _document(file)["notebooks"]
    return Baseline(
        file,
        {
            path: tuple(
                Entry(
                    str(entry.get("code", "")),
                    entry["fingerprint"],
                    tuple(entry.get("joined", ())),
                    entry.get("run") is True,
                )
                for entry in entries
            )
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
        isinstance(entries, list) and all(map(_is_entry, entries)) for entries in notebooks.values()
    )


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("fingerprint"), str):
        return False
    joined = entry.get("joined", [])
    return isinstance(joined, list) and all(isinstance(text, str) for text in joined)


def fixed(unmatched: Iterable[Entry], facts: Facts, trial: Trial | None) -> Iterator[Entry]:
    """Yield those of the unmatched entries that a look at the whole notebook would have found."""
    config, ran = facts.config, trial is not None
    if facts.graph.budget.cut or not (config.static or ran):
        return
    if trial is not None and any(r.status not in _RAN for r in trial.clean.results):
        return
    for entry in unmatched:
        if entry.ran is ran and entry.code in CODES and is_asked(entry.code, config):
            yield entry
