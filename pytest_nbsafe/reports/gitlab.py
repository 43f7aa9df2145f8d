"""The report as GitLab's Code Quality: for the widget of a merge request.

Source: GitLab's documentation, "Code Quality report format".
"""

from __future__ import annotations

import hashlib
from typing import Any

from pytest_nbsafe.findings import Finding, Report, sort_key
from pytest_nbsafe.reports import places, text
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import dump

_SEVERITIES = {"error": "critical", "warning": "minor", "note": "info"}


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the findings as a list of issues."""
    findings = places.numbered(sorted(report.findings, key=sort_key))
    return dump([_issue(finding, number, report.root) for finding, number in findings])


def _issue(finding: Finding, number: int, root: str) -> dict[str, Any]:
    path = places.address(finding.path, root)
    key = "\0".join((path, finding.fingerprint, str(number))).encode("utf-8", "surrogatepass")
    return {
        "description": f"{text.title(finding)}: {places.sentence(finding)}",
        "check_name": finding.code,
        "fingerprint": hashlib.blake2b(key, digest_size=16).hexdigest(),
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": places.line(finding)}},
    }
