"""Which line of the cell a line of IPython's transformed source comes from."""

from __future__ import annotations

from collections.abc import Sequence


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
