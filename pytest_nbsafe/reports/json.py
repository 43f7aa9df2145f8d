"""The report as JSON: one versioned form, sorted, the same bytes for the same values."""

from __future__ import annotations

import json
from typing import Any

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.findings import Finding, NotebookReport, Report, sort_key
from pytest_nbsafe.reports import escape
from pytest_nbsafe.reports.colour import Paint, plain

VERSION = 1
_WHERE_ANY = "note known fixed remarks verdict reasons updated"
"""What stands in a document only where there is some."""


def render(report: Report, _paint: Paint = plain) -> str:
    """Return the report as a JSON document; `costs` stand only where something was run."""
    document = {
        "version": VERSION,
        "findings": [_finding(f) for f in sorted(report.findings, key=sort_key)],
        "notebooks": [_notebook(n) for n in sorted(report.notebooks, key=lambda n: n.path)],
    }
    return dump(document)


def dump(document: Any) -> str:
    """Return a document as text of ASCII characters, keys in the order they were given."""
    return json.dumps(encodable(document), indent=2) + "\n"


def encodable(value: Any) -> Any:
    """Return plain data whose text every encoding of Unicode takes; tuples become lists."""
    if isinstance(value, str):
        return escape.encodable(value)
    if isinstance(value, dict):
        return {key: encodable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(inner) for inner in value]
    return value


def codes() -> str:
    """Return the table of codes."""
    from dataclasses import asdict

    return dump({"version": VERSION, "codes": [asdict(row) for row in CODES.values()]})


def picked(value: object, names: str) -> dict[str, Any]:
    """Return some attributes of a value by their names, in this order."""
    return {name: getattr(value, name) for name in names.split()}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        **picked(finding, "code name severity verdict path"),
        "cell": finding.location.cell,
        **picked(finding, "cell_id count"),
        **picked(finding.location, "line column end_line end_column"),
        **picked(finding, "file_line message"),
        "steps": [picked(step, "cell line cause") for step in finding.steps],
        **picked(finding, "remedy fingerprint"),
        **({"symbols": finding.symbols} if finding.symbols else {}),
        **({"patch": finding.patch} if finding.patch else {}),
    }


def _notebook(notebook: NotebookReport) -> dict[str, Any]:
    described = {
        **picked(notebook, "path cells orders status"),
        "duration_s": round(notebook.duration_s, 3),
        **{name: value for name, value in picked(notebook, _WHERE_ANY).items() if value},
    }
    if notebook.costs:
        described["costs"] = [
            {"order": c.order, "wall_s": round(c.wall_s, 3), "cpu_s": round(c.cpu_s, 3)}
            for c in notebook.costs
        ]
    if notebook.compared:
        described["compared"] = [picked(o, "order runs given of failed") for o in notebook.compared]
    if notebook.environment is not None:
        described["environment"] = environment(notebook.environment)
    return described


def environment(ran_in: Environment) -> dict[str, Any]:
    """Return an environment as a document, packages and files by their names."""
    return {
        **picked(ran_in, "python platform"),
        "packages": {entry.name: entry.value for entry in ran_in.packages},
        "files": {entry.name: entry.value for entry in ran_in.files},
        **picked(ran_in, "seeds variables"),
    }
