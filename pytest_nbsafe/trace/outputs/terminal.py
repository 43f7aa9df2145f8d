"""What a terminal leaves of a text: carriage returns and backspaces overwrite, colours are gone."""

from __future__ import annotations

from pytest_nbsafe import patterns

ESCAPES = patterns.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
"""What a terminal takes for a command: colours, titles, links."""
_MOVES = patterns.compile(r"([\r\b])")


def rendered(text: str) -> str:
    """Return the text as a terminal would show it in the end, lines end as on Unix."""
    if "\x1b" in text:
        text = ESCAPES.sub("", text).replace("\x1b", "")
    if "\r" not in text and "\b" not in text:
        return text
    text = text.replace("\r\n", "\n")
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if "\r" not in line and "\b" not in line:
        return line
    shown: list[str] = []
    place = 0
    for piece in _MOVES.split(line):
        if piece == "\r":
            place = 0
        elif piece == "\b":
            place = max(0, place - 1)
        elif piece:
            shown[place : place + len(piece)] = piece
            place += len(piece)
    return "".join(shown)
