"""What the kernel knows of matplotlib: how places and colours are found counts, if it was set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from adapted import fingerprint

colors = pytest.importorskip("matplotlib.colors")
from matplotlib import (  # noqa: E402  # once it is there
    cm,
    figure,
    patches,
    path,
    projections,
    scale,
    transforms,
)  # fmt: skip

MAKERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "norm, linear near zero": (lambda: colors.SymLogNorm(0.1), lambda: colors.SymLogNorm(2.0)),
    "norm, asinh": (lambda: colors.AsinhNorm(0.1), lambda: colors.AsinhNorm(2.0)),
    "norm by functions": (
        lambda: colors.FuncNorm((np.sqrt, np.square)),
        lambda: colors.FuncNorm((np.cbrt, np.square)),
    ),
    "scale": (
        lambda: scale.SymmetricalLogScale(None, linthresh=0.1),
        lambda: scale.SymmetricalLogScale(None, linthresh=2.0),
    ),
    "logit": (lambda: scale.LogitTransform("mask"), lambda: scale.LogitTransform("clip")),
    "asinh": (lambda: scale.AsinhTransform(1.0), lambda: scale.AsinhTransform(2.0)),
    "functions": (
        lambda: scale.FuncTransform(np.sqrt, np.square),
        lambda: scale.FuncTransform(np.cbrt, np.square),
    ),
    "polar": (
        lambda: projections.polar.PolarTransform(use_rmin=True),
        lambda: projections.polar.PolarTransform(use_rmin=False),
    ),
    "path": (
        lambda: transforms.TransformedPath(path.Path([(0, 0), (1, 1)]), transforms.Affine2D()),
        lambda: transforms.TransformedPath(path.Path([(0, 0), (1, 2)]), transforms.Affine2D()),
    ),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # polar, before matplotlib 3.11
@pytest.mark.parametrize("name", MAKERS)
def test_how_places_and_colours_are_found_counts(name: str) -> None:
    make, other = MAKERS[name]
    assert fingerprint(make()) == fingerprint(make()) != fingerprint(other())


def test_what_was_put_on_a_place_counts() -> None:
    place = transforms.Affine2D()
    before = fingerprint(place)
    vars(place)["note"] = 1
    assert fingerprint(place) != before


@pytest.mark.parametrize(
    "make",
    [
        lambda: transforms.Affine2D().rotate(1.0) + transforms.IdentityTransform(),
        lambda: transforms.blended_transform_factory(
            transforms.Affine2D().scale(2.0), scale.LogTransform(10)
        ),
        lambda: transforms.BboxTransform(transforms.Bbox.unit(), transforms.Bbox.unit()),
        lambda: transforms.TransformWrapper(transforms.Affine2D().scale(2.0)),
    ],
)
def test_to_ask_for_a_place_changes_nothing(make: Callable[[], Any]) -> None:
    place = make()
    before = fingerprint(place)
    place.transform([(1.0, 2.0)])
    place.inverted()
    place.get_affine()
    assert fingerprint(place) == before


@pytest.mark.parametrize("projection", ["rectilinear", "polar", "hammer"])
def test_to_draw_changes_no_line(projection: str) -> None:
    drawn = figure.Figure()
    (line,) = drawn.add_subplot(projection=projection).plot([1, 2, 3])
    before = fingerprint(line)
    drawn.canvas.draw()
    assert fingerprint(line) == before


def test_what_a_line_is_cut_to_counts() -> None:
    drawn = figure.Figure()
    axes = drawn.add_subplot()
    (line,) = axes.plot([1, 2, 3])
    circle = patches.Circle((0.5, 0.5), 0.25)
    line.set_clip_path(circle)
    before = fingerprint(line)
    circle.set_radius(0.5)
    assert fingerprint(line) != before


@pytest.mark.parametrize("make", [cm.viridis.copy, cm.jet.copy, lambda: cm.jet.resampled(9)])
def test_a_table_of_colours_counts_once_it_was_changed(make: Callable[[], Any]) -> None:
    table = make()
    before = fingerprint(table)
    table(0.5)
    assert fingerprint(table) == before
    table._lut[:, -1] = 0.25
    assert fingerprint(table) != before


@pytest.mark.filterwarnings("ignore")
def test_extremes_of_a_table_of_colours_count_once() -> None:
    table, used = cm.viridis.copy(), cm.viridis.copy()
    used(0.5)
    for each in (table, used):
        each.set_bad("red")
    assert fingerprint(table) == fingerprint(used) != fingerprint(cm.viridis.copy())


def test_to_look_at_colours_calls_nothing_of_the_notebook() -> None:
    said = []

    def level(place: Any) -> Any:
        said.append(place)
        return place

    level.__module__ = "__main__"
    table = colors.LinearSegmentedColormap("own", dict.fromkeys(("red", "green", "blue"), level))
    table(0.5)
    said.clear()
    fingerprint(table)
    assert said == []
