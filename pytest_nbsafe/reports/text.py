"""The report as text: findings with their frame, their path step by step, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pytest_nbsafe import suffixes
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import (
    Finding,
    NotebookReport,
    OrderOutcome,
    Outcome,
    Report,
    Resumed,
    Step,
    fails,
)
from pytest_nbsafe.locations import NOTEBOOK
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.reports import escape, frames
from pytest_nbsafe.reports.colour import Paint, Role, plain
from pytest_nbsafe.sentences import few, many

_ALONG = "    "
_EDIT = "An edit that may do it; `nbsafe fix --unsafe` makes it where a run proves it:"
_PATCHED: Mapping[str, Role] = {"-": "error", "+": "remedy"}
"""How a line of an edit is coloured, by its first character."""
_MOST_PATHS = 20
"""Of a fault that is the same in more notebooks some are named."""
_MOST_RESUMED = 3
_SHOWN_S = 0.05
"""What is less is shown as nothing."""


def render(report: Report, paint: Paint = plain) -> str:
    """Return the whole report for a terminal or a log, ending in a line that counts."""
    blocks = ["\n".join(_listed(group, paint)) for group in _alike(report.findings)]
    notes = "\n".join(
        f"{escape.line(n.path)}: {escape.line(n.note)}" for n in report.notebooks if n.note
    )
    quiet = "\n".join(remarks(report.notebooks))
    renewed = "\n".join(updated(report.notebooks))
    blocks += filter(None, (notes, quiet, *map(_compared, report.notebooks), renewed))
    return "\n\n".join([*blocks, summary(report, paint)]) + "\n"


def summary(report: Report, paint: Paint = plain) -> str:
    """Return the counting line: `3 errors, 1 warning in 2 notebooks: 1 clean, 1 stale`."""
    severities = [finding.severity for finding in report.findings]
    parts = [
        paint(many(severities.count(severity), severity), severity)
        for severity in ("error", "warning", "note")
        if severity in severities
    ]
    notebooks = many(len(report.notebooks), "notebook")
    known = sum(notebook.known for notebook in report.notebooks)
    rest = f" ({known} known from the baseline)" if known else ""
    gone = fixed(report.notebooks)
    counted = f"{', '.join(parts) or 'no findings'} in {notebooks}{rest}"
    told = verdicts(report.notebooks)
    return f"{counted}{told and f': {told}'}{gone and f'; {gone}'}"


def verdicts(notebooks: Sequence[NotebookReport]) -> str:
    """Return what became of the notebooks that were run, empty where all of them are clean."""
    words = Counter(notebook.word for notebook in notebooks if notebook.verdict)
    if words.keys() <= {"clean"}:
        return ""
    if len(notebooks) == 1:
        return next(iter(words))
    return ", ".join(f"{number} {word}" for word, number in sorted(words.items()))


def fixed(notebooks: Iterable[NotebookReport]) -> str:
    """Return how much of the baseline is fixed, empty where nothing is."""
    number = sum(len(notebook.fixed) for notebook in notebooks)
    if not number:
        return ""
    are = "is" if number == 1 else "are"
    return f"{many(number, 'entry', 'entries')} of the baseline {are} fixed (--update-baseline)"


# ------------------------------------------------------------- one finding


def title(finding: Finding) -> str:
    """Return what a finding is called: `NBS201 stale-output (confirmed)`."""
    return f"{finding.code} {finding.name} ({finding.verdict})"


def block(finding: Finding, notebook: Notebook | None = None, paint: Paint = plain) -> list[str]:
    """Return a finding in full: where and what, the message, the frame, the path, the remedy."""
    where = frames.place(finding.location, finding.count, finding.file_line)
    head = f"{_file(finding)}, {where}: {title(finding)}"
    message = [escape.sentence(finding.message)] if finding.message else []
    return [paint(head, finding.severity), *message, *_body(finding, notebook, paint)]


def brief(finding: Finding) -> str:
    """Return a finding in one line, for a list that names the notebook already."""
    where = frames.place(finding.location, finding.count, finding.file_line)
    return f"{where}: {title(finding)}: {escape.sentence(finding.message)}"


def key(finding: Finding) -> str:
    """Return a finding as a property for machines: `NBS201 confirmed cell 3 line 1`."""
    where = finding.location
    return f"{finding.code} {finding.verdict} cell {where.cell} line {where.line}"


def headline(finding: Finding) -> str:
    """Return what a summary of many tests has room for: the code and the message."""
    return f"{finding.code} {escape.sentence(finding.message)}"


def _alike(findings: Iterable[Finding]) -> Iterable[list[Finding]]:
    """Return findings in groups: what is the same of several notebooks as a whole is told once."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        whole = finding.location.cell == NOTEBOOK and not finding.file_line
        key = (finding.code, finding.message, finding.remedy) if whole else id(finding)
        groups.setdefault(key, []).append(finding)
    return groups.values()


def _listed(alike: Sequence[Finding], paint: Paint) -> list[str]:
    finding, *others = alike
    path, where = _file(finding), finding.location
    if not suffixes.is_text(finding.path):
        if where.cell != NOTEBOOK:
            path = f"{path}:cell {where.cell}:line {where.line}"
        elif finding.file_line:
            path = f"{path}:{finding.file_line}"
    severity = paint(finding.severity, finding.severity)
    head = (
        f"{paint(path, 'heading')}  {severity} {title(finding)}  {escape.sentence(finding.message)}"
    )
    paths = [escape.line(other.path) for other in others]
    also = [f"The same in {few(paths, _MOST_PATHS)}"] if paths else []
    return [head, *also, *_body(finding, None, paint)]


def _file(finding: Finding) -> str:
    """Return the path of a notebook, and the line where it is text, whose lines a reader sees."""
    path = escape.line(finding.path)
    is_shown = finding.file_line and suffixes.is_text(finding.path)
    return f"{path}:{finding.file_line}" if is_shown else path


def _body(finding: Finding, notebook: Notebook | None, paint: Paint) -> list[str]:
    lines = frames.of_notebook(notebook, finding.location, finding.anchor)
    drawn = frames.frame(lines, finding.location, paint)
    remedy = (
        [paint(f"To fix: {escape.sentence(finding.remedy)}", "remedy")] if finding.remedy else []
    )
    edit = [_ALONG + paint(line, _PATCHED.get(line[:1], "frame")) for line in patch(finding)]
    return [*drawn, *_path(finding.steps, paint), *remedy, *([_EDIT] if edit else []), *edit]


def patch(finding: Finding) -> list[str]:
    """Return the lines of the edit that may mend a finding, as a terminal or a page may show."""
    return [escape.line(line) for line in finding.patch]


def _path(steps: Sequence[Step], paint: Paint) -> list[str]:
    if not steps:
        return []
    numbered = [f"  {number}. {said(step)}" for number, step in enumerate(steps, start=1)]
    return [paint("How it came about:", "heading"), *numbered]


def said(step: Step) -> str:
    """Return a step of a path: `cell 2 (line 1): made ...`."""
    where = f"cell {step.cell} (line {step.line})" if step.cell != NOTEBOOK else "the notebook"
    return f"{where}: {escape.sentence(step.cause)}"


# --------------------------------------------------------- one item of pytest


def item(
    outcome: Outcome, notebook: Notebook | None, *, strict: bool, paint: Paint = plain
) -> list[str]:
    """Return the report of one failed cell: what failed it, then the cell's own traceback."""
    shown = failing(outcome, strict=strict) or outcome.findings
    blocks = [block(finding, notebook, paint) for finding in shown]
    if not blocks:
        blocks = [[paint(reason(outcome), "error")]]
    if outcome.traceback:
        text = escape.clean(escape.clipped(outcome.traceback)).strip("-\n")
        lines = [f"    {line}".rstrip() for line in text.split("\n")]
        blocks.append([paint("What the cell raised:", "heading"), *lines])
    if outcome.opens:
        blocks.append([f"To open the state before it: {escape.line(outcome.opens)}"])
    return _joined(blocks)


def failing(outcome: Outcome, *, strict: bool) -> tuple[Finding, ...]:
    """Return the findings that fail the item: errors, under strict warnings too."""
    return tuple(finding for finding in outcome.findings if fails(finding, strict=strict))


def reason(outcome: Outcome) -> str:
    """Return why an item failed or was skipped, in one line."""
    return escape.sentence(outcome.reason) or f"cell {outcome.cell} {outcome.status}"


def printed(written: str) -> str:
    """Return what a cell printed, fit for a report."""
    return escape.clean(escape.clipped(written))


def grouped(findings: Iterable[Finding]) -> list[str]:
    """Return findings in one line each, under the notebook that they stand in."""
    lines: list[str] = []
    path = None
    for finding in findings:
        if finding.path != path:
            path = finding.path
            lines.append(escape.line(path))
        lines.append(f"  {brief(finding)}")
    return lines


# ------------------------------------------------------------------- the rest


def updated(notebooks: Iterable[NotebookReport]) -> list[str]:
    """Return the lines of a diff of the outputs that were saved."""
    return [escape.clean(line) for notebook in notebooks for line in notebook.updated]


def remarks(notebooks: Iterable[NotebookReport]) -> list[str]:
    """Return what is to be told quietly of notebooks, one line each."""
    return [f"{escape.line(n.path)}: {escape.line(said)}" for n in notebooks for said in n.remarks]


def resumed(notebooks: Iterable[NotebookReport]) -> list[str]:
    """Return what is to be told of all that was reused: why nothing was once, and a count."""
    told: dict[str, list[str]] = {}
    total = Resumed(0, 0, 0.0)
    for notebook in notebooks:
        each = notebook.resumed or Resumed(0, 0, 0.0)
        total = Resumed(
            total.runs + each.runs,
            total.reused + each.reused,
            total.saved_s + each.saved_s,
            again_s=total.again_s + each.again_s,
        )
        for said in each.told:
            told.setdefault(said, []).append(escape.line(notebook.path))
    lines = [
        f"{few(sorted(paths), _MOST_RESUMED)}: {escape.line(said)}"
        for said, paths in sorted(told.items())
    ]
    is_counted = total.reused or (total.runs and not told)
    return [*lines, reused(total)] if is_counted else lines


def reused(counted: Resumed) -> str:
    """Return how many of some runs were reused, as the beginning of a sentence."""
    runs = many(counted.runs, "run")
    spent = f" ({counted.again_s:.1f} s went into making values again)"
    again = spent if counted.again_s >= _SHOWN_S else ""
    return f"{counted.reused} of {runs} reused, {counted.saved_s:.1f} s saved{again}"


def _compared(notebook: NotebookReport) -> str:
    """Return the orders of a notebook as a table, empty where they were not compared."""
    if not notebook.compared:
        return ""
    head = f"{escape.line(notebook.path)}: what each order gives of the saved outputs"
    return "\n".join([head, *orders_compared(notebook.compared)])


def orders_compared(outcomes: Iterable[OrderOutcome]) -> list[str]:
    """Return a table of orders, a line each."""
    lines = ["order         runs  as saved  failed"]
    for each in outcomes:
        given = "not run" if each.given is None else f"{each.given} of {each.of}"
        failed = "" if each.failed is None else each.failed
        lines.append(f"{each.order:<12} {each.runs:>5}  {given:>8}  {failed:>6}".rstrip())
    return lines


def codes() -> str:
    """Return the table of codes, one a line."""
    wide = max(len(row.name) for row in CODES.values())
    rows = [f"{r.code}  {r.name:<{wide}}  {r.severity:<7}  {r.says}" for r in CODES.values()]
    return "\n".join(rows) + "\n"


def _joined(blocks: Sequence[Sequence[str]]) -> list[str]:
    lines: list[str] = []
    for block_ in blocks:
        lines += [*([""] if lines else []), *block_]
    return lines
