"""`nbsafe diff`: which names differ between two points of a notebook, or two orders, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.app import states
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.notebook_verdict import run_anew
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.judge.makers import makers
from pytest_nbsafe.judge.state_differences import DescribedState, StateDifferences, differences
from pytest_nbsafe.kernel.contract import SHOWN_AT_ONCE
from pytest_nbsafe.order import orderings
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.reports.diff_report import DiffReport
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.runner.kernel import StateDiffers
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.sentences import cells
from pytest_nbsafe.trace.results import CellResult

_Answer = tuple[StateDifferences, Sequence[CellResult]]


def of_cells(path: Path, settings: Mapping[str, Any], first: int, second: int) -> DiffReport:
    """Return how the state after one cell differs from that after another, in page order.

    Raises:
        NbsafeError: the notebook cannot be read or is not Python, has no such code cells, or its
            kernel does not start.

    """
    graph, config = python_graph(path, settings, as_run=True)
    numbers = orderings.topdown(graph).cells
    ways = [states.cells_as_far(path, graph, numbers, cell) for cell in (first, second)]
    earlier, later = sorted(ways, key=len)
    points = f"after cell {first}", f"after cell {second}"

    def ask(make: states.MakeSession) -> _Answer:
        with states.running(make, "clean", path) as session:
            results = states.run_all(session, earlier)
            between: list[CellResult] = []
            old = new = _state(session, path, points[earlier is ways[1]])
            if len(later) > len(earlier):
                between = states.run_all(session, later[len(earlier) :])
                new = _state(session, path, points[later is ways[1]])
        touched = {name for each in between for name in (*each.reads, *each.after)}
        pair = (old, new) if ways[0] is earlier else (new, old)
        return differences(*pair, touched), [*results, *between]

    return _answered(path, graph, config, ask, points)


def of_orders(path: Path, settings: Mapping[str, Any], first: str, second: str) -> DiffReport:
    """Return how the state at the end of one order differs from that at the end of another.

    Raises:
        NbsafeError: the notebook cannot be read or is not Python, there is no such order, none of
            its cells stands in one, or its kernel does not start.

    """
    graph, config = python_graph(path, settings, as_run=True)
    plans = [orderings.plan(graph, order) for order in (first, second)]
    for plan in plans:
        if not plan.cells and orderings.topdown(graph).cells:
            message = f"{path} has no {plan.order} order: no cell has an execution count"
            raise NbsafeError("no-counts", message, "compare top-down with dependency")

    def ask(make: states.MakeSession) -> _Answer:
        ends = [_end(path, graph, make, plan) for plan in plans]
        (old, results), (new, others) = ends
        return differences(old, new), [*results, *others]

    loose = sorted(makers(graph).drawing)
    chance = (
        f"{cells(loose)} {'draws' if len(loose) == 1 else 'draw'} random numbers without a seed: "
        "what hangs on them differs by chance"
    )
    about = (chance,) if loose else ()
    return _answered(path, graph, config, ask, (_of(plans[0]), _of(plans[1])), about, copies=True)


def _answered(
    path: Path,
    graph: Graph,
    config: Config,
    ask: Callable[[states.MakeSession], _Answer],
    points: tuple[str, str],
    remarks: Sequence[str] = (),
    *,
    copies: bool = False,
) -> DiffReport:
    """Return the report of what is asked of sessions of a notebook."""
    facts, _ = facts_of(graph, None, config)
    reuse = Reuse([*remarks])
    with ExitStack() as stack:
        for make in states.session_makers(stack, facts, graph, path, reuse, copies=copies):
            try:
                answer, results = ask(make)
            except StateDiffers as differs:  # what is remembered is of no use: run it all
                reuse.remarks.append(run_anew(graph.notebook, str(differs)))
                continue
            return DiffReport(str(path), points, answer, states.failed(results), tuple(reuse.told))
    raise AssertionError("a kernel that remembers nothing runs all")


def _end(
    path: Path, graph: Graph, make: states.MakeSession, plan: Plan
) -> tuple[DescribedState, Sequence[CellResult]]:
    """Return what is held after a plan, and what its runs gave."""
    page = [graph.notebook.cell(cell) for cell in plan.cells]
    with states.running(make, "evidence", path) as session:
        results = states.run_all(session, page)
        return _state(session, path, _of(plan)), results


def _of(plan: Plan) -> str:
    return f"in {plan.order} order"


def _state(session: KernelSession, path: Path, where: str) -> DescribedState:
    """Return what a kernel holds now.

    Raises:
        NbsafeError: it does not answer.

    """
    holding = session.sweep()
    if holding is None:
        raise NbsafeError("no-answer", f"{path}: the kernel does not tell what it holds")
    names = sorted(holding.names)
    parts = [names[start : start + SHOWN_AT_ONCE] for start in range(0, len(names), SHOWN_AT_ONCE)]
    aspects = {name: words for part in parts for name, words in session.look(part).items()}
    return DescribedState(where, holding, aspects)
