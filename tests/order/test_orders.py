"""Plans by each order: percent text in, `cell@count` out; `*` marks a run that was inferred."""

import random
from typing import Any

import percent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.order import chances, readings, session_split
from pytest_nbsafe.order import orderings as order
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.values import replace

FIG_1 = """\
# %% [4]
def custom_agg(series):
    return series.max() - series.min()
# %% [2]
agg_by_col = {'A': 'min', 'B': custom_agg}
# %% [5]
print(agg_by_col)
"""


def graph_of(text: str) -> Graph:
    return build(percent.parse(text, path="a.ipynb"))


def compact(plan: Plan) -> str:
    return " ".join(
        f"{run.cell}@{'-' if run.count is None else run.count}{'' if run.recorded else '*'}"
        for run in plan.runs
    )


def check_plan(text: str, expected: str, name: str = "inferred") -> Plan:
    plan = order.plan(graph_of(text), name)
    assert expected == compact(plan)
    assert list(range(1, len(plan.runs) + 1)) == [run.step for run in plan.runs]
    return plan


def notebook(*cells: str) -> str:
    """Return percent text from "count: source" lines; `;` parts statements, no count is `-`."""
    blocks = []
    for cell in cells:
        count, source = cell.split(": ", 1)
        head = "# %%" if count == "-" else f"# %% [{count}]"
        blocks.append(head + "\n" + source.replace("; ", "\n") + "\n")
    return "".join(blocks)


# --- recorded and top-down -------------------------------------------------------------------


def test_top_down_runs_every_cell_once() -> None:
    plan = check_plan(FIG_1, "1@-* 2@-* 3@-*", "top-down")
    assert plan.order == "top-down"


def test_recorded_follows_the_counts_and_leaves_out_what_never_ran() -> None:
    text = notebook("3: a = 1", "-: b = a", "1: c = 2", "2: d = c")
    plan = check_plan(text, "3@1 4@2 1@3", "recorded")
    assert plan.runs[0].reason == "recorded as [1]"


def test_equal_counts_stand_in_page_order() -> None:
    check_plan(notebook("2: a = 1", "1: b = 1", "2: c = 1"), "2@1 1@2 3@2", "recorded")


def test_only_code_that_is_there_runs() -> None:
    text = "# %% [markdown]\nA title\n# %%\n# %% [1]\na = 1\n"
    check_plan(text, "3@-*", "top-down")


def test_unknown_order_names_those_there_are() -> None:
    with pytest.raises(NbsafeError) as caught:
        order.plan(graph_of(FIG_1), "backwards")
    assert caught.value.slug == "unknown-order"
    assert "inferred" in caught.value.hint


# --- auto ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ("1 2 3", "recorded"),
        ("3 1 2", "recorded"),
        ("- - -", "top-down"),
        ("1 2 4", "inferred"),
        ("2 3 4", "inferred"),
        ("1 2 2", "inferred"),
        ("1 2 -", "inferred"),
    ],
)
def test_auto_chooses_by_the_counts(counts: str, expected: str) -> None:
    text = notebook(*(f"{count}: a{i} = {i}" for i, count in enumerate(counts.split())))
    assert expected == order.plan(graph_of(text), "auto").order


def test_nothing_to_run_is_top_down() -> None:
    assert order.plan(graph_of("# %% [markdown]\nA title\n"), "auto").runs == ()


@pytest.mark.parametrize(
    ("counts", "expected"), [("1 2 3", False), ("1 - 7", False), ("2 1 3", True)]
)
def test_differs_only_by_order_or_repeats(counts: str, *, expected: bool) -> None:
    graph = graph_of(notebook(*(f"{c}: a{i} = {i}" for i, c in enumerate(counts.split()))))
    assert expected is order.differs(order.plan(graph, "auto"), order.plan(graph, "top-down"))


def test_a_second_run_differs() -> None:
    graph = graph_of(FIG_1)
    assert order.differs(order.plan(graph, "auto"), order.plan(graph, "top-down"))


# --- inferred --------------------------------------------------------------------------------


def test_figure_1_of_nbsafety() -> None:
    plan = check_plan(FIG_1, "1@1* 2@2 1@4 3@5")
    expected = "defines `custom_agg`, which cell 2 needs at [2]; count 1 is free"
    assert expected == plan.runs[0].reason
    assert plan.runs[2].reason == "recorded as [4]"


def test_what_a_definer_needs_runs_before_it() -> None:
    text = notebook("-: a = 1", "-: b = a", "7: print(b)")
    plan = check_plan(text, "1@5* 2@6* 3@7")
    expected = "defines `a`, which cell 2 needs in its turn; count 5 is free"
    assert expected == plan.runs[0].reason


def test_several_names_of_one_definer_are_one_run() -> None:
    plan = check_plan(notebook("5: a = 1; b = 2", "3: print(a, b)"), "1@2* 2@3 1@5")
    expected = "defines `a` and `b`, which cell 2 needs at [3]; count 2 is free"
    assert expected == plan.runs[0].reason


def test_definers_stand_in_page_order() -> None:
    text = notebook("8: a = 1", "9: b = 2", "7: c = 3", "6: print(b, c, a)")
    check_plan(text, "1@3* 2@4* 3@5* 4@6 3@7 1@8 2@9")


def test_definers_that_need_one_another_each_run_once() -> None:
    check_plan(notebook("-: a = b", "-: b = a", "7: print(a)"), "1@5* 2@6* 3@7")


def test_nearest_definer_above_goes_first() -> None:
    text = notebook("7: a = 1", "8: a = 2", "3: print(a)", "9: a = 3")
    check_plan(text, "2@2* 3@3 1@7 2@8 4@9")


def test_a_definer_below_is_better_than_none() -> None:
    check_plan(notebook("3: print(a)", "9: a = 3"), "2@2* 1@3 2@9")


def test_a_sure_definer_goes_before_one_that_may() -> None:
    text = notebook("-: a = 1", "-: if print:\n    a = 2", "3: print(a)")
    check_plan(text, "1@2* 3@3")


def test_a_cell_that_ran_goes_before_one_that_never_did() -> None:
    check_plan(notebook("7: a = 1", "-: a = 2", "3: print(a)"), "1@2* 3@3 1@7")


def test_false_negative_what_may_define_is_enough_to_be_bound() -> None:
    text = notebook("1: if not print:\n    a = 2", "9: a = 1", "3: print(a)")
    check_plan(text, "1@1 2@2* 3@3 2@9")
    check_plan(text.replace("[9]", ""), "1@1 3@3")


def test_a_cell_that_never_ran_runs_when_something_needs_it() -> None:
    text = notebook("-: a = 1", "-: b = 2", "3: print(a)")
    check_plan(text, "1@2* 3@3")


def test_where_there_is_no_room_right_before_an_earlier_gap_serves() -> None:
    text = notebook("9: a = 1", "3: b = 1", "4: print(a)")
    check_plan(text, "1@2* 2@3 3@4 1@9")


def test_without_any_free_count_it_ran_in_another_session() -> None:
    plan = check_plan(notebook("2: a = 1", "1: print(a)"), "1@-* 2@1 1@2")
    expected = (
        "defines `a`, which cell 2 needs at [1]; too few counts are free before "
        "it: it ran in an earlier session, or code that is gone did this"
    )
    assert expected == plan.runs[0].reason


def test_runs_of_one_need_share_a_session() -> None:
    check_plan(notebook("5: print(b)", "6: a = 1", "7: b = a"), "2@3* 3@4* 1@5 2@6 3@7")
    check_plan(notebook("2: print(b)", "6: a = 1", "7: b = a"), "2@-* 3@-* 1@2 2@6 3@7")


def test_a_name_that_no_cell_defines_is_left_to_fail() -> None:
    check_plan(notebook("3: print(gone)", "5: a = 1"), "1@3 2@5")


def test_builtins_are_there_though_a_cell_defines_one() -> None:
    check_plan(notebook("3: print(sum([1]))", "5: sum = 1"), "1@3 2@5")


def test_a_cell_that_reads_its_own_name_needs_another() -> None:
    check_plan(notebook("9: df = 1", "3: df = df + 1"), "1@2* 2@3 1@9")
    check_plan(notebook("3: df = df + 1"), "1@3")


def test_a_deleted_name_is_made_again() -> None:
    text = notebook("1: a = 1", "2: del a", "4: print(a)")
    check_plan(text, "1@1 2@2 1@3* 3@4")


def test_a_guarded_read_needs_nobody() -> None:
    text = "# %% [3]\ntry:\n    a\nexcept NameError:\n    a = 0\n# %% [5]\na = 1\n"
    check_plan(text, "1@3 2@5")


def test_what_a_called_function_reads_is_needed() -> None:
    text = notebook("8: t = 1", "9: def f():\n    return t", "3: f()")
    check_plan(text, "1@1* 2@2* 3@3 1@8 2@9")


@pytest.mark.parametrize("tag", ["skip-execution", "nbsafe:skip"])
def test_skipped_cells_are_in_no_plan(tag: str) -> None:
    text = f"# %% [7] tags={tag}\na = 1\n# %% [3]\nprint(a)\n"
    check_plan(text, "2@3")
    check_plan(text, "2@-*", "top-down")


def test_a_definer_whose_work_is_deleted_on_the_way_is_tried_twice() -> None:
    text = notebook("-: a = 1", "999: del a", "1000: print(a)")
    check_plan(text, "1@997* 1@998* 2@999 1@-* 3@1000")
    text = notebook("-: a = 1; del b", "-: b = 1; del a", "8: print(a, b)")
    assert len(order.plan(graph_of(text), "inferred").runs) < 10


names = st.sampled_from("abcd")
lines = st.one_of(
    st.builds("{} = {}".format, names, names),
    names.map("print({})".format),
    names.map("{} = 0".format),
    names.map("del {}".format),
    names.map("if print: {} = 1".format),
)
counts = st.one_of(st.none(), st.integers(1, 12))
pages = st.lists(st.tuples(counts, st.lists(lines, min_size=1, max_size=3)), max_size=9)


@given(pages)
def test_every_recorded_run_is_there_once_and_in_its_place(page: list[Any]) -> None:
    graph = graph_of(notebook(*(f"{count or '-'}: {'; '.join(code)}" for count, code in page)))
    runs = order.plan(graph, "inferred").runs
    found = sorted((run.cell, run.count) for run in runs if run.recorded)
    assert [(c.number, c.count) for c in graph.notebook.cells if c.count is not None] == found
    for session in {run.session for run in runs}:
        slots = [run.count for run in runs if run.session == session and run.count is not None]
        assert sorted(set(slots)) == slots


# --- runs that later ones overwrote ----------------------------------------------------------


def test_a_cell_run_again_later_also_ran_where_the_counts_stepped_over_it() -> None:
    text = notebook("1: a = 1", "7: a = a + 1", "3: print(a)", "4: b = a")
    plan = check_plan(text, "1@1 2@2* 3@3 4@4 2@7")
    assert plan.runs[1].reason == "defines `a`, which cell 3 needs at [3]; count 2 is free"


def test_only_what_the_page_reads_of_it_asks_for_it() -> None:
    check_plan(notebook("1: a = 1", "7: c = 2", "3: print(a)", "8: print(c)"), "1@1 3@3 2@7 4@8")


def test_without_a_gap_there_it_did_not_run() -> None:
    check_plan(notebook("1: a = 1", "7: a = a + 1", "2: print(a)"), "1@1 3@2 2@7")


def test_only_a_gap_that_all_of_them_fit_is_filled() -> None:
    text = notebook("1: a = 1", "6: a = a + 1", "7: a = a * 2", "3: print(a)")
    check_plan(text, "1@1 3@2* 4@3 2@6 3@7")
    text = notebook("1: a = b = 1", "6: a = 2", "7: b = 2", "3: print(a, b)")
    check_plan(text, "1@1 4@3 2@6 3@7")


def test_a_gap_between_cells_that_stand_the_other_way_is_not_filled() -> None:
    check_plan(notebook("4: a = 1", "7: a = a + 1", "1: a = 3"), "3@1 1@4 2@7")


def test_false_positive_a_cell_written_later_where_other_runs_left_a_gap() -> None:
    # In truth cell 3 was run twice, at [2] and [3], and cell 2 written only then.
    check_plan(notebook("1: a = 1", "4: a = 5", "3: print(a)"), "1@1 2@2* 3@3 2@4")


# --- sessions --------------------------------------------------------------------------------


def test_repeated_counts_are_told_apart_into_sessions() -> None:
    text = notebook("1: a = 1", "2: b = a", "3: c = b", "2: d = 4", "3: e = d")
    plan = check_plan(text, "1@1 2@2 3@3 4@2 5@3")
    assert [run.session for run in plan.runs] == [1, 1, 1, 2, 2]


def test_a_definer_takes_a_slot_of_its_readers_session() -> None:
    text = notebook("1: a = 1", "2: b = a", "2: print(z)", "3: c = 5", "4: z = 3")
    check_plan(text, "1@1 2@2 5@1* 3@2 4@3 5@4")


def test_a_session_whose_gaps_another_fits_came_first() -> None:
    text = notebook("2: a = 1", "2: b = 1", "3: c = 1", "4: d = 1", "5: e = 1")
    plan = check_plan(text, "2@2 3@3 4@4 5@5 1@2")
    assert [run.session for run in plan.runs] == [1, 1, 1, 1, 2]


def test_a_cell_of_another_session_is_run_again_for_a_nearer_definer() -> None:
    text = notebook("7: a = 1", "8: b = a", "7: a = 3", "3: print(a)")
    plan = check_plan(text, "1@7 2@8 3@2* 4@3 3@7")
    assert [run.session for run in plan.runs] == [1, 1, 2, 2, 2]


def test_below_a_reader_nothing_made_the_name_where_sessions_are_guessed() -> None:
    text = notebook("1: a = 1", "9: print(a)", "2: a = 2", "2: b = 1")
    check_plan(text, "1@1 3@2 1@8* 2@9 4@2")


def test_a_session_that_ran_cells_of_another_came_before_it() -> None:
    text = notebook("5: a = 1", "6: b = 2", "5: print(a)", "6: print(b)")
    plan = check_plan(text, "1@3* 2@4* 3@5 4@6 1@5 2@6")
    assert [run.session for run in plan.runs] == [1, 1, 1, 1, 2, 2]


# --- evidence that was saved, and how sure it is ----------------------------------------------

TIMED = """# %% [4]
a = 1
# %% [9]
b = 1
# %% [5]
c = 1
"""


def timed(*starts: str) -> Graph:
    parsed = percent.parse(TIMED, path="a.ipynb")
    kept = [{"execution": {"iopub.execute_input": start}} for start in starts]
    pairs = zip(parsed.cells, kept, strict=True)
    return build(replace(parsed, cells=tuple(replace(c, metadata=m) for c, m in pairs)))


def test_saved_times_tell_sessions_where_no_count_stands_twice() -> None:
    graph = timed("2024-01-02T10:00:00Z", "2024-01-01T10:00:00.5Z", "2024-01-02T10:05:00Z")
    split = session_split.split(graph, graph.notebook.cells)
    assert (split.of, split.by_times) == ({1: 2, 2: 1, 3: 2}, True)
    assert compact(order.plan(graph, "inferred")) == "2@9 1@4 3@5"


def test_times_that_grow_with_the_counts_are_one_session() -> None:
    graph = timed("2024-01-02T10:00:00Z", "2024-01-02T10:09:00Z", "2024-01-02T10:05:00Z")
    assert session_split.split(graph, graph.notebook.cells).number == 1


def test_times_that_nobody_can_read_tell_nothing() -> None:
    graph = timed("yesterday", "", "-1")
    assert not session_split.split(graph, graph.notebook.cells).by_times


def test_a_saved_name_error_says_what_was_not_there() -> None:
    text = "# %% [3]\nprint(a)\n#x NameError: name 'a' is not defined\n# %% [9]\na = 1\n"
    plan = check_plan(text, "1@3 2@9")
    (reading,) = readings.readings(graph_of(text), plan)
    assert reading.unrecoverable
    assert reading.why == "the saved error says that it was not there"


def test_another_error_says_nothing_of_names() -> None:
    check_plan(
        "# %% [3]\nprint(a)\n#x ValueError: name 'a' is odd\n# %% [9]\na = 1\n", "2@2* 1@3 2@9"
    )


def test_a_name_of_a_star_import_is_not_defined_later() -> None:
    check_plan(
        notebook("1: from numbers_of_mine import *", "5: print(a)", "9: a = 3"), "1@1 2@5 3@9"
    )
    check_plan(notebook("1: import numbers", "5: print(a)", "9: a = 3"), "1@1 3@4* 2@5 3@9")


def reads(text: str, name: str = "inferred") -> str:
    graph = graph_of(text)
    return " ".join(
        f"{r.reader}<-{r.definer or '?'}{'' if not r.is_doubtful else '!'}"
        for r in readings.readings(graph, order.plan(graph, name))
    )


def test_what_nothing_on_the_page_made_is_unrecoverable() -> None:
    assert reads(notebook("1: a = 1", "2: print(a)", "3: print(gone)")) == "2<-1 3<-?!"
    assert reads(notebook("3: print(sum([1]))")) == ""


def test_a_definer_that_ran_long_after_its_reader_is_a_guess() -> None:
    assert reads(notebook("9: a = 1", "8: print(a)")) == "2<-1"
    assert reads(notebook("15: a = 1", "8: print(a)")) == "2<-1!"


def test_what_ran_alone_and_very_late_has_most_likely_changed_since() -> None:
    alone = graph_of(notebook("40: a = 1", "8: print(a)"))
    again = graph_of(notebook("39: b = 1", "40: a = 1", "8: print(a)"))
    (first,) = readings.readings(alone, order.plan(alone, "inferred"))
    (second,) = readings.readings(again, order.plan(again, "inferred"))
    assert (first.unrecoverable, second.unrecoverable) == (True, False)
    assert first.definer == 1
    assert first.why.startswith("it ran only as [40], much later")


def test_a_cell_that_sets_up_many_names_is_run_again_for_another_one() -> None:
    many = "; ".join(["a = 1", *(f"b{i} = 0" for i in range(11))])
    lost = {}
    for count in (40, 70):
        for first in (many, "a = 1", many.replace("a = 1", "a = given")):
            graph = graph_of(notebook(f"{count}: {first}", "8: print(a)"))
            answers = readings.readings(graph, order.plan(graph, "inferred"))
            lost[count, first] = [r.unrecoverable for r in answers if r.reader == 2]
    assert [*lost.values()] == [[False], [True], [True], [True], [True], [True]]


def test_a_definer_from_below_is_a_guess_where_another_stands_above() -> None:
    assert reads(notebook("1: a = 1", "9: print(a)", "2: a = 2")) == "2<-3!"


def test_how_sure_the_whole_is() -> None:
    graph = graph_of(notebook("1: a = 1", "2: print(a)"))
    answers = readings.readings(graph, order.plan(graph, "inferred"))
    assert readings.confidence(answers) == chances.RECORDED
    assert readings.confidence(()) is None


# --- other orders ----------------------------------------------------------------------------


def of_counts(*counts: int) -> str:
    return notebook(*(f"{count}: a{i} = {i}" for i, count in enumerate(counts)))


def test_figure_5_of_the_archaeology_paper() -> None:
    plan = order.plan(graph_of(of_counts(1, 2, 13, 22, 23, 24, 7, 8, 21, 19, 20)), "archaeology")
    assert [run.cell for run in plan.runs[13:18]] == [4, 5, 6, 9, 10]


def test_sessions_and_runs_of_the_archaeology_paper() -> None:
    plan = order.plan(graph_of(of_counts(1, 6, 4, 5, 2, 4, 6, 1, 2, 3, 4)), "archaeology")
    assert (len(plan.runs), plan.sessions) == (16, 3)


def test_cells_run_in_order_before_the_second_and_third_again() -> None:
    text = of_counts(1, 6, 7, 4, 5)
    check_plan(text, "1@1 2@2* 3@3* 4@4 5@5 2@6 3@7", "archaeology")
    check_plan(text, "1@1 4@2* 4@3* 4@4 5@5 2@6 3@7", "base")


@pytest.mark.parametrize("name", ["archaeology", "base"])
@given(distinct=st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True))
def test_a_filled_plan_is_as_long_as_the_largest_count(name: str, distinct: list[int]) -> None:
    plan = order.plan(graph_of(of_counts(*distinct)), name)
    assert max(distinct) == len(plan.runs)
    assert dict(enumerate(distinct, 1)) == {cell: run.step for cell, run in plan.last_runs.items()}


def test_gaps_that_nobody_ran_by_hand_are_not_filled() -> None:
    plan = order.plan(graph_of(of_counts(10**9, 3)), "archaeology")
    assert plan.cells == (1, 2, 2, 1)


def test_dependencies_go_first_whatever_the_counts() -> None:
    text = notebook("1: print(b)", "2: a = 1", "3: b = a")
    plan = check_plan(text, "2@-* 3@-* 1@-*", "dependency")
    assert plan.runs[0].reason == "all that it reads is there"


def test_cells_that_need_one_another_say_so() -> None:
    plan = check_plan(notebook("1: a = b", "2: b = a", "3: c = 1"), "3@-* 1@-* 2@-*", "dependency")
    assert plan.runs[1].reason == "it and cell 2 need one another"


@pytest.mark.parametrize("name", sorted(order.ORDERINGS))
@pytest.mark.parametrize("shape", ["equal", "falling", "huge"])
def test_counts_of_no_person_are_ordered(name: str, shape: str) -> None:
    number = 60
    counts = {
        "equal": [7] * number,
        "falling": list(range(number, 0, -1)),
        "huge": [10**9 - i for i in range(number)],
    }[shape]
    cells = [f"{count}: a{i} = a{max(0, i - 1)}" for i, count in enumerate(counts)]
    plan = order.plan(graph_of(notebook(*cells)), name)
    assert set(plan.cells) == set(range(1, number + 1))


@pytest.mark.parametrize("seed", range(8))
def test_runs_that_stand_for_a_count_stay_in_its_place_however_dense_the_page(seed: int) -> None:
    draw = random.Random(seed)
    cells = [
        f"{draw.choice(['-', draw.randint(1, 90), draw.randint(1, 20)])}: "
        f"a{draw.randrange(12)} = {' + '.join(f'a{i}' for i in draw.sample(range(12), 4))}"
        for _ in range(40)
    ]
    graph = graph_of(notebook(*cells))
    plan = order.plan(graph, "inferred")
    places = [(run.session, run.count) for run in plan.runs if run.count is not None]
    assert places == sorted(places)
    recorded = [(run.cell, run.count) for run in plan.runs if run.recorded]
    known = [(c.number, c.count) for c in graph.notebook.code_cells if c.count is not None]
    assert sorted(recorded) == sorted(known)


# --- what saved outputs tell -------------------------------------------------------------------


def doubts(text: str) -> list[str]:
    graph = graph_of(text)
    answers = readings.readings(graph, order.plan(graph, "inferred"))
    return [f"{r.reader}<-{r.definer}: {r.why}" for r in answers if r.is_doubtful]


SHOWS = "# %% [1]\na = 1\n# %% [9]\nprint(a)\n#> {shown}\n# %% [5]\na = 2\n"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("2", []),
        (
            "1",
            ["2<-3: but the saved output shows another value than it makes now, that of cell 1"],
        ),
        ("7", ["2<-3: but the saved output shows another value than it makes now"]),
    ],
)
def test_a_shown_value_tells_who_made_it(shown: str, expected: list[str]) -> None:
    assert doubts(SHOWS.format(shown=shown)) == expected


def test_what_no_cell_makes_any_more_is_lost() -> None:
    graph = graph_of(SHOWS.format(shown="7"))
    (reading,) = readings.readings(graph, order.plan(graph, "inferred"))
    assert reading.unrecoverable


@pytest.mark.parametrize(
    "cell",
    [
        "print(a)\nprint('x')\n#> 7",
        "print(a, 1)\n#> 7 1",
        "a = 7\nprint(a)\n#> 7",
        "print(a + 1)\n#> 2",
        "a\n#= 1",
    ],
)
def test_what_is_not_shown_alone_tells_nothing_else(cell: str) -> None:
    assert doubts(f"# %% [1]\na = 1\n# %% [2]\n{cell}\n") == []


def test_a_value_that_is_no_literal_may_be_any() -> None:
    assert doubts("# %% [1]\na = len('x')\n# %% [2]\nprint(a)\n#> 7\n") == []


def test_a_saved_result_of_another_run_is_a_run() -> None:
    pages = percent.parse("# %% [1]\na = 1\n# %% [5]\na\n#= 1\n# %% [6]\nb = 2\n")
    older = replace(pages.cells[1], result_count=3)
    graph = build(replace(pages, cells=(pages.cells[0], older, pages.cells[2])))
    assert compact(order.plan(graph, "inferred")) == "1@1 2@3* 2@5 3@6"
