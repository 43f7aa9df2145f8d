"""The collector is paused for as long as we look, and left as the notebook has set it."""

from __future__ import annotations

import gc
import weakref

import pytest

from pytest_nbsafe.kernel.collector import paused


class Circle:
    """Refers to itself, so that only the collector ends it."""

    def __init__(self) -> None:
        self.own = self


def test_nothing_is_collected_meanwhile() -> None:
    ended = weakref.ref(Circle())
    with paused():
        made: list[list[int]] = [[] for _ in range(100_000)]  # enough to set it off
        assert ended() is not None
    del made
    gc.collect()
    assert ended() is None


@pytest.mark.parametrize("is_on", [True, False])
def test_it_is_left_as_it_was(*, is_on: bool) -> None:
    (gc.enable if is_on else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError), paused():
            assert not gc.isenabled()
            1 / 0  # noqa: B018
        assert gc.isenabled() is is_on
    finally:
        gc.enable()
