"""Edits of a page that ask nothing new: of comments, of text cells, of tags that nobody heeds.

The report of the page as it was goes for the page of today, but for the lines of the file. Where
the report may speak of an edited cell, or show lines of one, nothing is claimed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.findings import Finding, Outcome, Report
from pytest_nbsafe.notebook import markers
from pytest_nbsafe.resume import questions
from pytest_nbsafe.resume.text_patterns import tells_lines
from pytest_nbsafe.store.list_hash import hashed
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.notebook.model import Notebook

Bound = Collection[int] | Literal["all"]
"""The cells whose lines have to be as they were."""

_MAJOR = 4
_SPEAKS = patterns.compile(r"nbsafe|nbval|pytest.validate", re.IGNORECASE)
"""Comments that say how a cell is run or judged."""
_READS_TEXTS = patterns.compile(
    r"getsource|findsource|linecache|profil|%[a-z]*prun|tracemalloc|__code__|get_ipython|nbsafe"
)
"""Cells that may show the text of others."""
_SHOWS_LINES = patterns.compile(r"ipykernel_|Cell In\b|ipython-input")
_FRAME = patterns.compile(r"^Cell In\[(\d+)\], line ", re.MULTILINE)
"""Begins a frame of a traceback; the first is of the cell that failed."""
_OF_CELL = patterns.compile(r"ipykernel_\d+[/\\]\d+\.py:(\d{1,9}): ")
_NUMBERS = patterns.compile(r"\d{1,9}")
_RANGE = patterns.compile(r"\d\s*(?:to|-|–|through|\.\.)\s*\d")  # noqa: RUF001  # as it is written


@dataclass(frozen=True, slots=True)
class Sketch:
    """A page without what may be edited: the `texts` of its code cells, and a hash of the `rest`.

    `numbers` are the cells that the texts are of, as a page counts them.
    """

    rest: str
    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def sketch(content: bytes) -> Sketch | None:
    """Return the sketch of a file's bytes; None where it is no notebook of today's format."""
    try:
        page = json.loads(content)
        if page["nbformat"] != _MAJOR:
            return None
        texts = dict(_taken_out(page["cells"]))
        rest = hashed(json.dumps(page, sort_keys=True))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    return Sketch(rest, tuple(texts), tuple(texts.values()))


def _taken_out(cells: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Take what may be edited out of cells, and yield the number and text of each that has code."""
    for number, cell in enumerate(cells, start=1):
        source = cell.pop("source")
        if cell["cell_type"] == "code":
            yield number, source if isinstance(source, str) else "".join(source)
        else:
            cell.pop("attachments", None)
        tags = cell["metadata"].pop("tags", ())
        cell["metadata"]["tags"] = [tag for tag in tags if markers.is_heeded(tag)]


def unpacked(data: Sequence[Any]) -> Sketch:
    """Return the sketch that was packed as lists."""
    rest, numbers, texts = data
    return Sketch(rest, tuple(numbers), tuple(texts))


def are_small(then: Sketch, now: Sketch, bound: Bound) -> bool:
    """Return whether the report of one page, bound to the lines of cells, goes for another."""
    if (then.rest, then.numbers) != (now.rest, now.numbers):
        return False
    pairs = zip(then.numbers, then.texts, now.texts, strict=True)
    changed = {number: (old, new) for number, old, new in pairs if old != new}
    if not changed:
        return True
    if bound == "all" or not changed.keys().isdisjoint(bound):
        return False
    if tells_lines(*now.texts) or any(map(_READS_TEXTS.search, now.texts)):
        return False
    if any(map(questions.asks_history, now.texts)):
        return False
    # which cells have one text says something of them
    alone = all(then.texts.count(old) == now.texts.count(new) == 1 for old, new in changed.values())
    return alone and all(_means_the_same(*texts) for texts in changed.values())


def _means_the_same(old: str, new: str) -> bool:
    if _SPEAKS.search(old) or _SPEAKS.search(new):
        return False
    meant = questions.of_cell(old)
    return meant == questions.of_cell(new) != questions.of_cell("")


def bound(report: Report, outcomes: Sequence[Outcome], page: Notebook) -> Bound:
    """Return the cells whose lines, or text, a page's report or what is shown may tell of."""
    said = [part for finding in report.findings for part in _sentences(finding)]
    said += [part for notebook in report.notebooks for part in (notebook.note, *notebook.reasons)]
    if any(finding.joined for finding in report.findings) or any(map(_RANGE.search, said)):
        return "all"
    named = {int(found) for part in said for found in _NUMBERS.findall(part)}
    named.update(*map(_cells, report.findings))
    for outcome in outcomes:
        shown = _whose_lines(outcome, page)
        if shown is None:
            return "all"
        named |= shown
    return sorted(named)


def _whose_lines(outcome: Outcome, page: Notebook) -> set[int] | None:
    """Return the cells whose lines an outcome may show; None where that cannot be told.

    A warning tells a line's number and shows it; the first frame of a traceback is of the cell.
    """
    frames = _FRAME.findall(outcome.traceback)
    if len({*frames}) > 1 or _SHOWS_LINES.search(_FRAME.sub("", outcome.traceback)):
        return None
    cells = {outcome.cell} if outcome.traceback else set()
    for text in (outcome.output, outcome.errors):
        first, *parts = _OF_CELL.split(text)
        if _SHOWS_LINES.search(first):
            return None
        for number, rest in zip(parts[::2], parts[1::2], strict=True):
            lines = {line.strip() for line in rest.splitlines()[1:]}
            lines.discard("")
            found = {c.number for c in page.code_cells if c.line(int(number)).strip() in lines}
            if not found or _SHOWS_LINES.search(rest):
                return None
            cells |= found
    return cells


def _sentences(finding: Finding) -> Iterator[str]:
    yield from (finding.message, finding.remedy, *finding.patch)
    yield from (step.cause for step in finding.steps)


def _cells(finding: Finding) -> set[int]:
    steps = (step.cell for step in finding.steps)
    return {finding.location.cell, *steps, *finding.fails_too}


def placed(finding: Finding, page: Notebook) -> Finding:
    """Return a finding at no edited cell with the lines that its places have in the file now."""
    where = finding.location
    file_line = page.file_line(where.cell, where.line) if where.cell else finding.file_line
    steps = tuple(page.file_line(s.cell, s.line) or 0 for s in finding.steps)
    return replace(finding, file_line=file_line, step_lines=steps)
