"""Which differences another version of a library makes as well, and which need an older value."""

import pytest

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace import drift


def shown(text: str) -> list[Output]:
    return [Output("execute_result", text=text)]


@pytest.mark.parametrize(
    ("saved", "new"),
    [
        # Rows, columns and ties in another order.
        ("   name  n\n0  ana   3\n1  ben   5", "   name  n\n0  ben   5\n1  ana   3"),
        (
            "Rome 2\nOslo 2\nName: city, dtype: int64",
            "city\nOslo 2\nRome 2\nName: count, dtype: int64",
        ),
        ("{'b': 1, 'a': 2}", "{'a': 2, 'b': 1}"),
        # The last places.
        ("0.84385", "0.84386"),
        ("loss 1.2345e-05", "loss 1.2346e-05"),
        ("[ 0.5 -1.2e-17]", "[0.5 0. ]"),
        ("[[ 2.72156873 -0.69860471]]", "[[-2.72156873  0.69860471]]"),
        ("[5.44916e-05 9.9986e-01]", "[7.12676e-05 9.9982e-01]"),
        # Printed otherwise.
        ("array([1., 2.])", "array([1.0, 2.0])"),
        ("['ana', 'ben']", "[np.str_('ana'), np.str_('ben')]"),
        ("a     int64\nb    object\ndtype: object", "a    int64\nb      str\ndtype: object"),
        ("<class 'pandas.core.frame.DataFrame'>", "<class 'pandas.DataFrame'>"),
        ("0  NaN\n1  2.0", "0  <NA>\n1     2"),
        ("   a ...  z\n0  1 ...  9", "   a  b  z\n0  1  5  9"),
        ("array(['a', 'b'], dtype=object)", "<StringArray>\n['a', 'b']\nLength: 2, dtype: str"),
        ("SpearmanrResult(correlation=0.5)", "SignificanceResult(statistic=np.float64(0.5))"),
        ("TtestResult(statistic=-1.5, df=78.0)", "Ttest_indResult(statistic=-1.5)"),
        ("(3.0, True)", "(np.float64(3.0), np.True_)"),
        ("   Gen 1  Gen 2\n0      1      0", "   Gen 1  Gen 2\n0   True  False"),
        ("Net(a=1, depth=3, loss='l2', tol=0.1)", "Net(depth=3)"),
        (
            "Data (1):\na size    9 non-null int64",
            "Data (1):\n #   Column  Non-Null Count  Dtype\n 0   a size  9 non-null  int64",
        ),
        ("a  1\nb  2\ndtype: int64", "a    1\nb    2\nName: proportion, dtype: int64"),
        ("2023-01-31    1\nFreq: M, dtype: int64", "2023-01-31    1\nFreq: ME, dtype: int64"),
        ("Timestamp('2023-01-05 00:00:00', freq='D')", "Timestamp('2023-01-05 00:00:00')"),
        (
            "categories (2, interval[int64]): [(0, 1]]",
            "categories (2, interval[int64, right]): [(0, 1]]",
        ),
        (
            "Index([(0, 1]],\n closed='right',\n dtype='interval[int64]')",
            "Index([(0, 1]], dtype='interval[int64, right]')",
        ),
        ("DatetimeIndex(['2023-01-05'], freq=None)", "DatetimeIndex(['2023-01-05 00:00:00'])"),
    ],
)
def test_a_library_is_enough(saved: str, new: str) -> None:
    assert drift.by_library(shown(saved), shown(new))
    assert drift.by_library(shown(new), shown(saved))


@pytest.mark.parametrize(
    ("saved", "new"),
    [
        ("accuracy 0.778", "accuracy 0.844"),
        ("Net(a=1, depth=3, loss='l2', tol=0.1)", "Net(depth=4)"),
        ("1000", "1001"),
        ("mean 12.34", "mean 12.31"),
        ("fees 5.4", "fees 10.8"),
        ("['a', 'b', 'c']", "['a', 'b', 'c', 'd']"),
        ("   name  n\n0  ana   3", "   name  n\n0  ana   4"),
        ("distinct: 11 of 24", "distinct: 10 of 24"),
        ("True", "False"),
        ("2.5", "-2.5"),
        ("0.0001", "0.0002"),
        ("km", "miles"),
        ("region  n", "Region  n"),
        ("0  anna\n1  bob", "0  Anna\n1  Bob"),
        ("Result(statistic=0.5)", "Other(statistic=0.7)"),
        ("Point(x=1, y=2)", "Point(x=1, y=2, z=3)"),
        ("Length: 3", "Length: 4"),
        ("Name: Ana", "Name: Ben"),
        ("KMeans(n_clusters=3)", "KMeans(n_clusters=4)"),
        ("LogisticRegression(C=0.01)", "LogisticRegression()"),
        ("0.05", "0.0"),
        ("1 2 3", "1 2 3 4"),
        ("5 ... 9", "5 ... 8"),
        ("['turn', left]", "['turn']"),
        ("", "5"),
    ],
)
def test_a_library_is_not_enough(saved: str, new: str) -> None:
    assert not drift.by_library(shown(saved), shown(new))
    assert not drift.by_library(shown(new), shown(saved))


def test_false_negative_another_order_by_an_edit() -> None:
    assert drift.by_library(shown("a 1\nb 2"), shown("b 2\na 1")) == "order"


def test_what_is_shown_of_rows_in_another_order() -> None:
    moved = drift.words(shown("   team  pts\n0  red  12\n1  blue  30"))
    assert drift.is_of(moved, shown("first: red"), shown("first: blue"))
    assert not drift.is_of(moved, shown("mean 21.5"), shown("mean 19.5"))
    assert not drift.is_of(drift.words(()), shown("1"), shown("2"))


def test_small_numbers_tell_only_where_two_texts_are_related() -> None:
    moved = drift.words(shown("2 4 red"))
    texts = shown("row 2"), shown("row 4")
    assert drift.is_of(moved, *texts)
    assert not drift.is_of(moved, *texts, related=False)
    assert drift.is_of(moved, shown("2 red"), shown("4"), related=False)


def test_what_is_too_long_to_be_looked_at_proves_nothing() -> None:
    assert drift.by_library(shown("1 " * 1_000_000), shown("2 " * 1_000_000)) == "print"
    assert drift.by_library(shown("1 " * 1_000), shown("2 " * 1_000)) == ""


def failed(ename: str, evalue: str) -> list[Output]:
    return [Output("error", ename=ename, evalue=evalue)]


def test_exceptions_are_worded_anew() -> None:
    old, new = failed("KeyError", "'x'"), failed("KeyError", "x not found in axis")
    assert drift.by_library(old, new)
    assert drift.by_python(old, new, unordered=False)


def test_a_library_has_more_in_one_version_than_in_another() -> None:
    gone = failed("AttributeError", "module 'numpy' has no attribute 'trapezoid'")
    for saved, new in ((gone, shown("0.335")), (shown("0.335"), gone)):
        assert drift.by_library(saved, new) == "print"
        assert drift.by_python(saved, new, unordered=False) == "print"
    assert drift.by_library(shown("1"), failed("ValueError", "unknown penalty")) == "print"


def test_what_the_cells_hold_is_no_matter_of_a_library() -> None:
    empty = failed("ZeroDivisionError", "division by zero")
    assert drift.by_library(empty, shown("2.0")) == ""
    assert drift.by_python(failed("TypeError", "not iterable"), shown("2"), unordered=False) == ""


def test_exceptions_of_other_data_are_not_worded_anew() -> None:
    for old, new in (("'a'", "'b'"), ("no row 3 in 'x'", "no row 4 in 'x'")):
        assert not drift.by_library(failed("KeyError", old), failed("KeyError", new))
        assert not drift.by_python(failed("KeyError", old), failed("KeyError", new), unordered=True)


def test_python_alone_prints_what_it_always_did() -> None:
    assert not drift.by_python(shown("b 2\na 1"), shown("a 1\nb 2"), unordered=False)
    assert drift.by_python(shown("b 2\na 1"), shown("a 1\nb 2"), unordered=True)
    assert not drift.by_python(shown("0.84385"), shown("0.84386"), unordered=True)


def test_false_positive_the_first_of_rows_in_another_order() -> None:
    saved, new = (
        shown("   name  n\n0  ana   3\n1  ben   5"),
        shown("   name  n\n0  cid   9\n1  ana   3"),
    )
    assert drift.by_library(saved, new) == ""
