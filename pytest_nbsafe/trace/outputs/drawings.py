"""SVG by its structure: elements and what they say, without ids, dates and metadata."""

from __future__ import annotations

from html.parser import HTMLParser

from pytest_nbsafe import patterns
from pytest_nbsafe.trace.outputs.difference import Part
from pytest_nbsafe.trace.outputs.tokens import is_close, is_number, tokens

_UNSEEN = frozenset({"metadata", "style", "script", "desc"})
_NAMES = frozenset({"id", "class", "clip-path", "href", "xlink:href", "xmlns", "xmlns:xlink"})
"""Attributes that name elements to one another; each drawing makes its own names."""
_URL = patterns.compile(r"url\(#[^()]*\)")
_CLOSE = 0.05
"""How far two coordinates may lie apart, in units of the drawing, about a pixel's twentieth."""


def parts(svg: str) -> list[Part]:
    """Return the elements of a drawing in order, each with its attributes and text."""
    reader = _Reader()
    reader.feed(svg)
    reader.close()
    return reader.parts


def same(saved: str, new: str) -> bool:
    """Return whether two elements are drawn alike."""
    if saved == new:
        return True
    before, after = tokens(saved), tokens(new)
    return len(before) == len(after) and all(map(_is_near, before, after))


def _is_near(token: str, other: str) -> bool:
    if is_close(token, other):
        return True
    if not (is_number(token) and is_number(other)):
        return False
    try:
        return abs(float(token) - float(other)) <= _CLOSE
    except ValueError:
        return False


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self._unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._unseen and tag in _UNSEEN:
            self._unseen = tag
        elif not self._unseen:
            kept = [
                f"{name}={_URL.sub('url()', value or '')}"
                for name, value in sorted(attrs, key=lambda attr: attr[0])
                if name not in _NAMES
            ]
            place = f"element {len(self.parts) + 1} ({tag})"
            self.parts.append(Part(place, " ".join([tag, *kept]), tag))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unseen:
            self._unseen = ""

    def handle_data(self, data: str) -> None:
        if not self._unseen and (text := data.strip()):
            self.parts.append(Part(f"text {len(self.parts) + 1}", text, "text"))
