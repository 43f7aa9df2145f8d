"""What a run showed, as the file of a notebook holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe.fix.notebook_text import CellEdit
from pytest_nbsafe.notebook.model import Cell, Notebook, Output

_SPLIT = frozenset({"application/javascript", "image/svg+xml"})
"""Forms that are saved as a list of lines, besides those of kind text."""


def has_results(cell: Cell) -> bool:
    """Return whether a cell was saved with anything that a run gives."""
    return cell.count is not None or bool(cell.outputs)


def counts(in_order: Sequence[Cell]) -> Mapping[int, int]:
    """Return the count of each cell once these run in this order; none where no cell has any."""
    if all(cell.count is None for cell in in_order):
        return {}
    return {cell.number: count for count, cell in enumerate(in_order, start=1)}


def recounted(notebook: Notebook, new: Mapping[int, int]) -> Iterator[tuple[int, CellEdit]]:
    """Yield the edits of the cells that ran, and have another count than the new one."""
    for number, count in new.items():
        cell = notebook.cell(number)
        if cell.count is not None and {cell.count, cell.result_count} - {None} != {count}:
            yield number, CellEdit(count=count)


def as_saved(outputs: Iterable[Output], count: int | None) -> list[Mapping[str, Any]]:
    """Return outputs in the form of nbformat 4, results with this count."""
    return [_of(output, count) for output in outputs]


def _of(output: Output, count: int | None) -> Mapping[str, Any]:
    if output.kind == "stream":
        return {"name": output.name, "output_type": "stream", "text": _lines(output.text)}
    if output.kind == "error":
        return {
            "ename": output.ename,
            "evalue": output.evalue,
            "output_type": "error",
            "traceback": list(output.traceback),
        }
    forms = {**output.data, **({"text/plain": output.text} if output.text else {})}
    data = {mime: _form(mime, value) for mime, value in forms.items()}
    saved = {"data": data, "metadata": {}, "output_type": output.kind}
    return saved if output.kind == "display_data" else {**saved, "execution_count": count}


def _form(mime: str, value: Any) -> Any:
    is_split = isinstance(value, str) and (mime.startswith("text/") or mime in _SPLIT)
    return _lines(value) if is_split else value


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
