"""Text out of a notebook, made safe for a terminal and XML: what cannot be seen is spelled."""

from __future__ import annotations

import re

from pytest_nbsafe import patterns

_CLIP_CHARACTERS = 20_000
_SHOWN_LINES = 100
_LONGEST = 1_000

# Escape sequences as terminals know them: operating system commands (titles, links) up to their
# end, control sequences (colours, cursor), and the two-character forms.
_ANSI = patterns.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
)

# Controls but tab and newline; lone surrogates; marks that turn the direction of text; line
# separators; the marker of byte order and the two code points that XML forbids.
_UNSEEN = patterns.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff]"
)


def spelled(character: str) -> str:
    r"""Return a character as Python would spell it in a string: `\x1b`, `\u202e`."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def clean(text: str) -> str:
    """Return text of any number of lines without escape sequences, unseen characters spelled.

    A line that was overwritten from its start (progress bars) shows what stood there last.
    """
    text = _ANSI.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in text.split("\n"))
    return _UNSEEN.sub(lambda match: spelled(match.group()), text)


def streamed(text: str) -> str:
    """Return text as it comes in pieces: a line that is overwritten from its start still is."""
    return "\r".join(map(clean, text.replace("\r\n", "\n").split("\r")))


def line(text: str) -> str:
    """Return text as one clean line: newlines and tabs become single spaces."""
    if text.isascii() and text.isprintable():
        return text
    return " ".join(part for part in re.split(r"[\r\n\t]+", clean(text)) if part)


def sentence(text: str, limit: int = _LONGEST) -> str:
    """Return text as one clean line that has no more than `limit` characters, cut in its middle."""
    whole = line(text)
    if len(whole) <= limit:
        return whole
    half = limit // 2
    return f"{whole[:half]} [... {len(whole) - 2 * half} characters left out ...] {whole[-half:]}"


def visible(text: str) -> list[str]:
    """Return what shows of each character of one line of source, tabs widened to four columns."""
    shown: list[str] = []
    width = 0
    for character in text:
        piece = character
        if character == "\t":
            piece = " " * (4 - width % 4)
        elif character == "\n" or _UNSEEN.match(character):
            piece = spelled(character)
        shown.append(piece)
        width += len(piece)
    return shown


def encodable(text: str) -> str:
    """Return text that every encoding of Unicode takes: lone surrogates become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clipped(text: str, limit: int = _CLIP_CHARACTERS) -> str:
    """Return text with its middle left out when it has more than `limit` characters, or many lines.

    Lines are counted first: of a long log the first and the last `_SHOWN_LINES` are shown.
    """
    lines = text.split("\n")
    if len(lines) > 2 * _SHOWN_LINES:
        gap = f"[... {len(lines) - 2 * _SHOWN_LINES} lines left out ...]"
        text = "\n".join([*lines[:_SHOWN_LINES], gap, *lines[-_SHOWN_LINES:]])
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out ...]\n{text[-half:]}"
