"""The answer of `nbsafe whatif`: what would be stale, what is safe, and what to run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pytest_nbsafe.absint.whatif_answer import Renamed, RerunCell, StaleSequence, WhatIf
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import VERSION, dump
from pytest_nbsafe.sentences import cells, few
from pytest_nbsafe.values import dataclass

_MOST = 8
"""So many entries of a kind are shown; JSON has them all."""
_WIDTH = 64
_PREAMBLE = ("#", "import ", "from ", "%", '"""', "@")


@dataclass(frozen=True, slots=True)
class WhatIfReport:
    """The answer of `nbsafe whatif`, and the order in which the notebook is taken to have run."""

    notebook: Notebook
    order: str
    answer: WhatIf


def as_text(report: WhatIfReport, paint: Paint = plain) -> str:
    """Return the answer for a reader at a terminal, a section for each question it settles."""
    parts = [_head(report, paint)]
    parts += [
        [paint(title, "heading"), *lines] for title, lines in _sections(report, paint) if lines
    ]
    parts.append(_ending(report.answer))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def as_json(report: WhatIfReport, _paint: Paint = plain) -> str:
    """Return the answer as a JSON document; a `depth` of null means however many runs."""
    from dataclasses import asdict

    answer = asdict(report.answer)
    if answer["renamed"] is not None:
        answer["renamed"]["elsewhere"] = [
            {"cell": reader, "definer": definer}
            for reader, definer in answer["renamed"]["elsewhere"]
        ]
    gave_up = answer.pop("gave_up")
    run = {name: answer.pop(name) for name in ("run", "change", "depth")}
    document = {"version": VERSION, **run, "order": report.order, **answer}
    return dump({**document, "complete": not gave_up, "gave_up": gave_up})


# -- text ------------------------------------------------------------------------------------------


def _head(report: WhatIfReport, paint: Paint) -> list[str]:
    answer, notebook = report.answer, report.notebook
    path = escape.sentence(notebook.path)
    changes = f" and only `{answer.change}` changes" if answer.change is not None else ""
    question = f"{path}: what if {_cell(notebook, answer.run)} runs{changes}?"
    lines = [
        paint(escape.sentence(question), "heading"),
        f"    {_first_line(notebook, answer.run)}",
    ]
    effect = f"makes {_names(answer.makes)} again" if answer.makes else "defines no name"
    lines.append(f"It {effect}. Before, the cells ran in {report.order} order.")
    if answer.first:
        before = cells(answer.first)
        lines.append(f"To start from what it read then, run {before} before it.")
    return lines


def _sections(report: WhatIfReport, paint: Paint) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the lines of each section; one without lines has nothing to say."""
    answer = report.answer
    groups = [list(reads) for _, reads in groupby(answer.stale, lambda read: read.sequence)]
    yield "Stale reads, if you run", _shown(groups, lambda group: _stale_lines(group, paint))
    yield "Leaks, if you run", _shown(answer.leaks, lambda leak: _leak_lines(leak, paint))
    yield "Safe to run", _shown(answer.safe, lambda sequence: [f"  {_sequence(sequence)}"])
    reruns = _shown(answer.rerun, lambda rerun: _rerun_lines(rerun, report.notebook))
    yield "To bring everything up to date, run in this order", reruns
    name = f"`{escape.sentence(answer.change or '')}`"
    renaming = _renaming(answer.renamed, name) if answer.renamed is not None else []
    yield f"If cell {answer.run} bound {name} under another name", renaming


def _stale_lines(group: Sequence[StaleSequence], paint: Paint) -> Iterator[str]:
    first = group[0]
    others = sorted({read.name for read in group[1:]})
    also = f" (and {_names(others)})" if others else ""
    yield f"  {paint(_sequence(first.sequence), 'warning')}"
    yield f"    cell {first.cell} (line {first.line}) {escape.sentence(first.cause)}{also}"
    left_out = sorted({cell for read in group for cell in read.left_out})
    if left_out:
        yield f"    {paint(f'run {cells(left_out)} before cell {first.cell}', 'remedy')}"


def _leak_lines(leak: StaleSequence, paint: Paint) -> Iterator[str]:
    yield f"  {paint(_sequence(leak.sequence), 'error')}"
    yield f"    cell {leak.cell} (line {leak.line}) {escape.sentence(leak.cause)}"
    for step in leak.steps:
        yield f"      cell {step.cell} (line {step.line}): {escape.sentence(step.cause)}"


def _rerun_lines(rerun: RerunCell, notebook: Notebook) -> Iterator[str]:
    yield f"  {_cell(notebook, rerun.cell):<14} {_first_line(notebook, rerun.cell)}"
    yield f"  {'':<14} {escape.sentence(rerun.cause)}"


def _renaming(renamed: Renamed, name: str) -> list[str]:
    lines: list[str] = []
    if renamed.undefined:
        lines.append(f"  {cells(renamed.undefined)} would read {name}, which no cell defines")
    lines += [
        f"  cell {reader} would read {name} of cell {definer}"
        for reader, definer in renamed.elsewhere
    ]
    if renamed.isolated:
        lines.append(f"  {cells(renamed.isolated)} would share no name with any other cell")
    return lines or ["  nothing else changes: no other cell reads it from here"]


def _ending(answer: WhatIf) -> list[str]:
    """Return what is left to say: nothing follows, cells apart, and what is not known."""
    lines: list[str] = []
    if not answer.rerun:
        lines.append("No other cell has a result made from that, so nothing else has to run.")
    if runnable := sorted({*answer.fresh} - {rerun.cell for rerun in answer.rerun}):
        lines.append(f"Cells that would read it if run next: {cells(runnable)}.")
    if answer.isolated:
        lines.append(f"Cells that share no name with others: {cells(answer.isolated)}.")
    lines += [
        f"Not known: cell {u.cell} (line {u.line}): {escape.sentence(u.cause)}."
        for u in answer.unknown[:_MOST]
    ]
    if len(answer.unknown) > _MOST:
        lines.append(f"Not known: {len(answer.unknown) - _MOST} more places.")
    if answer.gave_up:
        lines.append(f"Not complete: {answer.gave_up}.")
    return lines


def _shown(items: Sequence[Any], lines: Callable[[Any], Iterable[str]]) -> list[str]:
    """Return the lines of the first items, and how many more there are."""
    shown = [line for item in items[:_MOST] for line in lines(item)]
    if len(items) > _MOST:
        shown.append(f"  ... and {len(items) - _MOST} more")
    return shown


def _cell(notebook: Notebook, number: int) -> str:
    count = notebook.cell(number).count
    return f"cell {number}" if count is None else f"cell {number} [{count}]"


def _first_line(notebook: Notebook, number: int) -> str:
    """Return the first line of a cell that does anything: no comment or import if there is more."""
    lines = [line.strip() for line in notebook.cell(number).source.split("\n") if line.strip()]
    code = next((line for line in lines if not line.startswith(_PREAMBLE)), "")
    shown = escape.sentence(code or next(iter(lines), ""))
    return shown if len(shown) <= _WIDTH else f"{shown[: _WIDTH - 3]}..."


def _sequence(cells: Iterable[int]) -> str:
    return ", ".join(str(cell) for cell in cells)


def _names(names: Sequence[str]) -> str:
    return few([f"`{escape.sentence(name, 200)}`" for name in names], most=5)


WHATIF_REPORTERS = {"json": as_json, "text": as_text}
