"""What a fix changes, shown in terms of cells: those that move, their sources, what they show."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe.fix.fewest_moves import moved
from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.notebook.model import Notebook, Output

_MOST_LINES = 40
"""Of a cell that moves no more lines are shown."""


def shown(
    notebook: Notebook, edits: Mapping[int, CellEdit], order: Sequence[int] | None = None
) -> Iterator[str]:
    """Yield for each cell that changes the lines of a unified diff, or where it moves to."""
    order = tuple(order or range(1, len(notebook.cells) + 1))
    for number in sorted(moved(order)):
        yield from _move(notebook, number, order)
    for number, edit in sorted(edits.items()):
        cell, name = notebook.cell(number), f"{notebook.path}, cell {number}"
        if edit.source is not None:
            yield from _diff(name, cell.source.split("\n"), edit.source.split("\n"))
        if edit.outputs is not None:
            old = [line for output in cell.outputs for line in _lines(_as_data(output))]
            new = [line for output in edit.outputs for line in _lines(output)]
            yield from _diff(f"{name}, output", old, new)


def patch(notebook: Notebook, edits: Mapping[int, CellEdit]) -> Iterator[str]:
    """Yield for each cell whose source changes its name, and the lines that change."""
    for number, edit in sorted(edits.items()):
        if edit.source is None:
            continue
        yield f"cell {number}"
        old, new = notebook.cell(number).source.split("\n"), edit.source.split("\n")
        hunks = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
        for line in hunks[1:]:
            is_hunk = line.startswith("@@")
            yield "..." if is_hunk else f"{line[:1]} {line[1:]}".rstrip()


def _move(notebook: Notebook, cell: int, order: Sequence[int]) -> Iterator[str]:
    place = order.index(cell)
    where = f"above cell {order[place + 1]}" if place + 1 < len(order) else "to the end"
    yield f"moved {notebook.path}, cell {cell}: {where}"
    lines = notebook.cell(cell).source.split("\n")
    yield from (f" {line}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f" ({len(lines) - _MOST_LINES} more lines)"


def _diff(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    return difflib.unified_diff(old, new, name, name, lineterm="")


def _as_data(output: Output) -> Mapping[str, Any]:
    """Return an output that was read as the file holds it, as far as a diff shows it."""
    data = {**output.data, **({"text/plain": output.text} if output.text else {})}
    if output.kind in {"display_data", "execute_result"}:
        return {"data": data}
    return {"text": output.text, "ename": output.ename, "evalue": output.evalue}


def _lines(output: Mapping[str, Any]) -> list[str]:
    """Return what a reader sees of an output, each of its forms that is no text by its name."""
    if "data" in output:
        plain = _joined(output["data"].get("text/plain", ""))
        return [
            *plain.split("\n"),
            *(f"({form})" for form in sorted(output["data"]) if form[:5] != "text/"),
        ]
    if output.get("ename"):
        return [f"{output['ename']}: {output['evalue']}"]
    return _joined(output.get("text", "")).removesuffix("\n").split("\n")


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)
