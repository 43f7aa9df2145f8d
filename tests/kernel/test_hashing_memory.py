"""Memory of which the place stands for the content, while what is loaded from it is compared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.kernel.checkpoint.keeping import _joined
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=8)


@given(PLACES, st.integers(0, 40), st.integers(1, 6))
def test_bytes_lie_in_it_if_each_is_in_one_of_the_places_and_all_in_neighbours_that_overlap(
    sizes: list[tuple[int, int]], start: int, size: int
) -> None:
    places = [(first, first + length) for first, length in sizes]
    look = Snapshot(Texts(), {})
    look.memory = _joined(places)
    within = {at for first, end in places for at in range(first, end)}
    joints = {at for first, end in places for at in range(first + 1, end)}  # not between two
    wanted = set(range(start, start + size))
    expected = wanted <= within and wanted - {start} <= joints
    assert look.lies_in_memory(start, size) == expected
