"""Frames: the place is marked where a reader sees it."""

import percent
import pytest

from pytest_nbsafe.locations import Location
from pytest_nbsafe.reports import frames


def drawn(source: str, location: Location) -> str:
    notebook = percent.parse(f"# %% [1]\n{source}\n")
    lines = frames.of_notebook(notebook, location, "")
    return "\n" + "\n".join(frames.frame(lines, location)) + "\n"


def test_carets_stand_under_the_span() -> None:
    shown = drawn("x = 1\ny = x + z\nprint(y)", Location(1, 2, 9, 2, 10))
    assert shown.split("\n")[1:-1] == [
        "    1 | x = 1",
        "    2 | y = x + z",
        "      |         ^",
        "    3 | print(y)",
    ]


@pytest.mark.parametrize(
    ("source", "location", "expected"),
    [
        ("f(a)", Location(1, 1, 3, 1, 4), ["1 | f(a)", "  |   ^"]),
        ("\tf(a)", Location(1, 1, 4, 1, 5), ["1 |     f(a)", "  |       ^"]),
        ("'日本' + a", Location(1, 1, 8, 1, 9), ["1 | '日本' + a", "  |          ^"]),
        ("'e\u0301' + a", Location(1, 1, 8, 1, 9), ["1 | 'e\u0301' + a", "  |       ^"]),
        ("'\x1b' + a", Location(1, 1, 7, 1, 8), ["1 | '\\x1b' + a", "  |          ^"]),
        ("f(\n  a)", Location(1, 1, 1, 2, 5), ["1 | f(", "  | ^^", "2 |   a)"]),
        ("a", Location(1, 1, 9, 1, 12), ["1 | a"]),
    ],
)
def test_columns_count_what_is_seen(source: str, location: Location, expected: list[str]) -> None:
    assert expected == [line[4:] for line in drawn(source, location).strip("\n").split("\n")]


def test_a_line_without_a_span_is_marked_in_the_gutter() -> None:
    assert drawn("a\nb\nc", Location(1, 2)).split("\n")[1:-1] == [
        "    1 | a",
        "  > 2 | b",
        "    3 | c",
    ]


def test_blank_lines_around_are_left_out() -> None:
    assert drawn("a\n\n\nb\n\nc", Location(1, 4)).split("\n")[1:-1] == ["    4 | b"]


@pytest.mark.parametrize("before", [0, 50, 90, 95, 100, 5000, 200_000])
def test_a_long_line_is_cut_around_the_span(before: int) -> None:
    source = "x" * before + "BAD" + "y" * 5000
    text, carets = drawn(source, Location(1, 1, before + 1, 1, before + 4)).split("\n")[1:3]
    assert len(text) < 120
    assert text[carets.index("^") : carets.rindex("^") + 1] == "BAD"


def test_a_span_wider_than_the_window_is_underlined_to_its_edge() -> None:
    text, carets = drawn("x" * 5000, Location(1, 1, 1, 1, 5000)).split("\n")[1:3]
    assert len(carets) == len(text)


def test_without_the_notebook_the_anchor_is_shown() -> None:
    location = Location(4, 7, 1, 7, 2)
    lines = frames.of_notebook(None, location, "a = b")
    assert frames.frame(lines, location) == ["    7 | a = b", "      | ^"]
    assert frames.of_notebook(None, location, "") == {}


@pytest.mark.parametrize(
    ("location", "count", "file_line", "expected"),
    [
        (Location(3, 2), 5, 40, "cell 3 [5], line 2"),
        (Location(3, 2), None, 40, "cell 3, line 2"),
        (Location(0), None, None, "the notebook"),
        (Location(0), None, 12, "line 12 of the file"),
    ],
)
def test_place(location: Location, count: int | None, file_line: int | None, expected: str) -> None:
    assert expected == frames.place(location, count, file_line)
