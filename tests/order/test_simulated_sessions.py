"""Orders against users whose true sessions are known, since they are simulated."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import linked_sessions
import percent
import pytest
import tiers
from linked_sessions import Linked
from session_simulator import simulated

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.order import orderings, readings
from pytest_nbsafe.order.session_split import split


@pytest.fixture(scope="module")
def records() -> Sequence[Linked]:
    return list(simulated(120))


def test_what_users_leave_looks_like_what_real_ones_left(records: Sequence[Linked]) -> None:
    pairs: Counter[tuple[int, int]] = Counter()
    for record in records:
        counts = [count for count in record.counts if count is not None]
        if len(set(counts)) == len(counts):
            ran = sorted((count, place) for place, count in enumerate(counts))
            pairs.update((after[0] - now[0], after[1] - now[1]) for now, after in pairwise(ran))
    assert 0.6 < pairs[1, 1] / pairs.total() < 0.78  # of real ones 0.64 to 0.76
    single = sum(not record.of_several for record in records) / len(records)
    assert 0.65 < single < 0.85  # of real ones 0.71 to 0.80


def test_inferred_explains_more_than_the_page_and_the_counts(records: Sequence[Linked]) -> None:
    right: Counter[str] = Counter()
    edges = 0
    for record in records:
        graph = linked_sessions.graph_of(record)
        true = {edge: maker for edge, maker in record.edges.items() if maker is not None}
        edges += len(true)
        for name in ("recorded", "archaeology", "top-down", "inferred"):
            cells = (cell - 1 for cell in orderings.plan(graph, name).cells)
            said = linked_sessions.makers(record, cells)
            right[name] += sum(said.get(edge) == maker for edge, maker in true.items())
    assert right["recorded"] < right["archaeology"] < right["top-down"] < right["inferred"]
    assert right["inferred"] > 0.985 * edges


def test_what_is_said_of_a_reading_is_as_often_right(records: Sequence[Linked]) -> None:
    squares: list[float] = []
    flagged: Counter[bool] = Counter()
    lost = 0
    for record in records:
        graph = linked_sessions.graph_of(record)
        for reading in readings.readings(graph, orderings.plan(graph, "inferred")):
            edge = reading.reader - 1, reading.name.removeprefix("x")
            if edge in record.edges:
                maker = record.edges[edge]
                lost += maker is None
                flagged[maker is None] += reading.unrecoverable
                if reading.definer is not None:
                    squares.append((reading.probability - (reading.definer - 1 == maker)) ** 2)
    assert sum(squares) / len(squares) < 0.02
    assert flagged[True] > 0.8 * lost
    assert flagged[False] < 0.01 * len(squares)


def test_sessions_of_simulated_users_are_told_apart(records: Sequence[Linked]) -> None:
    agreement = []
    for record in records:
        if record.of_several:
            graph = linked_sessions.graph_of(record)
            said = split(graph, graph.notebook.cells).of
            cells = sorted(record.sessions)
            truth = [record.sessions[cell] for cell in cells]
            agreement.append(linked_sessions.adjusted_rand(truth, [said[c + 1] for c in cells]))
    assert sum(agreement) / len(agreement) > 0.6


@pytest.mark.parametrize("seed", tiers.every(4, range(40)))
def test_a_page_run_from_the_top_is_in_order_whatever_was_repeated(seed: int) -> None:
    chance = random.Random(seed)
    count, blocks = 0, []
    for cell in range(chance.randrange(2, 14)):
        count += chance.choice((1, 1, 1, 2, 5))
        reads = [f"a{chance.randrange(cell)}" for _ in range(min(cell, 2))]
        binds = chance.choice((f"a{cell} = 1", f"a{cell} = a{chance.randrange(cell + 1)} = 1"))
        blocks.append("\n".join([f"# %% [{count}]", *reads, binds]))
    graph = build(percent.parse("\n".join(blocks) + "\n", path="a.ipynb"))
    plan, page = orderings.plan(graph, "inferred"), orderings.plan(graph, "top-down")
    assert not orderings.differs(plan, page)
    assert not any(reading.is_doubtful for reading in readings.readings(graph, plan))
