"""The answer of `nbsafe whatif`: what would be stale, what is safe, and what to run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol

from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.whatif import Renamed, Rerun, Stale, WhatIf
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, ansi, plain
from pytest_nbsafe.reports.json import VERSION, dump

_MOST = 8
"""So many entries of a kind are shown; JSON has them all."""
_WIDTH = 64
_PREAMBLE = ("#", "import ", "from ", "%", '"""', "@")


class Answered(Protocol):
    """What there is to tell: the notebook, the order it is taken to have run in, the answer."""

    @property
    def notebook(self) -> Notebook:
        """The notebook that was asked about."""

    @property
    def order(self) -> str:
        """The name of the order that it is taken to have run in before."""

    @property
    def answer(self) -> WhatIf:
        """What follows."""


class WhatIfReporter(Protocol):
    """A format of the answer of `nbsafe whatif`."""

    def __call__(self, told: Answered, *, colour: bool = False) -> str:
        """Return the answer in this format."""


def as_text(told: Answered, *, colour: bool = False) -> str:
    """Return the answer for a reader at a terminal, a section for each question it settles."""
    paint = ansi if colour else plain
    parts = [_head(told, paint)]
    parts += [
        [paint(title, "heading"), *lines]
        for title, lines in (section(told, paint) for section in _SECTIONS)
        if lines
    ]
    parts.append(_ending(told.answer))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def as_json(told: Answered, *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has none
    """Return the answer as a JSON document; a `depth` of null means however many runs."""
    answer = told.answer
    document: dict[str, Any] = {
        "version": VERSION,
        "run": answer.run,
        "change": answer.change,
        "depth": answer.depth,
        "order": told.order,
        "makes": answer.makes,
        "first": answer.first,
        "stale": [_described(found) for found in answer.stale],
        "safe": answer.safe,
        "rerun": [{"cell": again.cell, "cause": again.cause} for again in answer.rerun],
        "fresh": answer.fresh,
        "isolated": answer.isolated,
        "renamed": _rename(answer.renamed) if answer.renamed else None,
        "leaks": [_described(found) for found in answer.leaks],
        "unknown": [{"cell": u.cell, "line": u.line, "cause": u.cause} for u in answer.unknown],
        "complete": not answer.gave_up,
        "gave_up": answer.gave_up,
    }
    return dump(document)


def _described(found: Stale) -> dict[str, Any]:
    return {
        "sequence": found.sequence,
        "cell": found.cell,
        "line": found.line,
        "name": found.name,
        "left_out": found.left_out,
        "cause": found.cause,
        "steps": [{"cell": s.cell, "line": s.line, "cause": s.cause} for s in found.steps],
    }


def _rename(found: Renamed) -> dict[str, Any]:
    return {
        "undefined": found.undefined,
        "elsewhere": [{"cell": reader, "definer": d} for reader, d in found.elsewhere],
        "isolated": found.isolated,
    }


# -- text ------------------------------------------------------------------------------------------


def _head(told: Answered, paint: Paint) -> list[str]:
    answer, notebook = told.answer, told.notebook
    path = escape.line(notebook.path)
    changes = f" and only `{answer.change}` changes" if answer.change is not None else ""
    what = f"{path}: what if {_cell(notebook, answer.run)} runs{changes}?"
    lines = [paint(escape.line(what), "heading"), f"    {_first_line(notebook, answer.run)}"]
    made = f"makes {_names(answer.makes)} anew" if answer.makes else "binds nothing to be read"
    lines.append(f"It {made}. Before, the cells ran in {told.order} order.")
    if answer.first:
        before = _cells(answer.first)
        lines.append(f"To begin with what it read then, run {before} before it.")
    return lines


def _stale(told: Answered, paint: Paint) -> tuple[str, list[str]]:
    groups = [list(found) for _, found in groupby(told.answer.stale, lambda f: f.sequence)]
    return "Stale reads, if you run", _shown(groups, lambda group: _stale_lines(group, paint))


def _stale_lines(group: Sequence[Stale], paint: Paint) -> Iterator[str]:
    first = group[0]
    others = sorted({found.name for found in group[1:]})
    also = f" (and {_names(others)})" if others else ""
    yield f"  {paint(_sequence(first.sequence), 'warning')}"
    yield f"    cell {first.cell} (line {first.line}) {escape.line(first.cause)}{also}"
    left_out = sorted({cell for found in group for cell in found.left_out})
    if left_out:
        yield f"    {paint(f'run {_cells(left_out)} before cell {first.cell}', 'remedy')}"


def _leaks(told: Answered, paint: Paint) -> tuple[str, list[str]]:
    return "Leaks, if you run", _shown(told.answer.leaks, lambda leak: _leak_lines(leak, paint))


def _leak_lines(leak: Stale, paint: Paint) -> Iterator[str]:
    yield f"  {paint(_sequence(leak.sequence), 'error')}"
    yield f"    cell {leak.cell} (line {leak.line}) {escape.line(leak.cause)}"
    for step in leak.steps:
        yield f"      cell {step.cell} (line {step.line}): {escape.line(step.cause)}"


def _safe(told: Answered, _paint: Paint) -> tuple[str, list[str]]:
    return "Safe to run", _shown(told.answer.safe, lambda sequence: [f"  {_sequence(sequence)}"])


def _rerun(told: Answered, _paint: Paint) -> tuple[str, list[str]]:
    def line(again: Rerun) -> Iterator[str]:
        cell = _cell(told.notebook, again.cell)
        yield f"  {cell:<14} {_first_line(told.notebook, again.cell)}"
        yield f"  {'':<14} {escape.line(again.cause)}"

    return "To bring all up to date, run in this order", _shown(told.answer.rerun, line)


def _renaming(told: Answered, _paint: Paint) -> tuple[str, list[str]]:
    answer, found = told.answer, told.answer.renamed
    lines: list[str] = []
    if found is not None:
        name = f"`{escape.line(answer.change or '')}`"
        if found.undefined:
            lines.append(f"  {_cells(found.undefined)} would read {name}, which no cell defines")
        lines += [f"  cell {reader} would read {name} of cell {d}" for reader, d in found.elsewhere]
        if found.isolated:
            lines.append(f"  {_cells(found.isolated)} would share no name with any other cell")
        lines = lines or ["  nothing else changes: no other cell reads it from here"]
    title = f"If cell {answer.run} bound `{escape.line(answer.change or '')}` under another name"
    return title, lines


_SECTIONS: tuple[Callable[[Answered, Paint], tuple[str, list[str]]], ...] = (
    _stale,
    _leaks,
    _safe,
    _rerun,
    _renaming,
)


def _ending(answer: WhatIf) -> list[str]:
    """Return what is left to say: nothing follows, cells apart, and what is not known."""
    lines: list[str] = []
    if not answer.rerun:
        lines.append("No result of another cell was made from that: nothing else has to run.")
    if next_ := sorted({*answer.fresh} - {again.cell for again in answer.rerun}):
        lines.append(f"Would read it, if run next: {_cells(next_)}.")
    if answer.isolated:
        lines.append(f"Shares no name with other cells: {_cells(answer.isolated)}.")
    lines += [
        f"Not known: cell {u.cell} (line {u.line}): {escape.line(u.cause)}."
        for u in answer.unknown[:_MOST]
    ]
    if len(answer.unknown) > _MOST:
        lines.append(f"Not known: {len(answer.unknown) - _MOST} more places.")
    if answer.gave_up:
        lines.append(f"Not complete: {answer.gave_up}.")
    return lines


def _shown(items: Sequence[Any], lines: Callable[[Any], Iterable[str]]) -> list[str]:
    """Return the lines of the first items, and how many more there are."""
    found = [line for item in items[:_MOST] for line in lines(item)]
    if len(items) > _MOST:
        found.append(f"  ... and {len(items) - _MOST} more")
    return found


def _cell(notebook: Notebook, number: int) -> str:
    count = notebook.cell(number).count
    return f"cell {number}" if count is None else f"cell {number} [{count}]"


def _first_line(notebook: Notebook, number: int) -> str:
    """Return the first line of a cell that does anything: no comment or import if there is more."""
    lines = [line.strip() for line in notebook.cell(number).source.split("\n") if line.strip()]
    code = next((line for line in lines if not line.startswith(_PREAMBLE)), "")
    shown = escape.line(code or next(iter(lines), ""))
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 3]}..."


def _sequence(cells: Iterable[int]) -> str:
    return ", ".join(str(cell) for cell in cells)


def _cells(numbers: Sequence[int]) -> str:
    """Return "cell 2" or "cells 2, 3 and 5"."""
    return ("cell " if len(numbers) == 1 else "cells ") + _listed([str(n) for n in numbers])


def _names(names: Sequence[str]) -> str:
    ticked = [f"`{escape.line(name)}`" for name in names]
    if len(ticked) > 5:
        ticked[4:] = [f"{len(ticked) - 4} more"]
    return _listed(ticked)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


WHATIF_REPORTERS: Mapping[str, WhatIfReporter] = {"json": as_json, "text": as_text}
