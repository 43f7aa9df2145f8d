"""The report as one HTML file, to be looked at: no network, and nothing of a notebook runs.

The overview is plain HTML. The page of a notebook is data until it is opened; then the script puts
it in as text, cell by cell. The policy of the file lets no other script and no style run, and loads
nothing: pictures stand in the file itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pytest_nbsafe.findings import Finding, NotebookReport, Report, sort_key
from pytest_nbsafe.pages import PageCell, PageOutput, PageParting
from pytest_nbsafe.reports import escape as escapes
from pytest_nbsafe.reports import text
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import encodable

_FOLDER = Path(__file__).with_name("html_page")
MOST_BYTES = 16_000_000
"""Of all outputs together; each notebook has its share, and at least `LEAST_BYTES`."""
LEAST_BYTES = 12_000
_LEFT_OUT = "(left out, for the report would become too large)"


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the overview, and the data of each notebook's page."""
    by_path: dict[str, list[Finding]] = {notebook.path: [] for notebook in report.notebooks}
    for finding in sorted(report.findings, key=sort_key):
        by_path.setdefault(finding.path, []).append(finding)
    share = max(MOST_BYTES // max(len(report.notebooks), 1), LEAST_BYTES)
    notebooks = [(notebook, by_path[notebook.path]) for notebook in report.notebooks]
    rows = (_row(number, *each) for number, each in enumerate(notebooks))
    data = (_data(number, *each, share) for number, each in enumerate(notebooks))
    parts = [*_head(), *_overview(report, rows), *data, *_end()]
    return escapes.encodable("\n".join(parts)) + "\n"


@cache
def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _head() -> Iterator[str]:
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>nbsafe report</title><style>{style}</style></head><body>"


def _overview(report: Report, rows: Iterable[str]) -> Iterator[str]:
    codes = Counter(finding.code for finding in report.findings)
    words = Counter(notebook.word for notebook in report.notebooks)
    severities = Counter(finding.severity for finding in report.findings)
    sums = {
        "notebooks": len(report.notebooks),
        "errors": severities["error"],
        "warnings": severities["warning"],
        **dict(words.most_common()),
    }
    yield '<a class="skip" href="#overview">to the overview</a>'
    yield '<header class="bar"><h1>nbsafe report</h1>'
    yield f"<span>{escape(text.summary(report))}</span>"
    yield '<span class="space"></span><button type="button" id="theme">theme: system</button>'
    yield '<button type="button" id="help">keys</button></header><main>'
    yield '<div id="overview"><ul class="sum">'
    yield from (f"<li><strong>{n}</strong> {escape(word)}</li>" for word, n in sums.items())
    yield '</ul><div class="filters"><label for="search">search</label>'
    yield '<input type="search" id="search" placeholder="path, code or words">'
    for status in dict.fromkeys(notebook.status for notebook in report.notebooks):
        yield _button("status", status, status)
    for code, n in sorted(codes.items()):
        yield _button("code", code, f"{code} &times; {n}")
    yield '<span id="left" role="status"></span></div>'
    yield "<table><caption>Notebooks</caption><thead><tr>"
    yield '<th scope="col">notebook</th><th scope="col">verdict</th>'
    yield '<th scope="col" class="number">errors</th><th scope="col" class="number">warnings</th>'
    yield '<th scope="col" class="wide">findings</th>'
    yield '<th scope="col" class="number wide">seconds</th></tr></thead><tbody>'
    yield from rows
    yield '</tbody></table></div><div id="notebook" class="hidden"></div></main>'


def _button(kind: str, value: str, words: str) -> str:
    return f'<button type="button" aria-pressed="false" data-{kind}="{value}">{words}</button>'


def _row(number: int, notebook: NotebookReport, findings: list[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    codes = [*dict.fromkeys(finding.code for finding in findings)]
    word = notebook.word
    said = (f"{finding.code} {finding.name} {finding.message}" for finding in findings)
    searched = " ".join((notebook.path, word, *said))
    return (
        f'<tr data-text="{escape(escapes.line(searched.lower()))}" data-codes="{" ".join(codes)}" '
        f'data-status="{notebook.status}">'
        f'<td class="path"><a href="#{number}">{escape(escapes.line(notebook.path))}</a></td>'
        f'<td><span class="tag {notebook.status} {_class(word)}">{escape(word)}</span></td>'
        f'<td class="number">{counts["error"]}</td><td class="number">{counts["warning"]}</td>'
        f'<td class="wide">{escape(" ".join(codes) or escapes.line(notebook.note))}</td>'
        f'<td class="number wide">{notebook.duration_s:.1f}</td></tr>'
    )


def _class(word: str) -> str:
    return escape(word.replace(" ", "-"))


def _end() -> Iterator[str]:
    yield '<dialog id="keys" aria-label="keys"><p><kbd>j</kbd> <kbd>k</kbd> next, previous cell</p>'
    yield "<p><kbd>n</kbd> <kbd>p</kbd> next, previous finding</p>"
    yield "<p><kbd>o</kbd> all notebooks</p><p><kbd>/</kbd> search</p>"
    yield '<form method="dialog"><button>close</button></form></dialog>'
    yield "<noscript><p>The pages of the notebooks need the script of this file.</p></noscript>"
    yield f"<script>{_part('page.js')}</script></body></html>"


# ------------------------------------------------------------------ the pages, as data


def _data(number: int, notebook: NotebookReport, findings: list[Finding], share: int) -> str:
    page = notebook.page
    budget = _Budget(share)
    document = {
        "path": escapes.line(notebook.path),
        "status": notebook.status,
        "verdict": notebook.word,
        "reasons": [escapes.sentence(reason) for reason in notebook.reasons],
        "note": escapes.sentence(notebook.note),
        "order": page.order if page else "",
        "parting": _parting(page.parting) if page and page.parting else None,
        "plan": [
            [step.cell, step.count, step.reason, step.session, step.probability]
            for step in (page.plan if page else ())
        ],
        "findings": [_finding(finding) for finding in findings],
        "cells": [_cell(cell, budget) for cell in (page.cells if page else ())],
    }
    content = json.dumps(encodable(document), separators=(",", ":"))
    inert = content.replace("<", "\\u003c")  # no tag, and no end of this one, stands in it
    return f'<script type="application/json" id="data-{number}">{inert}</script>'


def _parting(parting: PageParting) -> list[str | int]:
    return [parting.cell, parting.name, parting.read, parting.there, parting.here]


def _finding(finding: Finding) -> dict[str, Any]:
    where = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "verdict": finding.verdict,
        "cell": where.cell,
        "line": where.line,
        "endLine": where.end_line,
        "message": escapes.sentence(finding.message),
        "remedy": escapes.sentence(finding.remedy),
        "patch": text.patch(finding),
        "steps": [[s.cell, s.line, escapes.sentence(s.cause)] for s in finding.steps],
    }


def _cell(cell: PageCell, budget: _Budget) -> dict[str, Any]:
    shows_both = cell.changed or not cell.new
    saved = [budget.within(output) for output in (cell.saved if shows_both else ())]
    return {
        "number": cell.number,
        "kind": cell.kind,
        "source": cell.source,
        "count": cell.count,
        "saved": saved,
        "new": [budget.within(output) for output in cell.new],
        "changed": cell.changed,
        "status": cell.status,
        "took": round(cell.duration_s, 3),
        "reads": [[read.name, read.cell] for read in cell.reads],
        "makes": list(cell.makes),
        "differs": list(cell.differs),
    }


class _Budget:
    """How many bytes of outputs a notebook may still bring."""

    def __init__(self, left: int) -> None:
        self._left = left

    def within(self, output: PageOutput) -> list[str]:
        """Return an output as data, or that it is left out."""
        if len(output.text) > self._left:
            return ["text", _LEFT_OUT, ""]
        self._left -= len(output.text)
        return [output.kind, output.text, output.media]
