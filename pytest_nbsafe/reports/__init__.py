"""Reporters: one module a format; each reads a report and computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_nbsafe.findings import Report
from pytest_nbsafe.reports import json, text
from pytest_nbsafe.reports.colour import Paint

REPORTERS: Mapping[str, Callable[[Report, Paint], str]] = {"json": json.render, "text": text.render}
