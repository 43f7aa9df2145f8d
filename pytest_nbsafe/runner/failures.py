"""How a run failed, told from the kernel's reply and the island's event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.trace.outputs.terminal import ESCAPES
from pytest_nbsafe.trace.results import Failure

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IN_CELL = re.compile(
    r"^(?:Cell|Input|File) In ?\[\d+\], (?:in )?(?:<cell )?line:? ?(\d+)", re.MULTILINE
)
_LIMIT = 100_000
_MAX_PERIOD = 8
_MANY = 4


def plain(text: str) -> str:
    """Return text without terminal escapes and control characters."""
    return _CONTROL.sub("", ESCAPES.sub("", text))


def as_failure(
    reply: Mapping[str, Any], event: CellRun | None, run_cells: Mapping[int, int]
) -> Failure | None:
    """Return the failure that an execute reply tells of, None when it succeeded."""
    if reply.get("status") == "ok":
        return None
    ename = plain(str(reply.get("ename") or reply.get("status") or ""))
    evalue = plain(str(reply.get("evalue") or ""))[:_LIMIT]
    frames_shown = [plain(str(frame)) for frame in reply.get("traceback") or ()]
    traceback = "\n".join(folded(frames_shown))[:_LIMIT]
    if ename == "NoneType":  # a result that cannot be shown: only what was shown knows why
        ename, evalue = _captured(event) or (ename, evalue)
    raised = event["raised"] if event is not None else None
    if raised is None:
        return Failure(ename, evalue, _line(traceback), traceback)
    frames = tuple((run_cells[run], line) for run, line in raised["frames"] if run in run_cells)
    held = tuple((plain(expression), plain(value)) for expression, value in raised["held"])
    return Failure(ename, evalue, raised["line"], traceback, frames, held)


def folded(frames: Sequence[str]) -> list[str]:
    """Return the frames of a traceback, those of a recursion that repeat told once."""
    lines: list[str] = []
    start = 0
    while start < len(frames):
        period, times = _repetition(frames, start)
        lines += frames[start : start + period]
        if times > 1:
            which = "the frame" if period == 1 else f"the {period} frames"
            lines.append(f"[... {which} above {times - 1} times more ...]\n")
        start += period * times
    return lines


def _repetition(frames: Sequence[str], start: int) -> tuple[int, int]:
    """Return how many frames from `start` on repeat, and how often; (1, 1) when few do."""
    for period in range(1, _MAX_PERIOD + 1):
        block = frames[start : start + period]
        times = 1
        while frames[start + times * period : start + (times + 1) * period] == block:
            times += 1
        if times >= _MANY:
            return period, times
    return 1, 1


def _captured(event: CellRun | None) -> tuple[str, str] | None:
    """Return name and message of the exception that was last shown in the run, if any."""
    shown = [i for i in event["incidents"] if i["kind"] == "captured"] if event else []
    if not shown:
        return None
    ename, _, evalue = shown[-1]["message"].partition(": ")
    return ename, evalue


def asks_exit(reply: Mapping[str, Any]) -> bool:
    """Tell whether the cell asked for the kernel's end, which soon follows (`exit`, `quit`)."""
    return any(
        item.get("source") == "ask_exit" and not item.get("keepkernel")
        for item in reply.get("payload") or ()
    )


def _line(traceback: str) -> int:
    """Return the cell line that an IPython traceback names last, 0 when it names none."""
    lines = _IN_CELL.findall(traceback)
    return int(lines[-1]) if lines else 0
