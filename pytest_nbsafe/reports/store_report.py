"""The answer of `nbsafe store`: what is kept of each notebook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.json import VERSION, dump
from pytest_nbsafe.sentences import many

if TYPE_CHECKING:
    from pytest_nbsafe.store.holdings import Size

_UNITS = ("B", "kB", "MB", "GB")


def as_text(folder: Path, sizes: Sequence[Size], all_bytes: int) -> str:
    """Return a line for each notebook, the largest first, and one for all.

    What several notebooks hold counts once there.
    """
    if not sizes:
        return f"nothing is kept in {escape.line(str(folder))}\n"
    lines = [
        f"{in_bytes(size.bytes):>8}  {size.cost_s:8.1f} s  {escape.line(size.notebook)}"
        for size in sizes
    ]
    runs = many(sum(size.entries for size in sizes), "answer")
    of = many(len(sizes), "notebook")
    where = escape.line(str(folder))
    return "\n".join(
        (*lines, f"{in_bytes(all_bytes)} for {runs} of the kernels of {of}, in {where}", "")
    )


def as_json(folder: Path, sizes: Sequence[Size], all_bytes: int) -> str:
    """Return all as JSON: sizes in bytes, costs in seconds of the clock."""
    notebooks = [
        {
            "path": size.notebook,
            "answers": size.entries,
            "bytes": size.bytes,
            "cost_s": round(size.cost_s, 3),
        }
        for size in sizes
    ]
    about = {"version": VERSION, "folder": str(folder), "bytes": all_bytes}
    return dump({**about, "notebooks": notebooks})


def in_bytes(size: float) -> str:
    """Return a number of bytes with a unit: "1.5 MB"."""
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return (
        f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 100 else f"{size:.1f} {_UNITS[unit]}"
    )
