"""The report in the Reviewdog Diagnostic Format: for comments in reviews, wherever reviewdog goes.

Source: reviewdog, proto/rdf (DiagnosticResult).
"""

from __future__ import annotations

from typing import Any

from pytest_nbsafe.findings import Finding, Report, Step, sort_key
from pytest_nbsafe.reports import escape, places
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import dump

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the findings as diagnostics; the steps of each are its related locations."""
    findings = sorted(report.findings, key=sort_key)
    return dump(
        {
            "source": {"name": "nbsafe"},
            "diagnostics": [_diagnostic(finding, report.root) for finding in findings],
        }
    )


def _diagnostic(finding: Finding, root: str) -> dict[str, Any]:
    path = places.address(finding.path, root)
    diagnostic: dict[str, Any] = {
        "message": f"{finding.name} ({finding.verdict}): {places.sentence(finding)}",
        "location": _location(path, places.line(finding)),
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code},
    }
    if finding.steps:
        diagnostic["related_locations"] = [
            _related(path, step, line) for step, line in places.steps(finding)
        ]
    return diagnostic


def _related(path: str, step: Step, line: int) -> dict[str, Any]:
    return {
        "message": escape.sentence(step.cause),
        "location": _location(path, line),
    }


def _location(path: str, line: int) -> dict[str, Any]:
    return {"path": path, "range": {"start": {"line": line}}}
