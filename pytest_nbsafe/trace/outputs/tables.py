"""Tables and lines of text, as a reader sees them in HTML, and the parts by which they compare."""

from __future__ import annotations

from pytest_nbsafe.trace.outputs.difference import Part
from pytest_nbsafe.values import dataclass, field

CUT = frozenset({"...", "…", "⋮", "⋯", "⋱"})
"""What stands where a table is cut."""


@dataclass(slots=True)
class Table:
    """The texts of a table's cells, row by row; the first `headers` rows are its header.

    `labels` is how many cells at the start of a row name it.
    """

    rows: list[list[str]] = field(default_factory=list)
    headers: int = 0
    labels: int = 0


@dataclass(slots=True)
class Page:
    """What is visible of a piece of HTML; `has_code` where scripts draw what is not."""

    tables: list[Table] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    has_code: bool = False


def size(table: Table) -> str:
    """Return how large the body of a table is, in words."""
    columns = max(map(len, table.rows), default=0) - table.labels
    return f"{len(table.rows) - table.headers:,} rows x {columns:,} columns"


def paired(saved: Table, new: Table) -> tuple[list[Part], list[Part]]:
    """Return the cells of two tables, those of cut rows and columns left out of both."""
    rows = _kept(
        [bool(row) and row[0] in CUT for row in saved.rows],
        [bool(row) and row[0] in CUT for row in new.rows],
    )
    columns = _kept(_cut_columns(saved), _cut_columns(new))
    return _parts(saved, rows[0], columns[0]), _parts(new, rows[1], columns[1])


def _cut_columns(table: Table) -> list[bool]:
    top = table.rows[max(table.headers - 1, 0)] if table.rows else []
    return [text in CUT for text in top]


def _kept(saved: list[bool], new: list[bool]) -> tuple[list[int], list[int]]:
    """Return which rows, or columns, of two tables are compared, where either is cut.

    As many as both show before the cut, and as many as both show behind it.
    """
    if True not in saved and True not in new:
        return list(range(len(saved))), list(range(len(new)))
    ends = []
    for marks in (saved, new):
        at = marks.index(True) if True in marks else None
        ends.append((len(marks), len(marks)) if at is None else (at, len(marks) - at - 1))
    first, last = (min(end) for end in zip(*ends, strict=True))
    first = min(first, *(len(marks) for marks in (saved, new)))
    return tuple(  # type: ignore[return-value]
        [*range(first), *range(max(first, len(marks) - last), len(marks))] for marks in (saved, new)
    )


def _parts(table: Table, rows: list[int], columns: list[int]) -> list[Part]:
    parts = []
    names = _column_names(table)
    for number in rows:
        row = table.rows[number]
        is_header = number < table.headers
        label = " ".join(filter(None, row[: table.labels])) or str(number - table.headers + 1)
        for at in columns:
            if at < len(row):
                name = names.get(at) or str(at + 1)
                place = f"column {name}" if is_header else f"row {label}, column {name}"
                parts.append(Part(place, row[at], f"column {'' if is_header else name}"))
    return parts


def _column_names(table: Table) -> dict[int, str]:
    names: dict[int, str] = {}
    for row in table.rows[: table.headers]:
        for at, text in enumerate(row):
            if text:
                names[at] = f"{names[at]} {text}" if at in names else text
    return names
