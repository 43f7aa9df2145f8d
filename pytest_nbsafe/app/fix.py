"""`nbsafe fix`: remedies carried out, each kept only where a check of the result agrees.

Nothing is run: a remedy must take a finding of the text away and add none.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_nbsafe import files, suffixes
from pytest_nbsafe.app import session
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.fix import cell_diff, late_imports, unused_suppressions
from pytest_nbsafe.fix.notebook_text import edited
from pytest_nbsafe.fix.remedy import Remedy
from pytest_nbsafe.notebook import load
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.values import dataclass, replace

_STATIC = (unused_suppressions.remedies, late_imports.remedies)


@dataclass(frozen=True, slots=True)
class Fixed:
    """What is mended in a notebook: in words, as lines of a diff, and its new content.

    `refused` says which remedy was tried and why it was not kept.
    """

    path: Path
    done: tuple[str, ...] = ()
    diff: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    content: bytes = b""


def fix(paths: Sequence[Path], settings: Mapping[str, Any], which: Which) -> Iterator[Fixed]:
    """Yield what can be mended in each notebook; nothing is written.

    Raises:
        NbsafeError: a path or a setting is not understood.

    """
    for path in notebooks_in(paths, settings, which):
        config = replace(configuration(path, settings), baseline=None)
        with suppress(load.Unreadable, OSError):
            yield _fixed(path, replace(config, static=True))


def write(fixed: Fixed) -> None:
    """Put the mended content in the place of the file, whole or not at all.

    Raises:
        NbsafeError: it cannot be written.

    """
    place = files.real(fixed.path)
    new = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        new.write_bytes(fixed.content)
        new.chmod(place.stat().st_mode)
        new.replace(place)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        message = f"{fixed.path} cannot be written: {error.strerror}"
        raise NbsafeError("cannot-write", message, "make it writable") from error


def _fixed(path: Path, config: Config) -> Fixed:
    fixed = Fixed(path, content=files.read_bytes(path, config.most_mb * files.MEGABYTE))
    notebook = _read(fixed, config)
    if suffixes.is_text(str(path)) or notebook.language != "python" or not _is_current(fixed):
        return fixed
    return _mended_text(fixed, config)


def _read(fixed: Fixed, config: Config) -> Notebook:
    return load.read(fixed.path, config.libraries, config.most_mb, fixed.content)


def _is_current(fixed: Fixed) -> bool:
    """Return whether the file is of nbformat 4: the places in older ones are not known."""
    import json

    return bool(json.loads(fixed.content.decode("utf-8-sig"))["nbformat"] == 4)


def _findings(fixed: Fixed, config: Config, content: bytes) -> tuple[Finding, ...]:
    return session.examine(fixed.path, config, content=content).findings


def _more(before: Sequence[Finding], after: Sequence[Finding]) -> list[str]:
    """Return the codes of which there are more than there were."""
    return sorted(Counter(f.code for f in after) - Counter(f.code for f in before))


# -- one remedy after another ---------------------------------------------------------------------


def _mended_text(fixed: Fixed, config: Config) -> Fixed:
    """Carry out one remedy after another, as long as each takes a finding away and adds none."""
    findings = _findings(fixed, config, fixed.content)
    refused: set[str] = set()
    while remedy := _next_remedy(_read(fixed, config), findings, refused):
        content = _applied(fixed.content, remedy)
        after = _findings(fixed, config, content)
        if _more(before=findings, after=after) or len(after) >= len(findings):
            refused.add(remedy.says)
            continue
        diff = cell_diff.shown(_read(fixed, config), remedy.edits)
        fixed = replace(
            fixed,
            content=content,
            done=(*fixed.done, f"{remedy.code} {remedy.says}"),
            diff=(*fixed.diff, *diff),
        )
        findings = after
    return replace(fixed, refused=tuple(f"not kept: {says}" for says in sorted(refused)))


def _next_remedy(
    notebook: Notebook, findings: Sequence[Finding], refused: set[str]
) -> Remedy | None:
    remedies = (remedy for kind in _STATIC for remedy in kind(notebook, findings))
    return next((remedy for remedy in remedies if remedy.says not in refused), None)


def _applied(content: bytes, remedy: Remedy) -> bytes:
    text = content.decode("utf-8")
    return edited(text, remedy.edits).encode("utf-8")
