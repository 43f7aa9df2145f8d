"""How several things stand in a sentence."""

from __future__ import annotations

import pytest

from pytest_nbsafe.sentences import spans


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ([2], "cell 2"),
        ([2, 3], "cells 2 and 3"),
        ([2, 3, 4], "cells 2 to 4"),
        ([1, 3, 4, 5, 8, 9], "cells 1, 3 to 5, 8 and 9"),
    ],
)
def test_cells_in_a_row_are_told_by_the_first_and_last(numbers: list[int], told: str) -> None:
    assert spans(numbers) == told
