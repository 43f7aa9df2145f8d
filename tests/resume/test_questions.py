"""Which texts of cells are one question, and which may read earlier ones."""

from __future__ import annotations

import pytest

from pytest_nbsafe.resume import questions


@pytest.mark.parametrize(
    "other",
    [
        "x = f( 'a' )",
        'x = f("a")',
        "# why\nx = f('a')",
        "x = f('a')  # why not In[1]?",
        "# first a; then b\n\nx = f('a')\n",
        "# %matplotlib stands above\nx = f('a')",
        "x = (f)('a')",
    ],
)
def test_what_means_the_same(other: str) -> None:
    assert questions.of_cell(other) == questions.of_cell("x = f('a')")
    assert not questions.asks_history(other)


def test_a_text_too_deep_for_a_look_at_its_tree_stands_for_itself() -> None:
    text = "x = " + "+".join(["y"] * 3_000)
    assert questions.of_cell(text) == questions.of_cell(text)
    assert questions.of_cell(text) != questions.of_cell(text + "+y")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("x", "x;"),
        ("x", "x;  # quiet"),
        ("x", "x?"),
        ("x", "x\n'''\n# no comment?\n'''"),
        ("f('a')", "f('a # b?')"),
        ("%time x", "%time x # y"),
        ("%%time\nx", "%%time\n# y\nx"),
        ("f(", "f( # half of it?"),
    ],
)
def test_what_may_show_something_else(text: str, other: str) -> None:
    assert questions.of_cell(text) != questions.of_cell(other)


@pytest.mark.parametrize("text", ["In[1]", "print(_)  # what?", "%recall 1", "# why?\n_ + 1"])
def test_what_reads_earlier_texts_or_results(text: str) -> None:
    assert questions.asks_history(text)


@pytest.mark.parametrize(
    "text",
    [
        "for _ in range(3):\n    a = 1; f(a)",
        "_ = ax.hist(x);",
        "_, axes = plt.subplots()  # why?",
        "print('who?'); first, *_ = rows",
    ],
)
def test_what_only_binds_a_name_that_ipython_uses(text: str) -> None:
    assert not questions.asks_history(text)


@pytest.mark.parametrize("text", ["_;", "print(_); x = 1", "f?\n_ = 1", "%%time\n_ = 1"])
def test_what_may_read_it_as_well(text: str) -> None:
    assert questions.asks_history(text)
