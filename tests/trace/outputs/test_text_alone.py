"""Saved outputs against new ones: what counts as another result, and what does not."""

import pytest

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.trace.outputs.text_alone import compare, is_of_other_library, text_lines


def out(text: str) -> Output:
    return Output("stream", name="stdout", text=text)


def result(text: str) -> Output:
    return Output("execute_result", text=text)


SAME = [
    ("<f at 0x7f12ab34cd>", "<f at 0x55aa00bb11>"),
    ("1\n2\n", "1\n2"),
    ("a   b", "a b"),
    ("\x1b[31mred\x1b[0m", "red"),
    ("np.float64(1.5)", "1.5"),
    ("[np.int64(1), np.int64(2)]", "[1, 2]"),
    ("0.1234567890123", "0.1234567890124"),
    ("10%\r50%\r100%", "100%"),
    ("saved to /home/ann/out/a.csv", "saved to /home/bob/out/a.csv"),
    ("['C:\\\\data\\\\a.csv']", "['/srv/data/a.csv']"),
    ("Name: x, dtype: object", "Name: x, dtype: str"),
    ("Name: x, dtype: int32", "Name: x, dtype: int64"),
    ("array([1, 2], dtype=int32)", "array([1, 2], dtype=int64)"),
]
DIFFERENT = [
    ("1", "2"),
    ("0.12345", "0.12346"),
    ("0.12345678", "0.12345778"),
    ("a\nb", "a"),
    ("1e-05", "1e-06"),
    ("v1.2.3", "v1.2.4"),
    ("0x1", "0x2"),
    ("1/2", "1/3"),
    ("24/12/2019", "25/12/2019"),
    ("https://a.org/b/c", "https://a.org/b/d"),
    ("b/c/d", "b/c/e"),
    ("x / y / z", "x / y / w"),
]


@pytest.mark.parametrize(("saved", "new"), SAME)
def test_what_chance_makes_differ_is_the_same(saved: str, new: str) -> None:
    assert compare([result(saved)], [result(new)]).result == "same"


SVC = "SVC(C=1.0, cache_size=200, class_weight=None, coef0=0.0,\n  degree=3, gamma='auto')"


@pytest.mark.parametrize(
    ("saved", "new", "other"),
    [
        (SVC, "SVC()", True),
        (SVC, "SVC(C=1.0)", True),
        (SVC, SVC, False),
        (SVC, "SVR()", False),
        ("Point(x=1, y=2)", "Point(x=1)", False),
        ("", "", False),
    ],
)
def test_all_settings_at_length_are_those_of_an_older_library(
    saved: str,
    new: str,
    other: bool,  # noqa: FBT001 - a table
) -> None:
    assert is_of_other_library([result(saved)], [result(new)]) is other


@pytest.mark.parametrize(("saved", "new"), DIFFERENT)
def test_another_value_differs(saved: str, new: str) -> None:
    assert compare([result(saved)], [result(new)]).result == "differs"


def test_the_first_differing_lines_are_told() -> None:
    compared = compare([out("A\nB 1\n")], [out("A\nB 2\n")])
    assert (compared.saved, compared.new) == ("B 1", "B 2")


def test_a_line_that_is_gone_is_told_as_empty() -> None:
    compared = compare([out("A\nB\n")], [out("A\n")])
    assert (compared.saved, compared.new) == ("B", "")


def test_pieces_of_a_stream_are_one_text() -> None:
    assert compare([out("on"), out("e\n")], [out("one\n")]).result == "same"


def test_cleared_outputs_have_nothing_to_compare() -> None:
    assert compare([], [out("1")]).result == "nothing-to-compare"


def test_pictures_and_timings_have_nothing_to_compare() -> None:
    saved = [
        Output("display_data", text="<Figure size 640x480 with 1 Axes>", data={"image/png": "x"}),
        out("CPU times: user 1 ms, sys: 0 ns, total: 1 ms\nWall time: 2 ms\n"),
        out("1.2 µs ± 3 ns per loop (mean ± std. dev. of 7 runs, 10 loops each)\n"),
    ]
    assert text_lines(saved) == ()
    assert compare(saved, []).result == "nothing-to-compare"


def test_warnings_on_standard_error_are_not_the_result() -> None:
    saved = [Output("stream", name="stderr", text="DeprecationWarning\n"), out("1\n")]
    assert compare(saved, [out("1\n")]).result == "same"


def test_an_error_is_compared_by_its_class_and_message() -> None:
    saved = [Output("error", ename="KeyError", evalue="'a'", traceback=("long", "text"))]
    new = [Output("error", ename="KeyError", evalue="'b'")]
    assert compare(saved, new).saved == "KeyError: 'a'"
    assert compare(saved, new).result == "differs"
