"""The answer of `nbsafe checkout --list`: the cells of a notebook, and what is kept of each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.store_report import in_bytes
from pytest_nbsafe.sentences import few, many
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.resume.stored_runs import OtherRun, StoredRun

_MOST_NAMES = 6
_MOST_OTHERS = 3
_WIDTH = 60
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What is kept of the `runs` of a notebook, by cell, in the order in which they run."""

    path: str
    runs: Mapping[int, StoredRun]


def as_text(page: StoredPage) -> str:
    """Return a tree: a line for each cell, and below it one for each earlier run in its place."""
    known = [run for run in page.runs.values() if not run.reason]
    files = {name: size for run in known for name, size in run.files.items()}
    head = (
        f"{escape.line(page.path)}: {len(known)} of {many(len(page.runs), 'cell')} kept, "
        f"{sum(run.took_s for run in known):.1f} s of runs; to open the state after the last, "
        f"{in_bytes(sum(files.values()))} are loaded and "
        f"{sum(run.runs or bool(run.reason) for run in page.runs.values())} run"
    )
    last = max(page.runs, default=0)
    wide = len(str(last))
    lines = [head]
    for cell, run in page.runs.items():
        ends = cell == last
        lines.append(f"{'└' if ends else '├'}─ cell {cell:>{wide}}  {_said(run)}")
        bar = " " if ends else "│"
        lines += [f"{bar}  └─ {escape.line(other)}" for other in _others(run)]
    return "\n".join((*lines, ""))


def _said(run: StoredRun) -> str:
    if run.reason:
        return f"{'':>8}  has to run: {escape.line(run.reason)}"
    parts = ["runs again"] if run.runs else []
    if run.loads:
        of_files = in_bytes(sum(run.files.values()))
        parts.append(f"loads {escape.line(few(run.loads, _MOST_NAMES))}, {of_files}")
    return f"{run.took_s:6.2f} s  {'; '.join(parts) or 'is reused, nothing of it is needed'}"


def _others(run: StoredRun) -> Iterator[str]:
    """Yield what is to be said of runs in the place of another, not of each when they are many."""
    for other in run.others[:_MOST_OTHERS]:
        yield f"{_ago(other)}, {other.took_s:.2f} s: {_first_line(other.source)}"
    more = len(run.others) - _MOST_OTHERS
    if more > 0:
        yield f"{more} more"


def _first_line(source: str) -> str:
    line = next((line for line in source.splitlines() if line.strip()), "").strip()
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 3]}..."


def _ago(other: OtherRun) -> str:
    past_s = max(time.time() - other.made, 0.0)
    for word, length_s in _UNITS:
        if past_s >= length_s:
            return f"{many(int(past_s // length_s), word)} ago"
    return "just now"
