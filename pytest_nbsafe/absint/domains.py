"""The domains that a what-if asks: an explicit table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pytest_nbsafe.absint import impact
from pytest_nbsafe.absint.engine import Domain
from pytest_nbsafe.absint.leakage import domain as leakage
from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.notebook.plan import Plan

Maker = Callable[[Graph, Plan, int, "str | None"], Domain[Any]]
"""Makes a domain for a notebook that was run as the plan says, and the cell (and name) changed."""

DOMAINS: Mapping[str, Maker] = MappingProxyType(
    {"impact": impact.domain, "leakage": leakage.domain}
)
"""What `impact` finds are stale reads; what any other domain finds are leaks."""
