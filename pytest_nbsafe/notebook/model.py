"""A notebook as it lies on disk: cells, counts, saved outputs, and physical lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NewType

from pytest_nbsafe.values import dataclass, field

CellId = NewType("CellId", str)
CellKind = Literal["code", "markdown", "raw"]
OutputKind = Literal["stream", "display_data", "execute_result", "error"]


@dataclass(frozen=True, slots=True)
class Output:
    """One saved or new output of a cell.

    `name` is the stream (`stdout`, `stderr`) of a stream output; `text` its text, or the
    `text/plain` form of a display or result; `data` holds the other MIME forms;
    `ename`, `evalue` and `traceback` those of an error.
    """

    kind: OutputKind
    name: str = ""
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    ename: str = ""
    evalue: str = ""
    traceback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `number` counts from 1 over all cells, text cells too.

    `count` is the recorded execution count, `result_count` that of the saved result, which may be
    of an earlier run; where the cell's own is lost, and no other cell has it, it stands for both.
    `file_lines[i]` is the physical 1-based line of the file that holds source line `i + 1`; empty
    when the notebook did not come from a file whose lines can be told (older formats).
    """

    id: CellId
    number: int
    kind: CellKind
    source: str
    count: int | None = None
    outputs: tuple[Output, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    file_lines: tuple[int, ...] = ()
    result_count: int | None = None

    def line(self, number: int) -> str:
        """Return source line `number` (1-based), empty when there is none."""
        lines = _lines(self.source)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def file_line(self, number: int) -> int | None:
        """Return the physical line in the file of source line `number`, if it is known."""
        if not self.file_lines:
            return None
        return self.file_lines[max(0, min(number, len(self.file_lines)) - 1)]


@lru_cache(maxsize=4)
def _lines(source: str) -> list[str]:
    """Return the lines of a source, split once for all that is asked of one cell."""
    return source.split("\n")


@dataclass(frozen=True, slots=True)
class Notebook:
    """A whole notebook. `path` is as the user gave it; `cells` are in page order.

    `language` is lower case (`python`, `r`, `julia`), `python_major` 2 or 3 for Python.
    `kernel_name` is the kernelspec's name, None when the file names none. `libraries` is what the
    user says of libraries, by which the code is read, as JSON text.
    """

    path: str
    cells: tuple[Cell, ...]
    language: str = "python"
    python_major: int = 3
    kernel_name: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    libraries: str = ""

    def cell(self, number: int) -> Cell:
        """Return the cell with this 1-based number."""
        return self.cells[number - 1]

    def file_line(self, cell: int, line: int) -> int | None:
        """Return the physical line of a line of a cell; None for no cell (0), or if not known."""
        return self.cell(cell).file_line(line) if cell else None

    @property
    def code_cells(self) -> tuple[Cell, ...]:
        """The code cells that hold any code, in page order."""
        return tuple(c for c in self.cells if c.kind == "code" and c.source.strip())


# -- what a cell itself says about being run -----------------------------------------------------

MAY_RAISE, RAISES = "nbsafe:may-raise", "raises-exception"
"""The tags of a cell that may raise or not, and of one that must."""
LEFT_OUT = "nbsafe:skip"
SKIP_TAGS = frozenset({"skip-execution", LEFT_OUT})
"""A cell with one of these tags is in no plan: nbmake's tag, and our own."""


_ONCE_TAG = "nbsafe:once"
_LONG = 6
"""No part of a version has so many digits."""


def is_skipped(cell: Cell) -> bool:
    """Return whether the author asks not to run this cell."""
    return not SKIP_TAGS.isdisjoint(cell.tags)


def runs_once(notebook: Notebook) -> bool:
    """Return whether the author asks to run this notebook once: metadata, or a tag of any cell."""
    own = notebook.metadata.get("nbsafe")
    asked = isinstance(own, dict) and own.get("once") is True
    return asked or any(_ONCE_TAG in cell.tags for cell in notebook.cells)


def saved_python(notebook: Notebook) -> tuple[int, int] | None:
    """Return major and minor of the Python that saved a notebook; None if it does not say so."""
    info = notebook.metadata.get("language_info")
    return minor_version(str(info.get("version"))) if isinstance(info, Mapping) else None


def minor_version(version: str) -> tuple[int, int] | None:
    """Return major and minor of a version such as `3.11.7`; None if it is no such thing."""
    numbers = [part for part in version.split(".")[:2] if part.isdecimal() and len(part) < _LONG]
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else None


def may_raise(cell: Cell, ename: str = "") -> bool:
    """Return whether the author says that this cell raises, and an exception of this class.

    The tag `raises-exception` is for any class, `raises-exception=KeyError` for one.
    """
    return MAY_RAISE in cell.tags or must_raise(cell, ename)


def must_raise(cell: Cell, ename: str = "") -> bool:
    """Return whether the author says that this cell raises, and never passes."""
    tags = (tag.partition("=") for tag in cell.tags)
    named = [meant for tag, _, meant in tags if tag == RAISES]
    return any(not meant or not ename or meant == ename for meant in named)


def counted(notebook: Notebook) -> tuple[Cell, ...]:
    """Return the code cells that have a count, in page order, those emptied since then too."""
    return tuple(c for c in notebook.cells if c.kind == "code" and c.count is not None)


def saved_error(cell: Cell) -> Output | None:
    """Return the error that the cell was saved with, if any."""
    return next((output for output in cell.outputs if output.kind == "error"), None)
