"""Outputs of cells as a reader of the page sees them, and which of a run answer those saved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.libraries.datafiles import words
from pytest_nbsafe.libraries.wildcards import alternatives
from pytest_nbsafe.notebook.model import Cell, Notebook, Output, may_raise, saved_error
from pytest_nbsafe.trace import drift
from pytest_nbsafe.trace.outputs import shown
from pytest_nbsafe.trace.outputs.comparison import Settings, compare
from pytest_nbsafe.trace.outputs.expectations import Expectations
from pytest_nbsafe.trace.outputs.text_alone import has_html, is_of_other_library, text_of_html
from pytest_nbsafe.trace.results import CellResult, exception, printed_failures
from pytest_nbsafe.values import replace

_DRAWINGS = ("image/", "application/")

_OF_THE_PAGE = frozenset(
    {"FileNotFoundError", "KeyError", "ModuleNotFoundError", "OSError", "StdinNotImplementedError"}
)
"""Exceptions, besides those that hang on cells alone, which no version of a library raises."""


def is_comparable(page: Cell, result: CellResult) -> bool:
    """Return whether the outputs of a run are the answer to those saved: none of them failed."""
    if exception(result) is not None:
        return result.status == "raised" and saved_error(page) is not None and may_raise(page)
    failed = result.status != "ok" or result.incidents or printed_failures(result)
    return not failed and saved_error(page) is None


def as_read(
    saved: Sequence[Output], new: Sequence[Output]
) -> tuple[tuple[Output, ...], tuple[Output, ...]]:
    """Return both outputs by what a reader sees of them: HTML, as text.

    Where a library makes HTML today of what it printed before, its text stands for it.
    """
    both = saved, new
    with_html = [[has_html(output) for output in outputs] for outputs in both]
    if with_html[0] != with_html[1]:
        return tuple(saved), tuple(new)
    return _with_html_as_text(saved), _with_html_as_text(new)


def _with_html_as_text(outputs: Sequence[Output]) -> tuple[Output, ...]:
    return tuple(
        output if (text := text_of_html(output)) is None else replace(output, text=text, data={})
        for output in outputs
    )


def with_lines_of(saved: Sequence[Output], new: Sequence[Output]) -> tuple[Output, ...]:
    """Return the saved outputs, printed as the new ones are where both print the same lines."""
    printed = [shown.of(outputs).printed for outputs in (saved, new)]
    if sorted(printed[0].splitlines()) != sorted(printed[1].splitlines()):
        return tuple(saved)
    others = (output for output in saved if (output.kind, output.name) != ("stream", "stdout"))
    return (Output("stream", name="stdout", text=printed[1]), *others)


def shows(outputs: Sequence[Output]) -> bool:
    """Return whether outputs show anything but warnings."""
    parts = shown.of(outputs)
    return bool(parts.printed.strip() or parts.displays or parts.errors)


def are_shown(page: Cell, result: CellResult) -> bool:
    """Return whether a cell shows anything, on the page and now."""
    return shows(result.outputs) and shows(page.outputs)


def are_repeated(page: Cell, result: CellResult, settings: Settings) -> bool:
    """Return whether a cell shows something, and the same as was saved."""
    return are_shown(page, result) and compare(page.outputs, result.outputs, settings) is None


def with_saved_digits(
    notebook: Notebook, results: Iterable[CellResult], expected: Expectations
) -> frozenset[int]:
    """Return the cells that show digits, and the same as were saved: what made them is the same."""
    repeating = set()
    for result in results:
        page, settings = notebook.cell(result.cell), expected.settings(result.cell)
        if (
            settings is not None
            and shows_digits(result.outputs)
            and is_comparable(page, result)
            and are_repeated(page, result, settings)
        ):
            repeating.add(result.cell)
    return frozenset(repeating)


def draws(result: CellResult) -> bool:
    """Return whether a cell drew anything."""
    return any(kind.startswith(_DRAWINGS) for output in result.outputs for kind in output.data)


def shows_digits(outputs: Sequence[Output]) -> bool:
    """Return whether any digit is among what outputs show."""
    parts = shown.of(outputs)
    texts = (parts.printed, *(display.text for display in parts.displays))
    return any(character.isdigit() for text in texts for character in text)


def asks_for_fonts(graph: Graph) -> bool:
    """Return whether the notebook asks for fonts of the machine."""
    fonts = re.compile(rf"\b(?:{alternatives(words('printing', 'fonts'))})\b")
    return any(fonts.search(cell.source) for cell in graph.notebook.code_cells)


def setting(cell: Cell) -> Iterator[tuple[int, str]]:
    """Yield the lines of a cell that set how all that follows is shown, and by which word."""
    words_of_settings = re.compile(rf"\b(?:{alternatives(words('printing', 'settings'))})\b")
    for line, text in enumerate(cell.source.splitlines(), 1):
        match = words_of_settings.search(text.partition("#")[0])
        if match is not None:
            yield line, match[0]


def are_of_other_library(notebook: Notebook, results: Iterable[CellResult]) -> bool:
    """Return whether a library shows, or raises, what it did not when the page was saved."""
    for result in results:
        page = notebook.cell(result.cell)
        if is_of_other_library(page.outputs, result.outputs):
            return True
        failure = result.failure
        if failure is None or result.status != "raised" or saved_error(page) is not None:
            continue
        raised = Output("error", ename=failure.ename)
        if failure.ename not in _OF_THE_PAGE and drift.is_of_library(raised):
            return True
    return False
