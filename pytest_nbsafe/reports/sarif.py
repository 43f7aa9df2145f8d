"""The report as SARIF 2.1.0: for GitHub's code scanning and other viewers of analyses.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0, errata 01.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from pytest_nbsafe import __version__
from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Finding, Report, Step, sort_key
from pytest_nbsafe.locations import NOTEBOOK
from pytest_nbsafe.reports import escape, places, text
from pytest_nbsafe.reports.colour import Paint, plain
from pytest_nbsafe.reports.json import dump, picked

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_INDEX = {code: index for index, code in enumerate(CODES)}


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the report as a SARIF log with one run; all codes are its rules."""
    findings = places.numbered(sorted(report.findings, key=sort_key))
    run = {
        "tool": {
            "driver": {
                "name": "nbsafe",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in CODES],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, number, report.root) for finding, number in findings],
    }
    return dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> dict[str, Any]:
    row = CODES[code]
    says = f"{row.says[:1].upper()}{row.says[1:]}."
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in row.name.split("-")),
        "shortDescription": {"text": says},
        "help": {"text": f"{says} `nbsafe explain {code}` says more, with examples."},
        "defaultConfiguration": {"level": row.severity},
        "properties": {"tags": ["notebook", row.name]},
    }


def _result(finding: Finding, number: int, root: str) -> dict[str, Any]:
    where = finding.location
    result = {
        "ruleId": finding.code,
        "ruleIndex": _INDEX[finding.code],
        "level": finding.severity,
        "message": _message(places.sentence(finding)),
        "locations": [_location(finding.path, places.line(finding), where.cell, root)],
        "partialFingerprints": {
            # The name that GitHub knows one finding by from one upload to the next.
            "primaryLocationLineHash": f"{finding.fingerprint}:{number}",
            "nbsafe/v1": f"{finding.fingerprint}:{number}",
        },
        "properties": {
            **picked(finding, "name verdict"),
            "cell": where.cell,
            **picked(finding, "cell_id count"),
            **picked(where, "line column end_line end_column"),
        },
    }
    if finding.steps:
        flow = [_passed(finding, step, line, root) for step, line in places.steps(finding)]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return result


def _passed(finding: Finding, step: Step, line: int, root: str) -> dict[str, Any]:
    location = _location(finding.path, line, step.cell, root)
    location["message"] = _message(escape.encodable(text.said(step)))
    return {"location": location}


def _location(path: str, line: int, cell: int, root: str) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": _artifact(places.address(path, root)),
            "region": {"startLine": line},
        }
    }
    if cell != NOTEBOOK:
        location["logicalLocations"] = [{"name": f"cell {cell}", "kind": "module"}]
    return location


def _artifact(address: str) -> dict[str, str]:
    address = escape.encodable(address)
    if PurePosixPath(address).is_absolute() or Path(address).is_absolute():
        return {"uri": Path(address).as_uri()}
    return {"uri": quote(address), "uriBaseId": "%SRCROOT%"}


def _message(said: str) -> dict[str, str]:
    """Return a message; what would be a link in it is none."""
    return {"text": said.replace("](", "] (")}
