"""The report as Markdown: for a comment in a review, or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_nbsafe.findings import Finding, Report, sort_key
from pytest_nbsafe.reports import escape, frames, text
from pytest_nbsafe.reports.colour import Paint, plain

_MARKS = re.compile(r"([\\*_\[\]<>#|~!])")


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the counts, and the findings notebook by notebook with their paths folded away."""
    blocks = [f"### nbsafe: {text.summary(report)}"]
    findings = sorted(report.findings, key=sort_key)
    for path, inside in groupby(findings, key=lambda finding: finding.path):
        blocks += [f"#### {_code(escape.line(path))}", *("\n".join(_item(f)) for f in inside)]
    notes = [f"- {_code(escape.line(n.path))}: {said(n.note)}" for n in report.notebooks if n.note]
    return escape.encodable("\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])) + "\n"


def _item(finding: Finding) -> Iterator[str]:
    where = frames.place(finding.location, finding.count, finding.file_line)
    name = f"**{finding.code} {finding.name}** ({finding.verdict})"
    yield f"- **{finding.severity}** {said(where)}: {name}  "
    yield f"  {said(finding.message)}"
    drawn = frames.frame(
        frames.of_notebook(None, finding.location, finding.anchor), finding.location
    )
    if drawn:
        yield from ("", *(f"  {line}" for line in _fenced("text", drawn)))
    if finding.remedy:
        yield from ("", f"  To fix: {said(finding.remedy)}")
    if finding.patch:
        yield from ("", *(f"  {line}" for line in _fenced("diff", text.patch(finding))))
    if finding.steps:
        yield from ("", "  <details><summary>How it came about</summary>", "")
        steps = enumerate(map(text.said, finding.steps), start=1)
        yield from (f"  {number}. {said(step)}" for number, step in steps)
        yield from ("", "  </details>")


def _fenced(language: str, lines: Sequence[str]) -> Iterator[str]:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", "\n".join(lines))), default=0))
    yield from (f"{fence}{language}", *lines, fence)


def said(sentence: str) -> str:
    """Return a sentence in which only code that stands between backticks is marked."""
    parts = escape.sentence(sentence).split("`")
    if not len(parts) % 2:  # a backtick of the notebook's own
        return _plain("'".join(parts))
    return "".join(_code(part) if n % 2 else _plain(part) for n, part in enumerate(parts))


def _plain(words: str) -> str:
    """Return words that mark nothing, and that call nobody."""
    return _MARKS.sub(r"\\\1", words).replace("&", "&amp;").replace("@", "@\u2060")


def _code(words: str) -> str:
    longest = max(map(len, re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {words} {fence}" if longest else f"`{words}`" if words else "``"
