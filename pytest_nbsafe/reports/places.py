"""Where a finding stands for tools that know files and lines, and nothing of cells."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_nbsafe.findings import Finding, Step
from pytest_nbsafe.reports import escape, frames

_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables that name the folder of the checkout on GitHub and GitLab."""


def address(path: str, root: str = "") -> str:
    """Return a path as services know it: from the checkout, else from here, with slashes.

    `root` is what the path is relative to, empty for the working folder. What lies elsewhere has
    its full path.
    """
    whole = Path(os.path.normpath(Path.cwd() / root / path))
    for base in filter(None, (*map(os.environ.get, _ROOTS), str(Path.cwd()))):
        if whole.is_relative_to(base):
            return whole.relative_to(base).as_posix()
    return whole.as_posix()


def line(finding: Finding) -> int:
    """Return the physical line in the file, the first where none is known."""
    return finding.file_line or 1


def steps(finding: Finding) -> Iterator[tuple[Step, int]]:
    """Yield the steps, each with its physical line in the file."""
    lines = finding.step_lines or (0,) * len(finding.steps)
    return ((step, line or 1) for step, line in zip(finding.steps, lines, strict=True))


def sentence(finding: Finding) -> str:
    """Return place, message and remedy in one line, for who sees the line of the file alone."""
    where = frames.place(finding.location, finding.count, finding.file_line)
    remedy = f". To fix: {escape.sentence(finding.remedy)}" if finding.remedy else ""
    return escape.encodable(f"{where}: {escape.sentence(finding.message)}{remedy}")


def numbered(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int]]:
    """Yield findings with their number among those of the same fingerprint and file, from 1."""
    counts: dict[tuple[str, str], int] = {}
    for finding in findings:
        key = finding.path, finding.fingerprint
        counts[key] = counts.get(key, 0) + 1
        yield finding, counts[key]
