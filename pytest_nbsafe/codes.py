"""The table of finding codes: their names, default severities and one-line meanings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table; `severity` is what a proved finding of this code weighs."""

    code: str
    name: str
    severity: Severity
    says: str


_ROWS = (
    Code("NBS101", "undefined-name", "error", "a name is read here that no cell defines"),
    Code("NBS102", "defined-later", "error", "a name is read here, but first defined further down"),
    Code(
        "NBS103",
        "ran-out-of-order",
        "warning",
        "the counts contradict the page along a real dependency",
    ),
    Code("NBS107", "never-run", "note", "the cell has no count, though the notebook was run"),
    Code(
        "NBS201",
        "stale-output",
        "error",
        "the saved result was made from an older version of a name",
    ),
    Code("NBS202", "stale-read", "error", "the cell read a value older than what it was made from"),
    Code("NBS401", "cell-failed", "error", "the cell raised"),
    Code("NBS901", "unreadable-notebook", "error", "the file is not a notebook that can be read"),
    Code("NBS902", "cell-does-not-parse", "error", "the cell is not valid Python"),
    Code("NBS903", "kernel-died", "error", "the kernel died while the cell ran"),
    Code("NBS904", "timed-out", "error", "the cell ran longer than the limit"),
    Code("NBS905", "no-such-kernel", "error", "the notebook's kernel is not installed"),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
