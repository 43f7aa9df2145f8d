"""The report as commands of GitHub Actions: an annotation at the line of each finding.

Source: GitHub's documentation, "Workflow commands for GitHub Actions".
"""

from __future__ import annotations

from pytest_nbsafe.findings import Finding, Report, sort_key
from pytest_nbsafe.reports import escape, places, text
from pytest_nbsafe.reports.colour import Paint, plain

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_MOST_BYTES = 1_000_000
"""GitHub refuses a summary of more than 1 MiB."""


def render(report: Report, _paint: Paint = plain) -> str:
    """Return a command for each finding, errors first, for GitHub shows ten of a kind."""
    ranks = list(_COMMANDS)
    findings = sorted(report.findings, key=lambda f: (ranks.index(f.severity), sort_key(f)))
    lines = [_annotation(finding, report.root) for finding in findings]
    return "\n".join([*lines, text.summary(report)]) + "\n"


def summary(report: Report) -> str:
    """Return the summary of a job, cut where GitHub would refuse it whole."""
    from pytest_nbsafe.reports import markdown

    document = markdown.render(report)
    content = document.encode("utf-8")
    if len(content) <= _MOST_BYTES:
        return document
    start = content[:_MOST_BYTES].decode("utf-8", "ignore")
    return (
        start[: start.rindex("\n\n")] + "\n\nThe rest is left out: it is too much for a summary.\n"
    )


def _annotation(finding: Finding, root: str) -> str:
    properties = {
        "file": escape.line(places.address(finding.path, root)),
        "line": str(places.line(finding)),
        "title": text.title(finding),
    }
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    steps = [
        f"\n{number}. {step}" for number, step in enumerate(map(text.said, finding.steps), start=1)
    ]
    message = escape.encodable(places.sentence(finding) + "".join(steps))
    return f"::{_COMMANDS[finding.severity]} {shown}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
