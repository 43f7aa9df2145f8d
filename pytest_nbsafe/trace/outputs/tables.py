"""HTML as a reader sees it: tables by their cells, and lines of text; no styles, no ids."""

from __future__ import annotations

from html.parser import HTMLParser

from pytest_nbsafe.trace.outputs.difference import Part
from pytest_nbsafe.values import dataclass, field

_UNSEEN = frozenset({"style", "script", "head", "title", "template", "noscript", "colgroup"})
_BREAKS = frozenset(
    {"br", "div", "p", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "dt"}
    | {"dd", "table", "caption", "section", "details", "summary"}
)
_EMBEDS = frozenset({"iframe", "img", "video", "audio", "source", "embed"})
_MOST_SPANNED = 1_000
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


def page(html: str) -> Page:
    """Return what a reader sees of a piece of HTML."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return reader.page


def as_text(html: str) -> str:
    """Return what a reader sees of a piece of HTML as lines of text, a row of a table in each."""
    seen = page(html)
    rows = ["  ".join(row) for table in seen.tables for row in table.rows]
    return "\n".join((*rows, *seen.lines))


class _Reader(HTMLParser):
    """Reads tables and visible text from left to right; what is not closed closes by itself."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._unseen = ""
        self._text: list[str] = []
        self._tables: list[Table] = []
        self._spans: dict[int, int] = {}
        self._cell: tuple[str, int] | None = None
        self._is_header = self._is_head_row = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            return
        if tag == "script":
            self.page.has_code = True
        if tag in _UNSEEN:
            self._unseen = tag
        elif tag == "table":
            self._end_cell()
            self.end_line()
            self._tables.append(Table())
        elif self._tables and tag in {"tr", "td", "th", "thead", "tbody"}:
            self._end_cell()
            if tag == "thead":
                self._is_header = True
            elif tag == "tbody":
                self._is_header = False
            elif tag == "tr":
                self._start_row()
            else:
                self._start_cell(tag, dict(attrs))
        elif tag in _BREAKS:
            self._break()
        elif tag in _EMBEDS:
            source = dict(attrs).get("src") or ""
            self._text.append("" if source.startswith("data:") else f" {source} ")

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            if tag == self._unseen:
                self._unseen = ""
        elif self._tables and tag in {"tr", "td", "th", "thead", "tbody", "table"}:
            self._end_cell()
            if tag == "thead":
                self._is_header = False
            elif tag == "table":
                self.page.tables.append(self._tables.pop())
        elif tag in _BREAKS:
            self._break()

    def handle_data(self, data: str) -> None:
        if not self._unseen and (self._cell is not None or not self._tables):
            self._text.append(data)

    def close(self) -> None:
        super().close()
        self._end_cell()
        self.page.tables += self._tables

    def end_line(self) -> None:
        """Put the text read so far among the lines of the page."""
        if text := " ".join("".join(self._text).split()):
            self.page.lines.append(text)
        self._text = []

    def _break(self) -> None:
        if self._cell is None:
            self.end_line()
        else:
            self._text.append(" ")

    def _start_row(self) -> None:
        table = self._tables[-1]
        table.rows.append([])
        self._is_head_row = self._is_header
        table.headers += self._is_header
        self._spans = {at: rows - 1 for at, rows in self._spans.items() if rows > 1}

    def _start_cell(self, tag: str, attrs: dict[str, str | None]) -> None:
        table = self._tables[-1]
        if not table.rows:
            self._start_row()
        row = table.rows[-1]
        while self._spans.get(len(row)):
            row.append("")
        self._cell = (tag, _span(attrs.get("colspan")))
        if (rows := _span(attrs.get("rowspan"))) > 1:
            self._spans[len(row)] = rows
        self._text = []

    def _end_cell(self) -> None:
        if self._cell is None or not self._tables:
            return
        tag, columns = self._cell
        self._cell = None
        table = self._tables[-1]
        row = table.rows[-1]
        if tag == "th" and not self._is_head_row and len(row) == table.labels:
            table.labels += len(table.rows) == table.headers + 1
        row += [" ".join("".join(self._text).split()), *[""] * (columns - 1)]
        self._text = []


def _span(value: str | None) -> int:
    return min(int(value), _MOST_SPANNED) if value and value.isdecimal() and len(value) < 9 else 1


# -- the parts of a table --------------------------------------------------------------------------


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
