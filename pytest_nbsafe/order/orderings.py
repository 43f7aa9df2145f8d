"""Every order that can be asked for, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.order import inferred, recorded, topdown
from pytest_nbsafe.order.plan import OrderName, Plan
from pytest_nbsafe.order.runnable_cells import runnable

ORDERINGS: Mapping[OrderName, Callable[[Graph], Plan]] = MappingProxyType(
    {
        "recorded": recorded.plan,
        "inferred": inferred.plan,
        "top-down": topdown.plan,
    }
)
"""Every order that can be asked for; `auto` chooses among them."""


def plan(graph: Graph, order: str) -> Plan:
    """Return the plan of a notebook by an order of `ORDERINGS`, or "auto".

    Raises:
        NbsafeError: there is no such order.

    """
    name = choose(graph) if order == "auto" else order
    for known, strategy in ORDERINGS.items():
        if known == name:
            return strategy(graph)
    hint = f"one of auto, {', '.join(ORDERINGS)}"
    raise NbsafeError("unknown-order", f"there is no order {order!r}", hint)


def choose(graph: Graph) -> OrderName:
    """Return the order that the counts speak for.

    Complete counts without gap or repeat: recorded. No counts at all: top-down. Else inferred.
    """
    counts = [cell.count for cell in runnable(graph)]
    known = sorted(count for count in counts if count is not None)
    if not known:
        return "top-down"
    return "recorded" if known == list(range(1, len(counts) + 1)) else "inferred"


def differs(plan: Plan, topdown: Plan) -> bool:
    """Whether a plan runs its cells in another order than the page, or any of them twice.

    Cells that the plan leaves out make no difference.
    """
    ran = set(plan.cells)
    return plan.cells != tuple(cell for cell in topdown.cells if cell in ran)
