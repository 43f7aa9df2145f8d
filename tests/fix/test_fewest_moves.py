"""An order of cells that keeps to what must run before what moves no cell more than it must."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.fix.fewest_moves import Before, arranged, moved

NUMBER = 7


@st.composite
def constraints(draw: st.DrawFn) -> Before:
    """Draw what must run before what, of cells that can be put into some order."""
    order = draw(st.permutations(range(1, NUMBER + 1)))
    pairs = draw(st.sets(st.sampled_from(list(combinations(order, 2))), max_size=8))
    return {cell: frozenset(a for a, b in pairs if b == cell) for cell in order}


def _fewest(before: Before) -> int:
    """Return how many cells must move at least, by trying all sets of them."""
    above = {cell: set(others) for cell, others in before.items()}
    for _ in range(NUMBER):
        for others in above.values():
            others.update(*(above[other] for other in tuple(others)))
    wrong = [(a, b) for b, others in above.items() for a in others if a > b]
    return next(
        size
        for size in range(NUMBER + 1)
        for cells in combinations(range(1, NUMBER + 1), size)
        if all(a in cells or b in cells for a, b in wrong)
    )


@given(constraints())
def test_every_cell_keeps_to_what_it_needs_and_the_fewest_move(before: Before) -> None:
    order = arranged(NUMBER, before)
    assert order is not None
    assert sorted(order) == list(range(1, NUMBER + 1))
    places = {cell: place for place, cell in enumerate(order)}
    assert all(places[a] < places[b] for b, others in before.items() for a in others)
    assert len(moved(order)) == _fewest(before)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({2: {5}}, (1, 5, 2, 3, 4)),  # the definer moves, to its reader
        ({1: {5}, 2: {5}, 3: {5}}, (5, 1, 2, 3, 4)),
        ({1: {3, 4, 5}}, (2, 3, 4, 5, 1)),  # many definers stay, their reader moves
        ({1: {3, 4}}, (2, 3, 4, 1, 5)),  # no further than it must
        ({2: {5}, 5: {4}}, (1, 3, 4, 5, 2)),  # one move, not two
        ({}, (1, 2, 3, 4, 5)),
        ({1: {2}, 2: {1}}, None),
    ],
)
def test_what_moves(before: dict[int, set[int]], expected: tuple[int, ...] | None) -> None:
    assert expected == arranged(5, {cell: frozenset(others) for cell, others in before.items()})
