"""What-if answers: the paper's example, small notebooks, and what the engine promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from whatifcase import EXAMPLE_1_1, asked, graph, plan, rerun, safe, stale

from pytest_nbsafe.absint import engine, impact
from pytest_nbsafe.absint.engine import Violation
from pytest_nbsafe.absint.whatif_search import whatif
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.errors import NbsafeError

# --- NBLyzer, Example 1.1 ------------------------------------------------------------------------


def test_the_example_goes_stale_without_cell_2() -> None:
    answer = asked("1 2 4 5", 1, *EXAMPLE_1_1)
    assert stale(answer) == [
        "1 4: x, without 2",
        "1 5: train, without 2 4",
        "1 5: test, without 2 4",
    ]
    assert answer.stale[0].cause == "reads `x`, which cell 2 made from the old `d`"
    assert [step.cell for step in answer.stale[0].steps] == [1, 2, 4]


def test_the_example_is_safe_through_cell_2_or_cell_3() -> None:
    answer = asked("1 2 4 5", 1, *EXAMPLE_1_1)
    assert safe(answer) == ["1 2 4 5", "1 3 4 5"]
    assert rerun(answer) == "2 4 5"
    assert answer.fresh == (2,)


def test_the_example_run_from_top_to_bottom_does_not_depend_on_cell_1() -> None:
    answer = asked("1 2 3 4 5", 1, *EXAMPLE_1_1)
    assert stale(answer) == []
    assert rerun(answer) == "2"


# --- stale, fresh, isolated ----------------------------------------------------------------------

CHAIN = ("a = read()", "b = a + 1", "c = b + 1", "print(c)")


def test_a_chain() -> None:
    answer = asked("1 2 3 4", 1, *CHAIN)
    assert stale(answer) == ["1 3: b, without 2", "1 4: c, without 2 3"]
    assert safe(answer) == ["1 2 3 4"]
    assert [again.cause for again in answer.rerun] == [
        "reads `a`",
        "reads `b`, made from the old `a`",
        "reads `c`, made from the old `a`",
    ]


def test_what_is_made_again_from_the_new_name_is_not_stale() -> None:
    # by the letter of nbsafety's Def. 4 `y` is older than `df`, in page order too
    cells = ("df = load()", "y = df.x", "df = df.dropna()", "print(y)")
    assert stale(asked("1 2 3 4", 3, *cells)) == []
    assert stale(asked("1 2 3 4", 1, *cells)) == ["1 4: y, without 2"]


def test_a_redefined_function_outdates_what_was_computed_with_it() -> None:
    cells = ("def f(x):\n    return x + k", "k = 1", "y = f(2)", "print(y)")
    assert stale(asked("1 2 3 4", 1, *cells)) == ["1 4: y, without 3"]
    assert stale(asked("1 2 3 4", 2, *cells)) == ["2 4: y, without 3"]


def test_running_an_import_again_changes_nothing() -> None:
    cells = ("import numpy as np", "a = np.ones(3)", "print(a)")
    assert stale(asked("1 2 3", 1, *cells)) == []
    assert stale(asked("1 2 3", 1, *cells, change="np")) == ["1 3: a, without 2"]


def test_what_is_changed_in_place_is_built_again_from_its_start() -> None:
    cells = ("n = 2", "found = []", "found.append(n)", "found.append(n * n)", "print(found)")
    answer = asked("1 2 3 4 5", 1, *cells)
    assert rerun(answer) == "2 3 4 5"
    assert safe(answer) == ["1 2 3 4 5"]


FITTED = ("alpha = 1", "X = read()", "m = Ridge(alpha)", "m.fit(X)", "print(m.coef_)")


def test_fitting_again_leaves_nothing_of_the_old_rows() -> None:
    answer = asked("1 2 3 4 5", 2, *FITTED)
    assert stale(answer) == ["2 5: m, without 3 4"]
    assert answer.fresh == (4,)


def test_fitting_again_keeps_what_the_estimator_was_made_with() -> None:
    answer = asked("1 2 3 4 5", 1, *FITTED)
    assert stale(answer) == ["1 4: m, without 3", "1 5: m, without 3 4"]


def test_a_name_for_the_same_object_is_as_new() -> None:
    cells = ("a = []", "a.append(1)", "b = a", "print(b)")
    assert stale(asked("1 2 3 4", 2, *cells)) == []


def test_cells_to_run_first() -> None:
    cells = ("df = load('a')", "y = df.x", "df = load('b')", "print(y)")
    answer = asked("1 2 3 4", 2, *cells)
    assert answer.first == (1,)
    assert asked("1 2 3 4", 3, *cells).first == ()


def test_an_import_need_not_be_run_again() -> None:
    cells = ("from m import P", "p = P()", "from m import P", "print(p)")
    answer = asked("1 2 3 4", 2, *cells)
    assert answer.first == ()
    assert safe(answer) == ["2 4"]


def test_what_the_source_made_already_is_not_left_out() -> None:
    cells = ("df = load()", "df['a'] = 1", "y = df.a", "print(y)")
    assert stale(asked("1 2 3 4", 1, *cells)) == ["1 4: y, without 2 3"]


def test_a_cell_that_was_never_run() -> None:
    answer = asked("1 3", 1, "a = 1", "b = a", "print(a)")
    assert answer.fresh == (2, 3)
    assert rerun(answer) == "3"


def test_isolated_cells() -> None:
    assert asked("1 2 3", 1, "a = 1", "print(a)", "z = 3").isolated == (3,)


def test_the_change_of_one_name_only() -> None:
    cells = ("a = 1\nb = 2", "x = a", "y = b", "print(x, y)")
    assert stale(asked("1 2 3 4", 1, *cells, change="a")) == ["1 4: x, without 2"]
    assert rerun(asked("1 2 3 4", 1, *cells, change="a")) == "2 4"


def test_a_change_reaches_what_the_cell_makes_from_the_name() -> None:
    cells = ("a = 1\nb = a + 1", "y = b", "print(y)")
    assert asked("1 2 3", 1, *cells, change="a").makes == ("a", "b")


def test_a_rename_leaves_readers_without_a_definer() -> None:
    answer = asked("1 2", 1, "a = 1", "print(a)", change="a")
    assert answer.renamed is not None
    assert answer.renamed.undefined == (2,)
    assert answer.renamed.isolated == (1, 2)


def test_a_rename_lets_readers_read_another_cells_name() -> None:
    answer = asked("1 2 3", 2, "a = 1", "a = 2", "print(a)", change="a")
    assert answer.renamed is not None
    assert answer.renamed.undefined == ()
    assert answer.renamed.elsewhere == ((3, 1),)


def test_what_the_text_does_not_show_is_told() -> None:
    answer = asked("1 2", 1, "a = 1", "exec(a)")
    assert [(found.cell, found.line) for found in answer.unknown] == [(2, 1)]


# --- known imprecisions --------------------------------------------------------------------------


def test_false_negative_another_definer_replaces_the_value() -> None:
    # `train` was made from the `x` of cell 2; on the page cell 4 reads that of cell 3
    assert stale(asked("1 2 4 5", 3, *EXAMPLE_1_1)) == []


def test_false_negative_a_binding_on_some_paths_counts_as_made_anew() -> None:
    cells = ("a = 1", "x = a", "if q:\n    x = 0", "print(x)")
    answer = asked("1 2 3 4", 1, *cells)
    assert stale(answer) == ["1 4: x, without 2 3"]
    assert stale(asked("1 2 4", 1, *cells)) == ["1 4: x, without 2"]


def test_false_negative_what_a_loop_carries_over() -> None:
    cells = ("a = 1", "y = 0\nfor i in [1, 2]:\n    x = y\n    y = a", "print(x)")
    assert "x" not in [found.name for found in asked("1 2 3", 1, *cells).stale]


def test_false_negative_an_estimator_that_learns_on_when_fitted_again() -> None:
    # the weights of a neural network stay: only the text of its class could tell
    cells = ("X = read()", "m = network()", "m.fit(X)", "print(m)")
    assert stale(asked("1 2 3 4", 1, *cells)) == ["1 4: m, without 2 3"]


# --- misuse --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "change", "message"),
    [
        (0, None, r"there is no cell 0 \(its cells are 1 to 2"),
        (9, None, "there is no cell 9"),
        (1, "zz", r"cell 1 does not define 'zz' \(it defines a\)"),
        (2, "a", r"it defines no name"),
    ],
)
def test_misuse(run: int, change: str | None, message: str) -> None:
    with pytest.raises(NbsafeError, match=message):
        asked("1 2", run, "a = 1", "print(a)", change=change)


def test_a_cell_that_does_not_parse_has_no_what_if() -> None:
    with pytest.raises(NbsafeError, match="cell 1 does not parse"):
        asked("1", 1, "a = = 1")


# --- the engine ----------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 3, None])
def test_a_cyclic_notebook_comes_to_an_end(depth: int | None) -> None:
    cells = ("a = b + 1", "b = c + 1", "c = a + 1", "a = a + b", "print(a, b, c)")
    found = graph(*cells)
    domain = impact.domain(found, plan([1, 2, 3, 4, 5]), 1)
    reached = engine.explore(domain, 1, sorted(found.cells), depth, most_states=10_000)
    assert reached.gave_up == ""
    assert reached.transfers <= 1 + reached.states * len(cells)


def test_it_says_where_it_gave_up() -> None:
    reached = engine.explore(Counter(), 1, [1, 2], None, most_states=3)
    assert reached.gave_up == "gave up after 3 states, 2 runs from cell 1"


@pytest.mark.corpus
def test_a_notebook_of_200_cells() -> None:
    cells = ["x0 = read()"] + [f"x{i} = x{i - 1} + x{i // 2}" for i in range(1, 200)]
    found = graph(*cells)
    answer = whatif(found, plan(sorted(found.cells)), 1, None, None)
    assert len(answer.rerun) == 199
    assert {len(found.sequence) for found in answer.stale} == {2}
    assert answer.gave_up == ""


class Counter:
    """A domain whose states grow for ever, so it ends only if it is widened."""

    name = "counter"
    top = 1 << 20

    def initial(self) -> int:
        return 0

    def transfer(self, cell: int, state: int) -> int:
        return min(state + cell, self.top)

    def widen(self, old: int, new: int) -> int:
        return self.top if new > old else old

    def covers(self, old: int, new: int) -> bool:
        return new <= old

    def phi(self, state: int, cell: int) -> bool:
        return state >= 0 and cell > 0

    def check(self, cell: int, entry: int, after: int) -> Iterator[Violation]:
        if after == self.top > entry:
            yield Violation(cell, Span(1, 1, 1, 2), "n", "grows too large")


def test_a_growing_state_is_widened() -> None:
    reached = engine.explore(Counter(), 1, [1, 2], None, most_states=10_000)
    assert reached.gave_up == ""
    assert reached.states < 100


def test_other_domains_tell_leaks() -> None:
    class Leaky(Counter):
        top = 3

    answer = whatif(graph("a = 1", "print(a)"), plan([1, 2]), 1, domains=[lambda *_: Leaky()])
    assert [found.sequence for found in answer.leaks] == [(1, 2), (1, 1, 1)]
