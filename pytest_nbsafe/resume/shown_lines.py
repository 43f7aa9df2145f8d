"""Lines of cells in what a run has shown, as they are in the text of today.

A warning names the line that it is about, and shows it; who logs may write any number. So what was
shown to the error stream is moved where each number in it is known to be the line of the cell, or
not to be one that has moved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.resume.positions import Moves, PlaceUnknown
from pytest_nbsafe.values import replace

_NUMBER = re.compile(r"\d+")
_OF_CELL = "ipykernel_"
"""Stands in the names of the files that cells are compiled from."""
_OF_LIBRARY = "-packages"


def moved_outputs(
    outputs: Collection[Output],
    texts: tuple[str, str],
    own: Moves | None,
    others: list[Moves],
    *,
    calls: bool,
) -> tuple[Output, ...]:
    """Return what a run showed, as it would show it in the text of today.

    `texts` are its text of then and of today, `own` is how the one moved into the other; `others`
    are how the texts of cells have moved whose functions it `calls`.

    Raises:
        PlaceUnknown: it may show a line of which that cannot be told.

    """
    if own is None and not others:
        return tuple(outputs)
    at_risk = {line for moves in (own, *others) if moves for line in _shifted(moves)}
    known = None if calls else own
    return tuple(_moved(output, texts, known, at_risk) for output in outputs)


def _moved(
    output: Output, texts: tuple[str, str], own: Moves | None, at_risk: Collection[int]
) -> Output:
    if output.kind == "error":
        raise PlaceUnknown  # a traceback shows the lines around each place
    if output.kind != "stream" or output.name != "stderr":
        return output
    lines = output.text.splitlines(keepends=True)
    return replace(output, text="".join(_lines(lines, texts, own, at_risk)))


def _lines(
    lines: list[str], texts: tuple[str, str], own: Moves | None, at_risk: Collection[int]
) -> Iterator[str]:
    """Yield the lines of an error stream; without `own` nobody knows which text it shows."""
    olds, news = (text.splitlines() for text in texts)
    shown = ""
    for line in lines:
        if shown and line.strip() == shown:
            yield line
            shown = ""
            continue
        place, _, rest = line.partition(": ")
        file, _, number = place.rpartition(":")
        if _OF_CELL in file and number.isdecimal():
            was = int(number)
            now = own.line(was) if own is not None else 0
            if not 0 < was <= len(olds) or not 0 < now <= len(news):
                raise PlaceUnknown
            shown = olds[was - 1].strip()
            if shown != news[now - 1].strip():
                raise PlaceUnknown
            yield f"{file}:{now}: {rest}"
        else:
            yield line
            rest = rest if _OF_LIBRARY in file and number.isdecimal() else line
        if any(int(found) in at_risk for found in _NUMBER.findall(rest)):
            raise PlaceUnknown


def _shifted(moves: Moves) -> Iterator[int]:
    return (was for was, now in moves.lines.items() if was != now)
