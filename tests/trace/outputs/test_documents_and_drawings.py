"""Figures that stand as JSON or SVG."""

import base64
import struct

import pytest
from outputcase import display

from pytest_nbsafe.trace.outputs.comparison import compare

PLOT = "application/vnd.plot.v1+json"
CHART = "application/vnd.chart.v4+json"


def detail(kind: str, old: object, new: object, new_kind: str = "") -> str:
    difference = compare([display(kind, old)], [display(new_kind or kind, new)])
    return "" if difference is None else difference.detail


def floats(*values: float) -> dict[str, object]:
    packed = base64.b64encode(struct.pack(f"<{len(values)}d", *values)).decode()
    return {"dtype": "f8", "bdata": packed}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"data": [{"y": [1.0, 2.0], "uid": "a"}]}, {"data": [{"y": [1.0, 2.0], "uid": "b"}]}),
        ({"y": [0.1 + 0.2]}, {"y": [0.3]}),
        ({"y": [1.5, 2.5]}, {"y": floats(1.5, 2.5)}),
        ({"layout": {"template": {"a": 1}}}, {"layout": {"template": {"b": 2}}}),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        ({"datasets": {"data-0a1b": [{"x": 1}]}, "data": {"name": "data-0a1b"}},
         {"datasets": {"data-ffee": [{"x": 1}]}, "data": {"name": "data-ffee"}}),
    ],
)  # fmt: skip
def test_ids_themes_and_last_places_are_no_difference(old: object, new: object) -> None:
    assert detail(PLOT, old, new) == ""
    assert detail(CHART, old, new, CHART.replace("v4", "v5")) == ""


def test_a_value_is_told_by_its_place() -> None:
    old, new = ({"data": [{"y": [1, last]}]} for last in (2, 3))
    assert detail(PLOT, old, new) == "data[0].y[1]: 2 -> 3"


def test_a_point_more() -> None:
    assert detail(PLOT, {"y": [1, 2]}, {"y": [1, 2, 3]}) == "y[2]: 3 is new"


def test_in_the_users_own_json_everything_counts() -> None:
    assert detail("application/json", {"id": 1}, {"id": 2}) == "id: 1 -> 2"


def drawing(x: float, mark: str, label: str = "0.5", date: str = "2021") -> str:
    return (
        f"<?xml version='1.0'?><!-- made {date} --><svg><metadata><date>{date}</date></metadata>"
        f"<defs><path id='{mark}' d='M 0 0 L {x} 1'/></defs><g id='axes_1'>"
        f"<use xlink:href='#{mark}' clip-path='url(#p{mark})'/><text>{label}</text></g></svg>"
    )


def test_ids_dates_and_tiny_shifts_of_a_drawing_are_no_difference() -> None:
    assert detail("image/svg+xml", drawing(10, "m1"), drawing(10.01, "m2", date="2026")) == ""


def test_a_drawing_that_moved_or_says_something_else() -> None:
    moved = detail("image/svg+xml", drawing(10, "m1"), drawing(12, "m1"))
    assert "(path): " in moved
    assert "[10.0 -> 12.0]" in moved or "10" in moved
    assert "0.5 -> 0.6" in detail("image/svg+xml", drawing(1, "m"), drawing(1, "m", label="0.6"))
