"""Reporters: one module a format; each reads a report and computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pytest_nbsafe.findings import Report
from pytest_nbsafe.reports import json, order, text

__all__ = ["ORDER_REPORTERS", "REPORTERS", "Reporter"]


class Reporter(Protocol):
    """A format: turns a report into a document."""

    def __call__(self, report: Report, *, colour: bool = False) -> str:
        """Return the report in this format; `colour` where the format knows any."""


class OrderReporter(Protocol):
    """A format of the answer of `nbsafe order`."""

    def __call__(self, answer: order.OrderAnswer, *, colour: bool = False) -> str:
        """Return the answer in this format."""


REPORTERS: Mapping[str, Reporter] = {"json": json.render, "text": text.render}
ORDER_REPORTERS: Mapping[str, OrderReporter] = {"json": order.as_json, "text": order.as_text}
