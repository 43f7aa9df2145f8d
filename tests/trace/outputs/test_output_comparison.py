"""Saved outputs against new ones, as a person would judge it."""

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outputcase import display, png, printed, result, warned

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.runner.outputs import Collector
from pytest_nbsafe.trace.outputs import sanitizers
from pytest_nbsafe.trace.outputs.comparison import Settings, compare, volatile

EXACT = Settings("exact")
FIGURE = "<Figure size 640x480 with 1 Axes>"
PICTURE, OTHER = png([[0, 255] * 9] * 9), png([[255, 0] * 9] * 9)


def said(saved: list[Output], new: list[Output], settings: Settings = Settings()) -> str:  # noqa: B008
    """Return the kind, form, place and detail of a difference, "" for none."""
    d = compare(saved, new, settings)
    return "" if d is None else f"{d.kind} {d.form}, {d.place}: {d.detail}"


@pytest.mark.parametrize(
    ("saved", "new", "answer"),
    [
        ([printed("a 1")], [printed("a 2")], "changed text, printed text: line 1: a [1 -> 2]"),
        ([printed("a"), printed("b\n")], [printed("ab\n")], ""),
        ([printed("a\nb\n")], [printed("a\n")], "changed text, printed text: line 2: b is missing"),
        ([printed("a\n")], [], "missing text, printed text: a"),
        ([], [printed("a\nb\n")], "new text, printed text: a (and 1 other line)"),
        ([], [printed("\n")], ""),
        ([printed("a")], [warned("b"), printed("a")], ""),
        ([result("1")], [result("2")], "changed text, result: line 1: 1 -> 2"),
        ([result("1")], [], "missing text, result: 1 saved, 0 now"),
        ([result("<m.C object at 0x7f00112233>")], [result("<m.C object at 0x5500112233>")], ""),
        ([result("[<matplotlib.lines.Line2D at 0x7f12345678>]")], [], ""),
        ([display("image/png", PICTURE, FIGURE)], [display("image/png", PICTURE, "<Figure>")], ""),
        (
            [display("image/png", PICTURE)],
            [display("text/html", "<p>x</p>")],
            "other kind table, display 1: image/png -> text/html",
        ),
        (
            [result("1", png=PICTURE), result("2")],
            [result("2")],
            "missing picture, result: 2 saved, 1 now",
        ),
        ([result("x", html="<b>x</b>")], [result("x")], ""),
        ([result("x", html="<b>x</b>")], [result("x", html="<i>x</i>")], ""),
        (
            [Output("error", ename="KeyError", evalue="'a'")],
            [Output("error", ename="KeyError", evalue="'b'")],
            "changed error, error: line 1: KeyError: '[a -> b]'",
        ),
        ([display("text/latex", "$x=1$")], [display("text/latex", "$x=2$")],
         "changed text, display 1: line 1: $x=[1 -> 2]$"),
        (
            [display("application/vnd.jupyter.widget-view+json", {"model_id": "a"}, "IntSlider()")],
            [display("application/vnd.jupyter.widget-view+json", {"model_id": "b"}, "IntSlider()")],
            "",
        ),
        (
            [display("application/javascript", "draw(1)")],
            [display("application/javascript", "draw(2)")],
            "unknown code, display 1: application/javascript differs, which draws what is seen",
        ),
        (
            [display("application/vnd.js.v0+json", "load('a1')", "plot")],
            [display("application/vnd.js.v0+json", "load('b2')", "plot")],
            "unknown code, display 1: application/vnd.js+json differs, which draws what is seen",
        ),
    ],
)  # fmt: skip
def test_the_first_difference_is_told(saved: list[Output], new: list[Output], answer: str) -> None:
    assert said(saved, new) == answer
    assert said(new, new) == said(saved, saved) == ""


def test_a_picture_is_told_by_its_pixels() -> None:
    saved, new = ([display("image/png", each, FIGURE)] for each in (PICTURE, OTHER))
    assert said(saved, new).startswith("changed picture, display 1: 162 of 162 pixels differ")


def test_what_is_known_comes_before_what_is_not() -> None:
    scripts = [display("application/javascript", f"draw({n})") for n in (1, 2)]
    assert said([scripts[0], result("1")], [scripts[1], result("2")]).startswith("changed text")


def test_what_was_cut_as_it_ran_is_unknown() -> None:
    collector = Collector()
    for name in ("stdout", "stderr"):
        collector.add("stream", {"name": name, "text": "many lines\n" * 60_000})
    cut = list(collector.outputs())
    assert (
        said([printed("few")], cut) == "unknown text, output: the run shows more than is kept of it"
    )


def test_a_long_line_is_told_where_it_differs() -> None:
    line = "a b " * 5_000
    detail = said([printed(f"{line} x 1 {line}")], [printed(f"{line} x 2 {line}")])
    assert "x [1 -> 2] a b" in detail
    assert len(detail) < 300


def test_exact_mode() -> None:
    assert said([printed("0.12345678901")], [printed("0.12345678902")]) == ""
    assert said([printed("0.12345678901")], [printed("0.12345678902")], EXACT) != ""
    assert said([warned("a")], [warned("b")], EXACT).startswith("changed text, standard error")
    assert said([printed("<f at 0x7f12ab34cd>")], [printed("<f at 0x5512ab34cd>")], EXACT) == ""


def test_sanitizers_and_the_present() -> None:
    by_user = Settings(sanitizers=sanitizers.of([(r"run \d+", "run N")]))
    assert said([printed("run 17 ok")], [printed("run 18 ok")], by_user) == ""
    assert said([printed("run 17 ok")], [printed("run 18 bad")], by_user) != ""
    today = Settings(now=datetime(2026, 3, 5, tzinfo=timezone.utc))
    assert said([printed("on 2020-01-01")], [printed("on 2026-03-05")], today) == ""
    assert said([printed("on 2020-01-01")], [printed("on 2026-03-05")]) != ""


@given(st.lists(st.text("ab1. \n{}[],'\\/-%e:", max_size=30), max_size=4), st.booleans())
def test_outputs_are_equal_to_themselves(texts: list[str], is_exact: bool) -> None:  # noqa: FBT001
    outputs = [printed(texts[0]) if texts else printed(""), *map(result, texts[1:])]
    settings = EXACT if is_exact else Settings()
    assert compare(outputs, [*outputs], settings) is None


def test_long_texts_are_compared_in_one_pass() -> None:
    lines = [f"{n} of 20000: value {n / 7}" for n in range(20_000)]
    other = [f"{lines[0]} ", *lines[1:10_000], "changed", *lines[10_000:-1], f"{lines[-1]} "]
    detail = said([printed("\n".join(lines))], [printed("\n".join(other))])
    assert detail == "changed text, printed text: line 10001: changed is new"


# -- what two runs give differently ----------------------------------------------------------------


def masked(saved: list[Output], first: list[Output], second: list[Output]) -> str:
    d = compare(saved, first, volatile=volatile(first, second))
    return "" if d is None else d.detail


def test_what_two_runs_do_not_repeat_is_not_compared_and_the_rest_is() -> None:
    runs = [[printed(f"draw {n}\nrows 120\nbest of 3\n")] for n in (5, 7)]
    assert masked([printed("draw 9\nrows 120\nbest of 3\n")], *runs) == ""
    assert "[99 -> 120]" in masked([printed("draw 9\nrows 99\nbest of 3\n")], *runs)


def test_lines_alike_vary_together() -> None:
    """A draw may agree by chance in two runs, and not in the third."""
    first, second = [printed("[0 1]\n[1 1]\n")], [printed("[1 1]\n[1 1]\n")]
    assert masked([printed("[0 0]\n[0 1]\n")], first, second) == ""


def test_words_and_numbers_of_lines_that_vary() -> None:
    first, second = [printed("a b\nc\ntotal 3\n")], [printed("b\ntotal 3\n")]
    assert masked([printed("c\nb a\na\ntotal 3\n")], first, second) == ""
    assert masked([printed("c\nb a\na\ntotal 4\n")], first, second) != ""


def test_a_column_varies_as_a_whole() -> None:
    def table(*rows: tuple[float, str]) -> list[Output]:
        cells = "".join(f"<tr><td>{x}</td><td>{y}</td></tr>" for x, y in rows)
        head = "<thead><tr><th>x</th><th>y</th></tr></thead>"
        return [result(html=f"<table>{head}<tbody>{cells}</tbody></table>")]

    first, second = table((0.5, "a"), (0.25, "b")), table((0.75, "a"), (0.25, "b"))
    assert masked(table((0.1, "a"), (0.2, "b")), first, second) == ""
    assert "column y: c -> b" in masked(table((0.1, "a"), (0.2, "c")), first, second)


def test_a_picture_that_varies_is_not_compared() -> None:
    first, second = ([display("image/png", each)] for each in (PICTURE, OTHER))
    assert masked([display("image/png", png([[9] * 9] * 9))], first, second) == ""


def test_outputs_that_come_and_go_are_not_compared() -> None:
    assert masked([result("1")], [result("1"), result("2")], [result("3")]) == ""


def test_false_negative_another_number_of_a_line_that_varies() -> None:
    runs = [[printed(f"loss {n} after 100 steps")] for n in (0.5, 0.7)]
    assert masked([printed("loss 0.6 after 900 steps")], *runs) == ""
