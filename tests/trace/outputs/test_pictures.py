"""Pictures by their pixels."""

import sys

import pytest
from outputcase import png

from pytest_nbsafe.trace.outputs.pictures import compared

WHITE = [[255] * 300 for _ in range(200)]


def dotted(*dots: tuple[int, int], level: int = 0) -> list[list[int]]:
    return [[level if (x, y) in dots else 255 for x in range(300)] for y in range(200)]


def test_the_same_pixels_packed_otherwise() -> None:
    assert compared(png(WHITE), png(WHITE, level=1)).same is True


def test_what_is_hardly_seen_is_no_difference() -> None:
    faint = png([[250] * 300 for _ in range(200)])
    assert compared(png(WHITE), faint).same is True
    assert compared(png(WHITE), faint, "exact").same is False
    assert compared(png(WHITE), png(dotted((9, 9)))).same is True


def test_a_figure_that_changed_is_found_and_placed() -> None:
    dots = [(x, y) for x in range(10, 14) for y in range(20, 25)]
    seen = compared(png(WHITE), png(dotted(*dots)))
    assert seen.same is False
    assert seen.detail == "20 of 60,000 pixels differ, between (10, 20) and (14, 25)"


def test_another_size() -> None:
    seen = compared(png(WHITE), png(WHITE[:100]))
    assert (seen.same, seen.detail) == (False, "300 x 200 -> 300 x 100 pixels")


def test_other_versions_draw_otherwise() -> None:
    old, new = png(WHITE, "Plotter 3.1, https://x"), png(dotted((1, 1)), "Plotter 3.9, https://x")
    seen = compared(old, new)
    assert (seen.same, seen.detail) == (None, "drawn by Plotter 3.1, now by Plotter 3.9")
    assert compared(png(WHITE, "Plotter 3.1"), png(WHITE, "Plotter 3.9")).same is True


@pytest.mark.parametrize("content", ["%%%", "aGVsbG8=", None, 5, png(WHITE)[:200]])
def test_what_cannot_be_decoded_is_unknown(content: object) -> None:
    assert compared(content, png(WHITE)).same is None


def test_without_a_decoder_other_pixels_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert compared(png(WHITE), png(dotted((1, 1)))).same is None
    assert compared(png(WHITE), png(WHITE, level=1)).same is True
