"""Cells that ran more often than the page shows: which may have, and what proves it."""

from __future__ import annotations

import percent
import pytest

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.judge import hidden_runs
from pytest_nbsafe.judge.hidden_runs import HiddenRuns
from pytest_nbsafe.judge.trial import Judgement
from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.results import CellResult, PlanResult, Record

ADDS = "xs = []", "xs.append(1)", "print(xs)"


def graph_of(counts: str, *sources: str) -> Graph:
    cells = zip(counts.split(), sources, strict=True)
    return build(percent.parse("".join(f"# %% [{n}]\n{s}\n" for n, s in cells)))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ("1 3 4", (HiddenRuns(2, (2,)),)),
        ("1 5 6", (HiddenRuns(2, (2, 3, 4)),)),
        ("1 6 7", ()),  # too many to be the same cell again and again
        ("1 2 4", ()),  # what only shows its input shows the same each time
        ("2 3 4", ()),
        ("1 2 3", ()),
        ("1 3 3", ()),
    ],
)
def test_a_count_that_is_missing_may_be_that_of_another_run(
    counts: str, expected: tuple[HiddenRuns, ...]
) -> None:
    assert hidden_runs.candidates(graph_of(counts, *ADDS)) == expected


@pytest.mark.parametrize(
    ("source", "may"),
    [
        ("xs = xs + [1]", True),
        ("y = next(it)", True),
        ("open('a.txt', 'a').write('x')", True),
        ("y = xs[0]", False),
        ("import os", False),
    ],
)
def test_only_what_changes_its_input(source: str, may: bool) -> None:  # noqa: FBT001 - a table
    makes = "xs = [1]\nit = iter(xs)\nopen('a.txt', 'w').write('x')"
    assert bool(hidden_runs.candidates(graph_of("1 3", makes, source))) is may


def test_the_suspects_are_what_a_cell_is_made_from_the_nearest_first() -> None:
    graph = graph_of("1 2 3 4", "a = []", "b = []", "a.append(b)", "print(a)")
    found = [HiddenRuns(1, (0,)), HiddenRuns(2, (0,)), HiddenRuns(3, (0,)), HiddenRuns(4, (0,))]
    assert [one.cell for one in hidden_runs.suspects(graph, found, 3)] == [3, 2, 1]


DRAWS = "rng = make()", "x = rng.draw()", "print(rng.draw())", "y = len(other)"


def seen(**mutated: int) -> PlanResult:
    """A run of four cells of which these changed these names."""
    changed = {cell: name for name, cell in mutated.items()}
    records = {
        cell: (Record((cell, 1), cell, 1, frozenset(), {}, {name: frozenset()}),)
        for cell, name in changed.items()
    }
    runs = tuple(Run(n, n, None, recorded=False, reason="") for n in range(1, 5))
    ran = (CellResult(n, n, "ok", records=records.get(n, ())) for n in range(1, 5))
    return PlanResult(Plan("top-down", runs), tuple(ran))


def test_what_a_run_saw_a_cell_change_though_its_text_does_not_say_so() -> None:
    graph = graph_of("1 3 5 7", *DRAWS)
    assert hidden_runs.candidates(graph) == ()
    assert hidden_runs.seen_to_change(graph, seen()) == ()
    assert hidden_runs.seen_to_change(graph, seen(x=2)) == (), "it makes that itself"
    clean = seen(rng=2)
    changers = hidden_runs.seen_to_change(graph, clean)
    assert changers == (HiddenRuns(2, (2,)),)
    assert hidden_runs.suspects(graph, changers, 3, clean) == changers, "it reads what was changed"
    assert hidden_runs.suspects(graph, changers, 4, clean) == ()


def test_what_a_cell_changes_may_have_another_name() -> None:
    graph = graph_of("1 3 5", "xs = []\nys = xs", "ys.append(1)", "print(xs)")
    judged = {3: Judgement(3, "differs")}
    inquiry = hidden_runs.inquiry(graph, results("", "", "[1]"), judged, ())
    assert next(inquiry).plan.cells == (1, 2, 2, 3)


def test_the_first_difference_that_nobody_explains() -> None:
    judged = {n: Judgement(n, "differs") for n in (2, 4)} | {1: Judgement(1, "same")}
    assert hidden_runs.unexplained(judged, ()) == 2
    assert hidden_runs.unexplained(judged, (2,)) == 4
    assert hidden_runs.unexplained(judged, (2, 4)) is None


PLAN = Plan(
    "top-down",
    tuple(Run(n, n, None, recorded=False, reason="") for n in (1, 2, 3)),
)


def test_the_plan_with_further_runs() -> None:
    more = hidden_runs.with_runs(PLAN, HiddenRuns(2, (5, 6)))
    assert more.cells == (1, 2, 2, 2, 3)
    assert [run.step for run in more.runs] == [1, 2, 3, 4, 5]
    assert [run.count for run in more.runs] == [None, 5, 6, None, None]


def test_the_plan_without_a_cell() -> None:
    less = hidden_runs.without(PLAN, {2})
    assert [(run.step, run.cell) for run in less.runs] == [(1, 1), (2, 3)]


def test_what_never_ran_has_neither_count_nor_output() -> None:
    text = "# %% [1]\na = 1\n# %%\na = 2\n# %%\n# words\n# %%\na\n#= 2\n# %% [2]\na\n# %%\na = 3\n"
    assert hidden_runs.never_ran(build(percent.parse(text))) == (2,)
    assert hidden_runs.never_ran(build(percent.parse("# %%\na = 1\n# %%\na\n"))) == ()


def results(*texts: str) -> PlanResult:
    shown = (Output("stream", name="stdout", text=text) for text in texts)
    return PlanResult(
        PLAN, tuple(CellResult(n, n, "ok", outputs=(out,)) for n, out in enumerate(shown, 1))
    )


SAVED = """\
# %% [1]
print(0)
#> 0
# %% [3]
print(1)
# %% [4]
print(2)
#> 2 2
"""


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (results("0", "", "2 2"), True),
        (results("0", "", "2 2 2"), False),
        (results("9", "", "2 2"), False),  # something that was right is wrong now
    ],
)
def test_what_gives_the_page(other: PlanResult, expected: bool) -> None:  # noqa: FBT001 - a table
    notebook = percent.parse(SAVED)
    clean = results("0", "", "2")
    assert hidden_runs.gives_the_page(notebook, clean, other, 3) is expected


def test_chance_is_no_proof() -> None:
    clean = results("0", "", "2")
    assert hidden_runs.gives_the_same(clean, results("0", "", "2"), 3)
    assert not hidden_runs.gives_the_same(clean, results("0", "", "7"), 3)
    assert not hidden_runs.gives_the_same(clean, PlanResult(PLAN, ()), 3)
