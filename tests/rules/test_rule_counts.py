"""What the counts alone say (NBS108, NBS109), and the cells that stand alone (NBS105)."""

from __future__ import annotations

import percent
import pytest
from rulecase import facts_of

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules import evaluate


def of_code(code: str, text: str) -> list[Finding]:
    """Return the findings of one code, for a notebook in percent text."""
    return list(evaluate(facts_of(text, Config(select=(code,), named=(code,)))))


def with_counts(counts: str) -> str:
    """Return a notebook whose cells have these counts ("-" for none)."""
    cells = [
        f"# %% {'' if c == '-' else f'[{c}]'}\nx{n} = 1\n" for n, c in enumerate(counts.split())
    ]
    return "".join(cells)


# -- NBS108 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", ["1 2 3", "- - -", "3 1 2", "1 - 2 -", "7", ""])
def test_one_session(counts: str) -> None:
    assert of_code("NBS108", with_counts(counts)) == []


@pytest.mark.parametrize(
    ("counts", "place", "message"),
    [
        ("1 2 1 2", 3, "the counts come from at least 2 sessions: [1] is at cells 1 and 3"),
        ("5 1 2 3 2 3", 5, "the counts come from at least 2 sessions: [2] is at cells 3 and 5"),
        # the worked example of the paper, section 4.1
        (
            "1 6 4 5 2 4 6 1 2 3 4",
            6,
            "the counts come from at least 3 sessions: [4] is at cells 3 and 6",
        ),
    ],
)
def test_a_count_that_repeats(counts: str, place: int, message: str) -> None:
    [finding] = of_code("NBS108", with_counts(counts))
    assert (place, message) == (finding.location.cell, finding.message)


def test_the_steps_name_each_session() -> None:
    [finding] = of_code("NBS108", with_counts("1 2 3 1 2"))
    assert [(step.cell, step.cause) for step in finding.steps] == [
        (1, "ran in session 1, with cells 2 and 3, as far as the counts tell"),
        (4, "ran in session 2, with cell 5, as far as the counts tell"),
    ]


def test_a_long_session_is_cut() -> None:
    [finding] = of_code("NBS108", with_counts("1 2 3 4 5 6 7 8 9 10 11 1"))
    assert finding.steps[0].cause.startswith(
        "ran in session 1, with cells 2, 3, 4, 5, 6, 7, 8 and 9 and 2 more"
    )


def test_a_copied_cell_is_no_session() -> None:
    assert of_code("NBS108", "# %% [1]\na = 1\n# %% [2]\nb = a\n# %% [2]\nb = a\n") == []


def test_false_negative_two_sessions_that_share_no_count() -> None:
    assert of_code("NBS108", with_counts("3 4 1 2")) == []


# -- NBS109 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", ["1 2 3", "3 1 2", "- - -", "1 - 2", "", "1 2 1 2"])
def test_no_count_is_missing(counts: str) -> None:
    assert of_code("NBS109", with_counts(counts)) == []


@pytest.mark.parametrize(
    ("counts", "place", "which"),
    [
        ("1 3", 2, "1 of 3 counts is missing ([2])"),
        ("1 6 2", 2, "3 of 6 counts are missing ([3]-[5])"),
        ("4 5", 1, "3 of 5 counts are missing ([1]-[3])"),
        ("9 4 2", 1, "6 of 9 counts are missing ([1], [3] and [5]-[8])"),
        ("2 4 6 8 11 13", 5, "7 of 13 counts are missing ([1], [3], [5], [9]-[10] and 2 more)"),
        ("1 2 3 1 3", 5, "1 of 6 counts of 2 sessions is missing ([2])"),
    ],
)
def test_missing_counts(counts: str, place: int, which: str) -> None:
    [finding] = of_code("NBS109", with_counts(counts))
    assert f"{which}: cells were run again or deleted" == finding.message
    assert place == finding.location.cell


def test_the_steps_tell_each_gap() -> None:
    [finding] = of_code("NBS109", with_counts("3 8"))
    assert [(step.cell, step.cause) for step in finding.steps] == [
        (1, "ran as [3]; no cell has a lower count"),
        (2, "ran as [8]; the last run before it that is left is [3]"),
    ]


def test_a_cell_emptied_after_its_run_has_its_count() -> None:
    assert of_code("NBS109", "# %% [1]\na = 1\n# %% [2]\n\n# %% [3]\nprint(a)\n") == []


def test_the_cells_that_make_the_figure_of_the_paper() -> None:
    # section 4.1: at least 4 + 6 + 6 = 16 cells were executed, 11 are left
    [finding] = of_code("NBS109", with_counts("1 6 4 5 2 4 6 1 2 3 4"))
    assert finding.message.startswith("5 of 16 counts of 3 sessions are missing")


# -- NBS105 ----------------------------------------------------------------------------------------


def isolated(*cells: str) -> list[int]:
    text = percent.page_of("a = 1", *cells)
    found = of_code("NBS105", f"{text}# %%\nprint(a)\n")
    return [finding.location.cell for finding in found]


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "x = 1\nprint(x)",
        "import math",
        "import math\nprint(math.pi)",
        "def f(x):\n    return x",
        "for i in range(3):\n    print(i)",
        "# a comment\n\nx = 1",
    ],
)
def test_isolated(source: str) -> None:
    assert isolated(source) == [2]


@pytest.mark.parametrize(
    "source",
    [
        "print('hello')",
        "1 + 1",
        "x = a",
        "a = 2",
        "a.append(1)",
        "del a",
        "def f():\n    return a",
        "def f():\n    global a\n    a = 2",
        "%matplotlib inline",
        "!pip list",
        "%%bash\nls",
        "x = _ + 1",
        "x = Out[1]",
        "import warnings\nwarnings.filterwarnings('ignore')",
        "import matplotlib\nmatplotlib.rcParams['font.size'] = 12",
        "from os import *\nx = 1",
        "%run other.py\nx = 1",
        "x = nowhere_defined",
        "from IPython.display import Image\nImage('plot.png')",
        "from __future__ import division",
        "# only a comment",
        "x = = 1",
    ],
)
def test_not_isolated(source: str) -> None:
    assert isolated(source) == []


def test_a_name_may_be_shared_in_a_way_that_no_analysis_reads() -> None:
    assert isolated("limit = 3", "a.query('x > @limit')") == []
    assert isolated("limit = 3", "%timeit -n 1 f(limit)") == []
    assert isolated("limit = 3", "print limit") == []
    assert isolated("limit = 3", "eval('limit')") == []


def test_the_only_cell_of_a_notebook_is_not_isolated() -> None:
    assert of_code("NBS105", "# %% [1]\nx = 1\n") == []


def test_two_cells_that_bind_the_same_name_share_it() -> None:
    assert isolated("x = 1", "x = 2") == []


def test_cells_that_share_a_file_are_not_isolated() -> None:
    assert isolated("open('f', 'w').write('1')", "text = open('f').read()") == []


def test_false_positive_cells_that_share_a_file_of_unknown_name() -> None:
    assert isolated("open('f' + '1', 'w').write('1')", "text = open('f1').read()") == [3]
