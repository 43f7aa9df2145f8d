"""A report as plain data and back: how it travels from a worker of pytest-xdist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pytest_nbsafe.findings import Cost, Finding, NotebookReport, Report, Step
from pytest_nbsafe.locations import Location
from pytest_nbsafe.reports.json import encodable


def pack(report: Report) -> dict[str, Any]:
    """Return a report as dicts, lists, numbers and encodable text."""
    return {
        "findings": [encodable(asdict(finding)) for finding in report.findings],
        "notebooks": [encodable(asdict(notebook)) for notebook in report.notebooks],
    }


def unpack(data: Mapping[str, Any]) -> Report:
    """Return the report that was packed."""
    findings = tuple(_finding(**fields) for fields in data["findings"])
    notebooks = tuple(_notebook(**fields) for fields in data["notebooks"])
    return Report(findings, notebooks)


def _finding(
    location: Mapping[str, Any],
    steps: list[Mapping[str, Any]],
    symbols: list[str],
    **fields: Any,
) -> Finding:
    return Finding(
        location=Location(**location),
        steps=tuple(Step(**step) for step in steps),
        symbols=tuple(symbols),
        **fields,
    )


def _notebook(orders: list[str], costs: list[Mapping[str, Any]], **fields: Any) -> NotebookReport:
    return NotebookReport(
        orders=tuple(orders), costs=tuple(Cost(**cost) for cost in costs), **fields
    )
