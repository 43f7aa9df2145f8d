"""Small drawings as SVG: axes, dots, bars and words, with nothing that a stranger could put in."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as html_escaped

from pytest_nbsafe.reports import escape

COLOURS = ("#3b6fb6", "#d9772b", "#3a9a5b", "#b6423b", "#7d5ba6", "#8a6d3b", "#c2569a", "#5f6b73")
"""For one thing after another; they begin anew."""
_FONT = "font-family='sans-serif' font-size='12'"


def drawing(width: int, height: int, parts: Iterable[str]) -> str:
    """Return a whole drawing on white."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' {_FONT}>"
    )
    ground = f"<rect width='{width}' height='{height}' fill='white'/>"
    return "\n".join([head, ground, *parts, "</svg>"]) + "\n"


def words(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#333") -> str:
    """Return a line of text that begins, ends or is centred at a place."""
    clean = html_escaped(escape.sentence(text, 200), quote=False)
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='{colour}'>{clean}</text>"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#bbb") -> str:
    """Return a thin line."""
    return f"<path d='M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}' stroke='{colour}' fill='none'/>"


def bar(x: float, y: float, width: float, height: float, colour: str) -> str:
    """Return a filled rectangle."""
    size = f"width='{max(width, 0):.1f}' height='{height:.1f}'"
    return f"<rect x='{x:.1f}' y='{y:.1f}' {size} fill='{colour}'/>"


def dot(x: float, y: float, colour: str, *, filled: bool = True, title: str = "") -> str:
    """Return a dot; a hollow one where it is not filled. `title` shows when it is pointed at."""
    fill = colour if filled else "white"
    told = (
        f"<title>{html_escaped(escape.sentence(title, 300), quote=False)}</title>" if title else ""
    )
    place = f"cx='{x:.1f}' cy='{y:.1f}' r='4'"
    return f"<circle {place} fill='{fill}' stroke='{colour}' stroke-width='1.5'>{told}</circle>"


def ticks(most: int, wanted: int = 8) -> list[int]:
    """Return round numbers from 0 up to `most`, about as many as wanted."""
    step = 1
    while most // step > wanted:
        step *= 5 if str(step)[0] == "2" else 2
        if str(step)[0] == "4":
            step = step // 4 * 5
    return list(range(0, most + 1, step))
