"""`nbsafe checkout`: a kernel in the state that a notebook has before or after one of its cells."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from pytest_nbsafe.app import states
from pytest_nbsafe.app.facts import facts_of, python_graph
from pytest_nbsafe.app.notebook_verdict import run_anew
from pytest_nbsafe.app.visits import Visits
from pytest_nbsafe.order import orderings
from pytest_nbsafe.resume.used import Reuse
from pytest_nbsafe.runner.kernel import StateDiffers, Visited
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """A kernel that waits for those who have its `kernel.connection`.

    `reused` of the `runs` before it were not made again; `failed` are the cells among them that
    failed, each with its reason. It took `took_s` seconds. Who uses it may ask for other states by
    `visits`. `remarks` say why nothing was reused.
    """

    kernel: Visited
    runs: int
    reused: int
    failed: Mapping[int, str]
    took_s: float
    visits: Visits
    remarks: tuple[str, ...] = ()


@contextmanager
def checked_out(
    path: Path, settings: Mapping[str, Any], cell: int, *, before: bool
) -> Iterator[CheckedOut]:
    """Give a kernel in the state before or after a cell, in page order; it ends with the context.

    What is known of earlier runs is not run again, as with `resume`. A cell that fails does not
    stop those below it.

    Raises:
        NbsafeError: the notebook cannot be read or is not Python, has no such code cell, or its
            kernel does not start.

    """
    started = time.perf_counter()
    graph, config = python_graph(path, settings, as_run=True)
    facts, _ = facts_of(graph, None, config)
    numbers = orderings.topdown(graph).cells
    to_run = states.cells_as_far(path, graph, numbers, cell)
    page = states.cells_as_far(path, graph, numbers, numbers[-1])
    if before:
        to_run.pop()
    reuse = Reuse()
    with ExitStack() as stack:
        for make in states.session_makers(stack, facts, graph, path, reuse, copies=False):
            try:
                with (
                    states.running(make, "clean", path) as session,
                    closing(Visits(path, page)) as visits,
                ):
                    results = states.run_all(session, to_run)
                    yield CheckedOut(
                        visits.open(session.kernel),
                        len(results),
                        sum(result.reused for result in results),
                        states.failed(results),
                        time.perf_counter() - started,
                        visits,
                        tuple(reuse.told),
                    )
                    return
            except StateDiffers as differs:  # what is remembered is of no use: run it all
                reuse.remarks.append(run_anew(graph.notebook, str(differs)))
