"""What each run reads from earlier ones, held against all paths through the cells, in any order."""

from __future__ import annotations

import re
from itertools import product

import cellpaths
import paths
import pytest
from analysiscase import graph
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from test_flow import BRANCH, JUMPS, NAMED, NAMES, SIMPLE, bodies, compound

from pytest_nbsafe.analysis.dependencies import edges, unbound

CHANGE = st.tuples(st.just("change"), NAMES, NAMED)
CELL = bodies(st.one_of(SIMPLE, BRANCH, CHANGE), 3)
ANY_CELL = bodies(st.one_of(SIMPLE, CHANGE, compound(st.one_of(SIMPLE, CHANGE), JUMPS)), 2)


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.lists(CELL, min_size=2, max_size=4), st.data())
def test_cells_without_loops_against_every_path(
    cells: list[tuple[paths.Node, ...]], data: st.DataObject
) -> None:
    order = data.draw(st.lists(st.integers(1, len(cells)), min_size=2, max_size=6))
    compare(cells, order)


@pytest.mark.corpus
@settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.lists(ANY_CELL, min_size=2, max_size=3), st.data())
def test_cells_against_every_path(cells: list[tuple[paths.Node, ...]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(1, len(cells) + 1)))
    compare(cells, [*order, *order])


def compare(cells: list[tuple[paths.Node, ...]], order: list[int]) -> None:
    """Hold the edges between cells, run in this order, against what their paths say."""
    try:
        walked = [paths.walk(cell) for cell in cells]
    except paths.TooManyPathsError:
        reject()
    feasible = [[path for path in cell if paths.is_feasible(path[0])] for cell in walked]
    assume(all(any(outcome == "normal" for _, outcome in cell) for cell in feasible))
    sources = ["\n".join(paths.render(cell)) for cell in cells]
    g = graph(*sources)
    missing = {(index, use.name) for index, use in unbound(g, order)}
    assert cellpaths.unbound(walked, order) == missing, (order, sources)
    found = {(e.reader, e.definer, e.name) for e in edges(g, order)}
    assert cellpaths.reaching(feasible, order) <= found, (order, sources)  # never wrong ...
    doubtful = {(n, name) for n, name in product(order, "abcd") if may_drop(sources[n - 1], name)}
    # ... and exact, but for a change on a path that drops the name, or raises, afterwards
    if any("finally" in source and re.search("break|continue", source) for source in sources):
        return  # a jump and an exception share the copy of a `finally`
    more = found - cellpaths.reaching(walked, order)
    assert {edge for edge in more if edge[1:] not in doubtful} == set(), (order, sources)


def may_drop(source: str, name: str) -> bool:
    return f"{name}.append" in source and re.search(rf"del {name}|raise", source) is not None


def test_false_positive_a_change_on_a_path_that_drops_the_name() -> None:
    g = graph("x = []", "if c:\n    x.append(1)\n    del x", "print(x)")
    assert [(e.definer, e.reader) for e in edges(g, (1, 2, 3))][-1] == (2, 3)


def test_a_cell_that_binds_or_deletes_on_every_path_hides_what_was() -> None:
    g = graph("x = 1", "if c:\n    x = 2\nelse:\n    del x", "print(x)")
    assert [(e.definer, e.reader) for e in edges(g, (1, 2, 3))] == [(1, 2), (2, 3)]


def test_a_change_of_what_the_cell_then_deletes_reaches_nobody() -> None:
    g = graph("x = []", "x.append(1)\ndel x", "print(x)")
    assert [(e.definer, e.reader) for e in edges(g, (1, 2, 3))] == [(1, 2)]
