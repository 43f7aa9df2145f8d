"""Reporters: one module a format; each reads a report and computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from pytest_nbsafe.findings import Report
from pytest_nbsafe.options import FORMATS
from pytest_nbsafe.reports.colour import Paint

Reporter = Callable[[Report, Paint], str]


def _reporter(name: str) -> Reporter:
    def render(report: Report, paint: Paint) -> str:
        reporter: Reporter = import_module(f"{__name__}.{name}").render
        return reporter(report, paint)

    return render


REPORTERS: Mapping[str, Reporter] = {name: _reporter(name) for name in FORMATS}
"""Each format has the name of its module, which is imported when a report is written in it."""
