"""HTML as a reader sees it: tables by their cells, and lines of text; no styles, no ids.

For who compares outputs this is loaded once one of them has any: it takes a while.
"""

from __future__ import annotations

from html.parser import HTMLParser

from pytest_nbsafe.trace.outputs.tables import Page, Table

_UNSEEN = frozenset({"style", "script", "head", "title", "template", "noscript", "colgroup"})
_BREAKS = frozenset(
    {"br", "div", "p", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "dt"}
    | {"dd", "table", "caption", "section", "details", "summary"}
)
_EMBEDS = frozenset({"iframe", "img", "video", "audio", "source", "embed"})
_MOST_SPANNED = 1_000


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
        """Take in what opens."""
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
        """Take in what closes."""
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
        """Take in text."""
        if not self._unseen and (self._cell is not None or not self._tables):
            self._text.append(data)

    def close(self) -> None:
        """Take in the end; what is still open closes."""
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
