"""When cells ran, where metadata kept the time, and what that tells of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from pytest_nbsafe import patterns
from pytest_nbsafe.notebook.model import Cell

_PLACES = (
    ("execution", "iopub.execute_input"),
    ("execution", "iopub.status.busy"),
    ("execution", "shell.execute_reply"),
    ("ExecuteTime", "start_time"),
    ("ExecuteTime", "end_time"),
    ("executionInfo", "timestamp"),
)
"""Where JupyterLab, the extension ExecuteTime and Colab keep when a cell ran last."""
_FRACTION = patterns.compile(r"\.\d+")


def run_time(cell: Cell) -> float | None:
    """Return when the cell was last run, in seconds since 1970; None if nobody kept it."""
    for group, key in _PLACES:
        kept: Any = cell.metadata.get(group)
        value = kept.get(key) if isinstance(kept, Mapping) else None
        seconds = _seconds(value)
        if seconds is not None:
            return seconds
    return None


def _seconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if 0 < value < 1e14 else None
    if not isinstance(value, str):
        return None
    # Before Python 3.11 a Z for UTC is not read, nor a fraction of other than 3 or 6 digits.
    text = _FRACTION.sub(lambda found: found[0][:7].ljust(7, "0"), value.strip())
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def sessions(cells: Sequence[Cell]) -> Mapping[int, int] | None:
    """Return the session, from 1, of each of these cells, which all have a count.

    A count that does not grow with the time starts a session. A cell without a time belongs to the
    session of the nearest cell of the page that has one, unless its count is taken there. None
    when fewer than half of the cells have a time, or a count stands twice at one session.
    """
    times = {cell.number: run_time(cell) for cell in cells}
    timed = [(seconds, cell) for cell in cells if (seconds := times[cell.number]) is not None]
    if not timed or 2 * len(timed) < len(cells):
        return None
    timed.sort(key=lambda entry: (entry[0], entry[1].count, entry[1].number))
    of: dict[int, int] = {}
    session, before = 1, 0
    for _, cell in timed:
        count = cell.count or 0
        if count <= before:
            session += 1
        of[cell.number], before = session, count
    taken = {(of[cell.number], cell.count) for _, cell in timed}
    for cell in cells:
        if cell.number not in of:
            near = min((c.number for _, c in timed), key=lambda n: (abs(n - cell.number), n))
            if (of[near], cell.count) in taken:
                return None
            of[cell.number] = of[near]
            taken.add((of[near], cell.count))
    return of
