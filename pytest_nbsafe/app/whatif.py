"""`nbsafe whatif`: what would follow if one cell of a notebook ran again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe.absint import whatif_search
from pytest_nbsafe.app.facts import python_graph
from pytest_nbsafe.order import orderings as orders
from pytest_nbsafe.reports.whatif_report import WhatIfReport


def whatif(
    path: Path,
    settings: Mapping[str, Any],
    run: int,
    change: str | None = None,
    depth: int | None = 3,
) -> WhatIfReport:
    """Return what would follow if one cell of a notebook ran again after its plan.

    `change` restricts it to one name that the cell binds; up to `depth` runs of other cells come
    after it, however many when it is None.

    Raises:
        NbsafeError: the notebook cannot be read, is not Python, or has no such cell or name.

    """
    graph, config = python_graph(path, settings)
    plan = orders.plan(graph, config.order)
    answer = whatif_search.whatif(graph, plan, run, change, depth, leakage=config.leak_roles)
    return WhatIfReport(graph.notebook, plan.order, answer)
