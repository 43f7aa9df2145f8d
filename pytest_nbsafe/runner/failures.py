"""How a run failed, told from the kernel's reply and the island's event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.trace.model import Failure

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IN_CELL = re.compile(
    r"^(?:Cell|Input|File) .*?In ?\[\d+\], (?:in )?.*?line:? ?(\d+)", re.MULTILINE
)
_LIMIT = 100_000


def plain(text: str) -> str:
    """Return text without terminal escapes and control characters."""
    return _CONTROL.sub("", _ANSI.sub("", text))


def as_failure(
    reply: Mapping[str, Any], event: CellRun | None, run_cells: Mapping[int, int]
) -> Failure | None:
    """Return the failure that an execute reply tells of, None when it succeeded."""
    if reply.get("status") == "ok":
        return None
    ename = plain(str(reply.get("ename") or reply.get("status") or ""))
    evalue = plain(str(reply.get("evalue") or ""))[:_LIMIT]
    traceback = plain("\n".join(map(str, reply.get("traceback") or ())))[:_LIMIT]
    raised = event["raised"] if event is not None else None
    if raised is None:
        return Failure(ename, evalue, _line(traceback), traceback)
    frames = tuple((run_cells[run], line) for run, line in raised["frames"] if run in run_cells)
    return Failure(ename, evalue, raised["line"], traceback, frames)


def asks_exit(reply: Mapping[str, Any]) -> bool:
    """Tell whether the cell asked for the kernel's end, which soon follows (`exit`, `quit`)."""
    return any(
        item.get("source") == "ask_exit" and not item.get("keepkernel")
        for item in reply.get("payload") or ()
    )


def _line(traceback: str) -> int:
    """Return the cell line that an IPython traceback names last, 0 when it names none."""
    found = _IN_CELL.findall(traceback)
    return int(found[-1]) if found else 0
