"""The user's own expressions."""

import pytest

from pytest_nbsafe.trace.outputs.sanitizers import MOST_AT_ONCE, of, of_file, sanitized

NBVAL = """
[dates]
regex: \\d{1,2}/\\d{1,2}/\\d{2,4}
replace: DATE-STAMP

[hosts]
regex: host (\\w+)
replace: host <\\1>
"""


def test_each_replaces_in_its_turn() -> None:
    assert (
        sanitized("run 17 by ann", of([(r"run \d+", "run N"), ("N by", "M by")])) == "run M by ann"
    )


def test_a_file_of_nbval() -> None:
    assert sanitized("host a on 1/2/2024", of_file(NBVAL)) == "host <a> on DATE-STAMP"
    assert of_file("") == ()


@pytest.mark.parametrize(
    "pair", [("(", ""), ("a", r"\2"), ("a", "\\g<x"), ("a" * 10 + "{9999999999}", "")]
)
def test_what_re_does_not_take_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="with"):
        of([pair])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a]\nregex: x\n", "replace:"),
        ("regex: x\n", "no section headers"),
        ("[a]\nregex: (\nreplace: x\n", "with 'x'"),
    ],
)
def test_a_file_that_is_not_of_that_form(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        of_file(text)


def test_whole_lines_stay_together_and_long_ones_are_cut() -> None:
    lines = "\n".join(f"line {n}" for n in range(5_000))
    assert sanitized(lines, of([(r"line \d+\n", "")])) == "line 4999"
    lengths = sanitized("x" * (2 * MOST_AT_ONCE + 5), of([("x+", "y")]))
    assert lengths == "yyy"
