"""Fingerprints of figures, taken after a session only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

figure = pytest.importorskip("matplotlib.figure")
Draw = Callable[[Any], object]


def of(draw: Draw, part: str = "figure") -> str:
    drawn = figure.Figure()
    axes = drawn.subplots()
    draw(axes)
    snapshot = Snapshot(Texts(), {"__name__": "__main__"})
    assert "not compared" in snapshot.fingerprint(drawn)["cause"]
    snapshot.judging = True
    found = snapshot.fingerprint(drawn if part == "figure" else axes)
    assert found["hash"], found["cause"]
    before = found["hash"]
    drawn.canvas.draw()
    assert snapshot.fingerprint(drawn if part == "figure" else axes)["hash"] == before
    return before


DRAWINGS: list[Draw] = [
    lambda axes: axes,
    lambda axes: axes.plot([1, 2, 3]),
    lambda axes: axes.plot([1, 2, 4]),
    lambda axes: [axes.plot([1, 2, 3]), axes.plot([1, 2, 3])],
    lambda axes: axes.plot([1, 2, 3], "r--"),
    lambda axes: axes.plot(["a", "b"], [1, 2]),
    lambda axes: axes.bar(["a", "b"], [1, 2]),
    lambda axes: axes.bar(["a", "b"], [1, 3]),
    lambda axes: axes.hist([1, 1, 2]),
    lambda axes: axes.scatter([1, 2], [3, 4]),
    lambda axes: axes.scatter([1, 2], [3, 5]),
    lambda axes: axes.scatter([1, 2], [3, 5], c=[0, 1]),
    lambda axes: axes.fill_between([1, 2], [3, 5]),
    lambda axes: axes.imshow([[1, 2], [3, 4]]),
    lambda axes: axes.imshow([[1, 2], [3, 5]]),
    lambda axes: axes.set_title("t"),
    lambda axes: axes.set_xlabel("x"),
    lambda axes: axes.set_xlim(0, 5),
    lambda axes: axes.set_yscale("log"),
    lambda axes: axes.text(0, 0, "here"),
    lambda axes: axes.figure.suptitle("t"),
    lambda axes: [axes.plot([1, 2, 3], label="l"), axes.legend()],
    lambda axes: axes.boxplot([1, 2, 9]),
]


@pytest.mark.parametrize("part", ["figure", "axes"])
def test_what_is_drawn_tells_figures_apart(part: str) -> None:
    drawings = DRAWINGS if part == "figure" else [d for d in DRAWINGS if d is not DRAWINGS[20]]
    first = [of(draw, part) for draw in drawings]
    assert first == [of(draw, part) for draw in drawings]
    assert len(set(first)) == len(first)
