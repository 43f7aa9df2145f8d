"""Every order that can be asked for, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.order import archaeology, dependency, inferred
from pytest_nbsafe.order.plan import OrderName, Plan, Run, runnable


def recorded(graph: Graph) -> Plan:
    """Return the plan that follows the counts; equal counts stand in page order.

    Cells that were never run are left out.
    """
    counted = [(cell.count, cell.number) for cell in runnable(graph) if cell.count is not None]
    runs = (
        Run(step, number, count, recorded=True, reason=f"recorded as [{count}]")
        for step, (count, number) in enumerate(sorted(counted), 1)
    )
    return Plan("recorded", tuple(runs))


def topdown(graph: Graph) -> Plan:
    """Return the plan that runs every cell once in page order; its runs stand for no count."""
    runs = (
        Run(step, cell.number, None, recorded=False, reason="next on the page")
        for step, cell in enumerate(runnable(graph), 1)
    )
    return Plan("top-down", tuple(runs))


ORDERINGS: Mapping[str, Callable[[Graph], Plan]] = MappingProxyType(
    {
        "recorded": recorded,
        "inferred": inferred.plan,
        "top-down": topdown,
        "archaeology": archaeology.archaeology,
        "base": archaeology.base,
        "dependency": dependency.plan,
    }
)
"""Every order that can be asked for; `auto` chooses among them."""


def plan(graph: Graph, order: str) -> Plan:
    """Return the plan of a notebook by an order of `ORDERINGS`, or "auto" ("all" is that, too).

    Raises:
        NbsafeError: there is no such order.

    """
    name = chosen(graph, order)
    if name not in ORDERINGS:
        hint = f"one of auto, all, {', '.join(ORDERINGS)}"
        raise NbsafeError("unknown-order", f"there is no order {order!r}", hint)
    return ORDERINGS[name](graph)


def chosen(graph: Graph, order: str) -> str:
    """Return the name of the order that is meant: "auto" and "all" leave the choice open."""
    return choose(graph) if order in {"auto", "all"} else order


def choose(graph: Graph) -> OrderName:
    """Return the order that the counts speak for.

    Complete counts without gap or repeat: recorded. No counts at all: top-down. Else inferred.
    """
    counts = [cell.count for cell in runnable(graph)]
    known = sorted(count for count in counts if count is not None)
    if not known:
        return "top-down"
    return "recorded" if known == list(range(1, len(counts) + 1)) else "inferred"


def differs(plan: Plan, page: Plan) -> bool:
    """Whether a plan runs its cells in another order than the page, or any of them twice.

    Cells that the plan leaves out make no difference.
    """
    ran = set(plan.cells)
    return plan.cells != tuple(cell for cell in page.cells if cell in ran)
