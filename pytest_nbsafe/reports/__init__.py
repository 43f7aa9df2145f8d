"""Reporters: one module a format; each reads a report and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_nbsafe.findings import Report
from pytest_nbsafe.reports import json, text
from pytest_nbsafe.reports.reporter import Reporter

REPORTERS: Mapping[str, Reporter[Report]] = {"json": json.render, "text": text.render}
