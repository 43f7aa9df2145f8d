"""What orders could reach at most on notebooks whose true sessions are known, and why they do not.

Cells count from 0 here, as in `linked_sessions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from unittest import mock

import linked_sessions
from linked_sessions import Linked

from pytest_nbsafe.order import orderings, session_split
from pytest_nbsafe.order.session_split import Split

Edge = tuple[int, str]
Answers = Mapping[Edge, int | None]

CLASSES = ("clean", "gaps", "jumps", "gaps and jumps", "repeated counts", "no counts")
CAUSES = ("count cleared", "edited since", "sessions", "overwritten", "other")


def class_of(record: Linked) -> str:
    """Return what the counts of the page look like: one of `CLASSES`."""
    counts = [count for count in record.counts if count is not None]
    if not counts:
        return "no counts"
    if len(set(counts)) < len(counts):
        return "repeated counts"
    gaps, jumps = max(counts) > len(counts), counts != sorted(counts)
    return {(0, 0): "clean", (1, 0): "gaps", (0, 1): "jumps"}.get((gaps, jumps), "gaps and jumps")


def by_true_runs(record: Linked) -> Answers:
    """Return who made each name in the true runs, if every run was of the text that was saved.

    No order can get more right: it knows the saved text alone.
    """
    answers: dict[Edge, int | None] = {}
    made: dict[str, int] = {}
    now = None
    for session, count, cell in record.steps:
        if session != now:
            made, now = {}, session
        if cell is None:
            continue
        if record.sessions.get(cell) == session and record.counts[cell] == count:
            answers.update(((cell, name), made.get(name)) for name in record.reads[cell])
        made.update(dict.fromkeys(record.defines[cell], cell))
    return answers


def by_true_sessions(record: Linked) -> Answers:
    """Return who made each name by the inferred order, if it is told the session of each cell.

    A cell whose session is not known is of that of the cell above it.
    """
    ages = list(dict.fromkeys(session for session, _, _ in record.steps))
    graph = linked_sessions.graph_of(record)
    of: dict[int, int] = {}
    session = min(record.sessions.values(), default=0)
    for cell in graph.notebook.code_cells:
        if cell.count is not None:
            session = record.sessions.get(cell.number - 1, session)
            of[cell.number] = ages.index(session) + 1 if session in ages else 1
    known = Split(of, dict.fromkeys(of, 1.0), by_times=True)
    with mock.patch.object(session_split, "split", return_value=known):
        plan = orderings.plan(graph, "inferred")
    return linked_sessions.makers(record, (cell - 1 for cell in plan.cells))


def cause(record: Linked, edge: Edge, limits: Mapping[str, Answers]) -> str:
    """Return why an order that knows the page alone gets an edge wrong: one of `CAUSES`.

    `limits` are the answers by the "true runs" and the "true sessions". "overwritten": the run
    that made the name was that of a cell which ran again since, so that no count tells of it.
    """
    definer = record.edges[edge]
    if definer is None or record.counts[definer] is None:
        return "count cleared"
    if limits["true runs"].get(edge) != definer:
        return "edited since"
    if limits["true sessions"].get(edge) == definer:
        return "sessions"
    own = record.sessions.get(definer), record.counts[definer] or 0
    reader = record.sessions.get(edge[0]), record.counts[edge[0]] or 0
    return "other" if own[0] == reader[0] and own < reader else "overwritten"
