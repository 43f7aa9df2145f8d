"""Two texts that say the same, numbers within the tolerance; and two that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.trace.outputs.tokens import in_order, same, tokens

SAME = [
    ("array([ 1.,  2.])", "array([1., 2.])"),
    ("[1 2 3\n 4 5]", "[1 2\n 3 4 5]"),
    ("0.7142857142857143", "0.7142857142857142"),
    ("0.714286", "0.71428571"),
    ("1e-17", "0.0"),
    ("-0.0", "0.0"),
    ("NaN 1", "nan 1"),
    ("(1+2j)", "(1+2.0000000001j)"),
    ("12.50%", "12.5%"),
    ("1,234,567", "1234567"),
    ("1e5", "100000.0"),
    ("{'b', 'a'}", "{'a', 'b'}"),
    ("{'b': {2, 1}, 'a': [1, 2]}", "{'a': [1, 2], 'b': {1, 2}}"),
    ("Counter({'x': 2,\n 'y': 2})", "Counter({'y': 2, 'x': 2})"),
    ("chars: {'é', 'b'} of 3", "chars: {'b', 'é'} of 3"),
]
DIFFERENT = [
    ("accuracy 0.71", "accuracy 0.72"),
    ("1000000", "1000001"),
    ("0.12345", "0.12346"),
    ("1.", "1.4"),
    ("0.71", "0.7142"),
    ("nan", "0.0"),
    ("inf", "-inf"),
    ("(1+2j)", "(1+3j)"),
    ("12.5%", "12.6%"),
    ("1,234", "1,235"),
    ("[1, 2]", "[2, 1]"),
    ("{1, 2}", "{1, 3}"),
    ("{'a': 1, 'b': 2}", "{'a': 2, 'b': 1}"),
    ("v1.2.3", "v1.2.4"),
    ("2019-12-24", "2019-12-25"),
    ("3 - 1", "3 + 1"),
    ("ab", "a b"),
    ("-5", "5"),
    ("9" * 400, "9" * 399 + "8"),
]


@pytest.mark.parametrize(("saved", "new"), SAME)
def test_what_says_the_same(saved: str, new: str) -> None:
    assert same(saved, new)
    assert same(new, saved)
    assert not same(saved, new, "exact")


@pytest.mark.parametrize(("saved", "new"), DIFFERENT)
def test_what_says_something_else(saved: str, new: str) -> None:
    assert not same(saved, new)
    assert not same(new, saved)


def test_false_negative_tiny_probabilities_are_one() -> None:
    assert same("p = 1e-13", "p = 1e-30")


@pytest.mark.parametrize("text", ["{" * 100 + "}" * 100, "}{", "{[}]", "{a, b", "({)})"])
def test_braces_that_do_not_pair_are_left_in_place(text: str) -> None:
    assert len(in_order(tokens(text))) == len(tokens(text)) or same(text, text)
    assert not same(text, text + " x")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_numbers_are_themselves_however_printed(value: float) -> None:
    assert same(repr(value), f"{value:.10g}")


@given(st.integers(0, 10**9), st.integers(0, 5))
def test_another_digit_within_what_is_printed_is_found(number: int, place: int) -> None:
    text = f"{number:06}"
    digit = str((int(text[place]) + 5) % 10)
    other = text[:place] + digit + text[place + 1 :]
    assert not same(f"0.{text[:6]} of it", f"0.{other[:6]} of it")
    assert not same(f"n = 1{text}", f"n = 1{other}")


@given(st.sets(st.text("ab, {}()'", max_size=4) | st.integers(), max_size=6))
def test_the_order_of_a_set_is_no_difference(members: set[object]) -> None:
    some = [repr(each) for each in members if not isinstance(each, str) or each.isalpha()]
    other = sorted(some, reverse=True)
    assert same("{" + ", ".join(some) + "}", "{" + ", ".join(other) + "}")
