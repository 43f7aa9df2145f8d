"""A report as plain data and back: for the cache, and from a worker of pytest-xdist.

What comes back may be forged: each field is of its type (a bool is no number), and each word one
that is known, or nothing comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.findings import Cost, Finding, NotebookReport, Report, Step
from pytest_nbsafe.locations import Location

_Form = Mapping[str, tuple[type, ...]]
_NUMBER = (float, int)
_LOCATION: _Form = {
    "cell": (int,),
    "line": (int,),
    "column": (int,),
    "end_line": (int, type(None)),
    "end_column": (int, type(None)),
}
_STEP: _Form = {"cell": (int,), "line": (int,), "cause": (str,)}
_COST: _Form = {"order": (str,), "wall_s": _NUMBER, "cpu_s": _NUMBER}
_FINDING: _Form = {
    "code": (str,),
    "severity": (str,),
    "verdict": (str,),
    "path": (str,),
    "message": (str,),
    "remedy": (str,),
    "cell_id": (str, type(None)),
    "count": (int, type(None)),
    "file_line": (int, type(None)),
    "anchor": (str,),
}
_NOTEBOOK: _Form = {
    "path": (str,),
    "cells": (int,),
    "status": (str,),
    "duration_s": _NUMBER,
    "note": (str,),
    "known": (int,),
}
_WORDS = {
    "code": CODES.keys(),
    "severity": {"error", "warning", "note"},
    "verdict": {"suspected", "observed", "confirmed", "refuted", "proved"},
    "status": {"passed", "failed", "skipped", "not-analysed"},
}


def pack(report: Report) -> list[Any]:
    """Return a report as lists of text, numbers and None."""
    return [
        [
            [
                _values(notebook, _NOTEBOOK),
                [*notebook.orders],
                [_values(cost, _COST) for cost in notebook.costs],
            ]
            for notebook in report.notebooks
        ],
        [
            [
                _values(finding, _FINDING),
                _values(finding.location, _LOCATION),
                [_values(step, _STEP) for step in finding.steps],
                [*finding.symbols],
            ]
            for finding in report.findings
        ],
    ]


def unpack(data: Any) -> Report:
    """Return the report that was packed.

    Raises:
        ValueError: the form is another (or TypeError).

    """
    notebooks, findings = _list(data)
    return Report(
        tuple(_finding(*_list(parts)) for parts in _list(findings)),
        tuple(_notebook(*_list(parts)) for parts in _list(notebooks)),
    )


def _notebook(fields: Any, orders: Any, costs: Any) -> NotebookReport:
    return NotebookReport(
        orders=_texts(orders),
        costs=tuple(Cost(**_fields(cost, _COST)) for cost in _list(costs)),
        **_fields(fields, _NOTEBOOK),
    )


def _finding(fields: Any, location: Any, steps: Any, symbols: Any) -> Finding:
    return Finding(
        location=Location(**_fields(location, _LOCATION)),
        steps=tuple(Step(**_fields(step, _STEP)) for step in _list(steps)),
        symbols=_texts(symbols),
        **_fields(fields, _FINDING),
    )


def _values(value: object, form: _Form) -> list[Any]:
    return [getattr(value, name) for name in form]


def _fields(values: Any, form: _Form) -> dict[str, Any]:
    fields = dict(zip(form, _list(values), strict=True))
    for name, value in fields.items():
        if type(value) not in form[name] or value not in _WORDS.get(name, (value,)):
            raise ValueError(name)
    return fields


def _texts(values: Any) -> tuple[str, ...]:
    if not all(type(value) is str for value in _list(values)):
        raise ValueError("no text")
    return tuple(values)


def _list(value: Any) -> Sequence[Any]:
    if type(value) is not list:
        raise ValueError("no list")
    return value
