"""How a change is told in one line."""

from __future__ import annotations

import pytest

from pytest_nbsafe.trace.outputs.wording import by_word


@pytest.mark.parametrize(
    ("saved", "new", "told"),
    [
        ("accuracy 0.99 on 40 rows", "accuracy 0.71 on 40 rows", "[0.99 -> 0.71]"),
        ("at 0.0 1.0 2.0 of a row", "at 0.0 2.0 of a row", "0.0 [1.0 -> nothing] 2.0"),
        ("the array([4., 5.]) of it", "the array([ 8.]) of it", "([[4., 5. -> 8.]])"),
    ],
)
def test_words_stand_apart_as_they_did(saved: str, new: str, told: str) -> None:
    assert told in by_word(saved, new)
