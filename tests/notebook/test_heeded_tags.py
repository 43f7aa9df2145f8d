"""Which tags of a cell count when it is run or judged: all others may be edited freely."""

from __future__ import annotations

import pytest

from pytest_nbsafe.notebook import markers


@pytest.mark.parametrize(
    "tag",
    [
        *("nbsafe:skip", "nbsafe:once", "nbsafe:output=exact", " nbsafe:ignore=NBS201"),
        *("nbval-skip", "nbval-check-output", "pytest-validate-ignore-output"),
        *("raises-exception", "raises-exception=KeyError", "skip-execution"),
        *("parameters", "injected-parameters"),
    ],
)
def test_what_says_how_a_cell_is_run_is_heeded(tag: str) -> None:
    assert markers.is_heeded(tag)


@pytest.mark.parametrize("tag", ["hide-input", "remove-cell", "my-nbsafe", "skip", ""])
def test_what_is_for_people_is_not(tag: str) -> None:
    assert not markers.is_heeded(tag)


def test_whatever_stands_for_one_of_ours_is_heeded() -> None:
    words = ["nbval-skip", "nbval-raises-exception", "nbval-ignore-output", "nbval-check-output"]
    for word in words:
        meant = set(markers.tags((word,), "", {})) - {word}
        assert meant, word
        assert all(map(markers.is_heeded, [word, *meant]))
