"""NBS104: which reads have two definitions to choose from, and which only seem to."""

from __future__ import annotations

from pathlib import Path

import pytest
from rulecase import facts_of, run, tried

from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.rules import evaluate
from pytest_nbsafe.rules.base import Facts

ONLY = Config(select=("NBS104",))


def notebook(counts: str, *cells: str) -> str:
    """Return percent text of these cells with these counts, "-" for none."""
    marks = ["" if count == "-" else f" [{count}]" for count in counts.split()]
    return "".join(f"# %%{m}\n{cell}\n" for m, cell in zip(marks, cells, strict=True))


def told(counts: str, *cells: str) -> list[Finding]:
    return list(evaluate(facts_of(notebook(counts, *cells), ONLY)))


def places(counts: str, *cells: str) -> list[str]:
    return [f"{f.location.cell}:{f.location.line}" for f in told(counts, *cells)]


FIGURE = (
    "import pandas as pd",
    "df = pd.read_csv('penguins_size.csv')",
    "df = pd.read_csv('penguins_lter.csv')",
    "df['Island']",
)
CHOICE = ("limit = 10", "limit = 20", "print(limit)")


# -- the counts say otherwise than the page --------------------------------------------------------


@pytest.mark.parametrize("counts", ["1 2 3 4", "1 2 3 7", "2 4 6 8", "1 - 3 4", "1 2 3 -"])
def test_in_page_order_nothing_is_ambiguous(counts: str) -> None:
    assert places(counts, *FIGURE) == []


def test_figure_2_a_of_the_paper() -> None:
    [finding] = told("- - - -", *FIGURE)
    assert (
        finding.location.cell,
        finding.location.line,
        finding.location.column,
    ) == (4, 1, 1)
    assert (finding.verdict, finding.severity) == ("suspected", "warning")
    assert [(step.cell, step.cause) for step in finding.steps] == [
        (2, "defines `df`; it has no count"),
        (3, "defines `df`; it has no count"),
        (4, "reads `df`; it has no count"),
    ]


@pytest.mark.parametrize("counts", ["1 3 2 4", "1 9 2 12", "- 3 2 4"])
def test_the_upper_definition_ran_last(counts: str) -> None:
    [finding] = told(counts, *FIGURE)
    assert finding.message.endswith("with `df` of cell 2: in page order it reads that of cell 3")
    assert finding.remedy.startswith("run cell 3 and then this cell again")


def test_the_lower_definition_never_ran() -> None:
    [finding] = told("1 2 - 3", *FIGURE)
    message = "with `df` of cell 2: cell 3, which defines it again in between, was never run"
    assert finding.message == f"this cell ran as [3] {message}"


def test_a_definition_with_output_did_run() -> None:
    text = "# %% [1]\nx = 1\n# %%\nx = 2\nprint(x)\n#> 2\n# %% [2]\nprint(x)\n"
    assert evaluate(facts_of(text, ONLY)) == ()


def test_names_that_go_together_are_told_together() -> None:
    [finding] = told("3 2 4", "a, b = 1, 2", "a, b = 2, 1", "print(a + b)")
    assert "`a` and `b` of cell 1" in finding.message


def test_one_choice_is_told_once() -> None:
    [finding] = told("3 2 4 5", *CHOICE, "x = limit")
    assert finding.location.cell == 3
    assert [(step.cell, step.cause) for step in finding.steps][-1] == (4, "also reads `limit`")


def test_a_read_in_a_function_stands_at_the_call() -> None:
    cells = ("def f():\n    return limit", "limit = 1", "limit = 2", "y = 0\nf()")
    assert places("1 3 2 4", *cells) == ["4:2"]


def test_a_chain_that_ran_out_of_order_is_one_fault() -> None:
    text = notebook("3 2 4", "x = [1]", "x = x + [2]", "print(x)")
    [finding] = evaluate(facts_of(text, Config(select=("NBS103", "NBS104"))))
    assert (finding.code, finding.location.cell) == ("NBS103", 2)
    assert (3, "also reads `x`") in [(step.cell, step.cause) for step in finding.steps]


def test_what_others_tell_is_left_to_them() -> None:
    assert places("1 4 3", *CHOICE) == []  # NBS103: the nearest ran after the read
    assert places("1 3 2", "x = 1", "print(x)", "x = 2") == []  # nothing to choose
    assert places("1 3 2", "print(x)", "x = 1", "x = 2") == []  # NBS102


# -- no choice -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells",
    [
        ("import a.x as x", "import b.x as x", "x.f()"),
        ("for i in range(3):\n    i", "for i in range(4):\n    i", "print(i)"),
        ("limit = 10", "limit = 10  # the same", "print(limit)"),
        ("limit = 10", "if c:\n    limit = 20", "print(limit)"),
        ("limit = 10", "from a import *\nlimit = 20", "print(limit)"),
        ("limit = 10", "limit = 20", "limit = 30\nprint(limit)"),
        ("limit = 10", "limit = 20", "try:\n    limit\nexcept NameError:\n    pass"),
        ("limit = 10", "limit = 20", "def f():\n    return limit"),
    ],
)
def test_no_choice_whatever_the_counts(cells: tuple[str, ...]) -> None:
    assert places("3 2 4", *cells) == []
    assert places("- - -", *cells) == []


@pytest.mark.parametrize(
    "cells",
    [
        ("x = [1]", "x = x + [2]", "print(x)"),  # a chain
        ("x = 1\nprint(x)", "x = 2", "print(x)"),  # the first serves its own cell
        ("x = 1", "print(x)", "x = 2", "print(x)"),  # each part has its own
        ("x, y = 1, 2", "x = 3", "print(x, y)"),  # half of it is still read
        ("x = 1", "y = 0", "x = 2", "print(x)"),  # not side by side
        ("x = 1\ndef f():\n    return x", "x = 2", "print(x)"),
    ],
)
def test_no_choice_without_counts(cells: tuple[str, ...]) -> None:
    assert places(" ".join("-" * len(cells)), *cells) == []


def test_a_first_version_that_the_text_goes_on_from() -> None:
    text = "# %%\nx = 1\n# %% [markdown]\nOr rather:\n# %%\nx = 2\n# %%\nprint(x)\n"
    assert evaluate(facts_of(text, ONLY)) == ()


def test_a_cell_that_is_not_to_run_defines_nothing() -> None:
    text = "# %% [1]\nx = 1\n# %% tags=skip-execution\nx = 2\n# %% [2]\nprint(x)\n"
    assert evaluate(facts_of(text, ONLY)) == ()


def test_false_negative_counts_of_several_sessions_are_not_compared() -> None:
    assert places("1 5 2 6 1", *FIGURE, "print(1)") == []


def test_false_negative_a_chain_whose_last_link_never_ran() -> None:
    assert places("1 - 2", "x = [1]", "x = x + [2]", "print(x)") == []


def test_false_positive_two_ways_to_the_same_value() -> None:
    # only a run can tell; it does
    assert places("3 2 4", "x = 2 + 2", "x = 4", "print(x)") == ["3:1"]


# -- after a run -----------------------------------------------------------------------------------


def judged(facts: Facts, judgement: Judgement) -> list[str]:
    found = evaluate(tried(facts, judgements=[judgement]))
    return [f"{f.code} {f.verdict} {f.severity}" for f in found]


def test_the_same_output_refutes() -> None:
    facts = facts_of(notebook("3 2 4", *CHOICE), ONLY)
    assert judged(facts, Judgement(3, "same")) == []
    assert judged(facts, Judgement(3, "nothing-to-compare", values={"limit": "same"})) == []


def test_another_output_confirms() -> None:
    facts = facts_of(notebook("3 2 4", *CHOICE), ONLY)
    assert judged(facts, Judgement(3, "differs", "10", "20")) == ["NBS104 confirmed warning"]


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_run_decides(tmp_path: Path) -> None:
    text = "# %% [3]\nx = 2 + 2\n# %% [2]\nx = {}\n# %% [4]\nprint(x)\n#> 4\n"
    assert [f.code for f in run(text.format(4), tmp_path, select=["NBS104"])] == []
    [finding] = run(text.format(5), tmp_path, select=["NBS104"])
    assert (finding.verdict, finding.severity) == ("confirmed", "error")
    assert finding.steps[-1].cause == 'shows "4", a clean run gives "5"'
