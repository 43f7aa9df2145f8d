"""Where exceptions and running code stand, told in cells' own lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from traceback import walk_tb
from types import FrameType, TracebackType

from ..contract import Raised
from .assert_values import assert_values

_FRAMES = 50  # more are kept of neither end: a recursion repeats itself
TIMED = ("<timed exec>", "<timed eval>")


class CellPositions:
    """Files that IPython compiled cells from: the run that last used each, and its line map."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, Callable[[int], int]]] = {}

    def learn(self, file: str, run: int, line_of: Callable[[int], int]) -> None:
        """Note that code of this run stands in `file`."""
        self.files[file] = (run, line_of)

    def frames(self, traceback: TracebackType | None) -> list[tuple[int, int]]:
        """Return (run, line) of the frames of a traceback that stand in cells, outermost first."""
        places = (
            (self.files.get(frame.f_code.co_filename), line) for frame, line in walk_tb(traceback)
        )
        frames = [(known[0], known[1](line)) for known, line in places if known is not None]
        if len(frames) > _FRAMES:
            frames[_FRAMES // 2 : -_FRAMES // 2] = []
        return frames

    def executing(self, *, within_magic: bool = False) -> list[tuple[int, int]]:
        """Return (run, line) of this thread's frames that stand in cells, innermost first.

        With `within_magic` none of what lies outside of the body of a magic.
        """
        frames: list[tuple[int, int]] = []
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # what else tells the line
        while frame is not None:
            if within_magic and frames and frame.f_code.co_name == "run_cell_magic":
                break
            known = self.files.get(frame.f_code.co_filename)
            if known is not None:
                frames.append((known[0], known[1](frame.f_lineno)))
            frame = frame.f_back
        return frames

    def current_line(self, run: int, *, within_magic: bool = False) -> int:
        """Return the line of the run's cell that is executing in this thread, 0 when none is."""
        frames = reversed(self.executing(within_magic=within_magic))
        return next((line for owner, line in frames if owner == run), 0)

    def raised(self, error: BaseException, run: int) -> Raised:
        """Return where what ended a run stands, the innermost line in the run's own cell."""
        frames = self.frames(error.__traceback__)
        lines = [line for owner, line in frames if owner == run]
        return {
            "line": lines[-1] if lines else self._syntax_line(error, run),
            "frames": frames,
            "held": assert_values(error, self.files),
        }

    def _syntax_line(self, error: BaseException, run: int) -> int:
        if not isinstance(error, SyntaxError) or not error.lineno:
            return 0
        known = self.files.get(error.filename or "")
        if known is not None and known[0] != run:
            return 0
        return known[1](error.lineno) if known is not None else error.lineno


class LineMap:
    """Maps lines of transformed source to lines of the raw cell, both 1-based.

    IPython drops leading blank lines and joins the lines of a continued magic, so that the two do
    not always agree. `shift` is added: the lines above, where the raw text is part of a cell.
    """

    def __init__(self, raw: str, transformed: str, shift: int = 0) -> None:
        self._lines = _align(raw.splitlines(), transformed.splitlines())
        self._shift = shift

    def __call__(self, line: int) -> int:
        """Return the cell's line."""
        if not self._lines:
            return line + self._shift
        return self._lines[min(max(line, 1), len(self._lines)) - 1] + self._shift


def _align(raw: list[str], transformed: list[str]) -> Sequence[int]:
    blank = 0
    while blank < len(raw) and not raw[blank].strip():
        blank += 1
    if len(raw) - blank == len(transformed):
        return range(blank + 1, len(raw) + 1)
    import difflib  # few cells need it

    matcher = difflib.SequenceMatcher(None, raw, transformed, autojunk=False)
    lines: list[int] = []
    for _, start, _, low, high in matcher.get_opcodes():
        lines.extend(start + number - low + 1 for number in range(low, high))
    return [min(line, len(raw)) or 1 for line in lines]


def message_of(error: BaseException) -> str:
    """Return an exception's message, made safe to send; its class's `__str__` may fail."""
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    return clean(text)


def clean(text: str, limit: int = 2_000) -> str:
    """Return text that any channel carries: bounded, without lone surrogates."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")
