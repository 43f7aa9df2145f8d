"""The orders against real histories: who last wrote what a cell read, in truth and in the plan.

Twelve saved notebooks of three authors, linked to the session histories they were saved from.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import percent
from linked_sessions import adjusted_rand

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order import orderings as order
from pytest_nbsafe.order import session_split

TRUTH = Path(__file__).parents[2] / "fixtures" / "orders" / "real_sessions.jsonl"


@dataclass(frozen=True)
class Linked:
    """A notebook of hashed names and what its cells really ran after; cells count from 1."""

    title: str
    counts: Sequence[int | None]
    defs: Sequence[Sequence[str]]
    uses: Sequence[Sequence[str]]
    deferred: Sequence[Sequence[str]]
    history: Sequence[tuple[int, int]]  # (session, cell)
    sessions: dict[int, int]


def load() -> Iterator[Linked]:
    for line in TRUTH.read_text(encoding="utf-8").splitlines():
        entry: dict[str, Any] = json.loads(line)
        history = [(session, cell) for session, cell in entry.pop("history")]
        sessions = {int(cell): session for cell, session in entry.pop("sessions").items()}
        yield Linked(**entry, history=history, sessions=sessions)


def graph_of(linked: Linked) -> Graph:
    cells = zip(linked.counts, linked.defs, linked.uses, linked.deferred, strict=True)
    blocks = []
    for count, defs, uses, deferred in cells:
        body = [f"x{name}" for name in uses]
        body += ["lambda: (" + " ".join(f"x{name}," for name in deferred) + ")"]
        body += [f"x{name} = 0" for name in defs]
        head = "# %%" if count is None else f"# %% [{count}]"
        blocks.append("\n".join([head, *body]))
    return build(percent.parse("\n".join(blocks) + "\n", path="linked.ipynb"))


def writers(linked: Linked, runs: Iterable[tuple[int, int]]) -> dict[tuple[int, str], int]:
    """Return who last wrote each name that a cell read in its last run; runs: (session, cell)."""
    made: dict[str, int] = {}
    edges: dict[int, dict[str, int]] = {}
    now = None
    for session, cell in runs:
        if session != now:
            made, now = {}, session
        edges[cell] = {name: made.get(name, 0) for name in linked.uses[cell - 1]}
        made.update(dict.fromkeys(linked.defs[cell - 1], cell))
    return {(cell, name): writer for cell, reads in edges.items() for name, writer in reads.items()}


def true_writers(linked: Linked) -> dict[tuple[int, str], int]:
    """Return the same for the history, each cell in the session that its saved count is of.

    Names whose writer is gone from the notebook are left out.
    """
    found: dict[tuple[int, str], int] = {}
    made: dict[str, int] = {}
    now = None
    for session, cell in linked.history:
        if session != now:
            made, now = {}, session
        if linked.sessions.get(cell) == session:
            for name in linked.uses[cell - 1]:
                found[cell, name] = made.get(name, 0)
        made.update(dict.fromkeys(linked.defs[cell - 1], cell))
    return {edge: writer for edge, writer in found.items() if writer}


def answers(linked: Linked, name: str) -> dict[tuple[int, str], int]:
    plan = order.plan(graph_of(linked), name)
    return writers(linked, ((1, cell) for cell in plan.cells))


ORDERS = ("recorded", "inferred", "top-down")


def score() -> tuple[int, dict[str, int], int, dict[str, int]]:
    """Return the true edges and those each order gets right; the same of the contested edges."""
    edges = contested = 0
    right = dict.fromkeys(ORDERS, 0)
    best = dict.fromkeys(ORDERS, 0)
    for linked in load():
        given = {name: answers(linked, name) for name in ORDERS}
        for edge, writer in true_writers(linked).items():
            said = {name: given[name].get(edge, 0) for name in given}
            edges += 1
            contested += len(set(said.values())) > 1
            for name, answer in said.items():
                right[name] += answer == writer
                best[name] += answer == writer and len(set(said.values())) > 1
    return edges, right, contested, best


def test_inferred_gets_the_contested_edges() -> None:
    edges, right, contested, best = score()
    assert (edges, contested) == (654, 8)
    assert best == {"recorded": 0, "inferred": 8, "top-down": 8}
    assert right == {"recorded": 645, "inferred": 653, "top-down": 653}


def test_sessions_are_told_apart() -> None:
    for linked in load():
        if len(set(linked.sessions.values())) > 1:
            graph = graph_of(linked)
            split = session_split.split(graph, graph.notebook.cells).of
            cells = sorted(linked.sessions)
            agreement = adjusted_rand(
                [linked.sessions[cell] for cell in cells], [split[cell] for cell in cells]
            )
            assert agreement > 0.3  # as by chance it is 0; a split that is right is 1
