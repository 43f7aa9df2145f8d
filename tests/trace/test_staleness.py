"""Stale reads, outdated results, reads from below: the papers' examples, random notebooks."""

from itertools import pairwise

import percent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace import cellsets, staleness
from pytest_nbsafe.trace.lineage import replay, static_records
from pytest_nbsafe.trace.step_entries import stale_names
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import replace

FIG_1 = (
    "def custom_agg(series):\n    return series.max()",
    "agg_by_col = {'A': 'min', 'B': custom_agg}",
    "df = [1]; print(df, agg_by_col)",
)
DEF_9 = ("a = 4", "b = a", "c = a + b")
WIENER = (
    "def wiener(tmax, n):\n    return [tmax], [n]",
    "t, w = wiener(1.0, 1000)",
    "t, W = wiener(1.0, 1000)",
    "data = {'time': t, 'W': w}; print(data)",
)


def graph_of(*sources: str) -> Graph:
    text = "".join("# %%\n" + source.replace("; ", "\n") + "\n" for source in sources)
    return build(percent.parse(text))


def plan_of(order: str) -> Plan:
    """Return the plan that runs these cells one after another; `(2)` is a run no count shows."""
    runs = (
        Run(step, int(cell.strip("()")), None, recorded=cell[0] != "(", reason="")
        for step, cell in enumerate(order.split(), 1)
    )
    return Plan("recorded", tuple(runs))


def suspicions_of(order: str, *sources: str) -> Suspicions:
    graph = graph_of(*sources)
    plan, page = plan_of(order), plan_of(" ".join(map(str, sorted(graph.cells))))
    return staleness.suspicions(
        graph, plan, static_records(graph, plan), static_records(graph, page)
    )


def check_reads(expected: str, order: str, *sources: str) -> None:
    """Hold the suspected reads, `cell:name<-newer parent`, against what is expected."""
    reads = suspicions_of(order, *sources).stale_reads
    assert expected == " ".join(f"{r.cell}:{r.name}<-{r.chain[-1].parent}" for r in reads)


def check_outdated(expected: str, order: str, *sources: str) -> None:
    """Hold the outdated results, `cell:name<-definer/through`, against what is expected."""
    found = suspicions_of(order, *sources).outdated
    assert expected == " ".join(
        f"{o.cell}:{o.name}<-{o.definer}" + "".join(f"/{cell}" for cell in o.through) for o in found
    )


# --- the papers' examples --------------------------------------------------------------------


def test_figure_1() -> None:
    found = suspicions_of("1 2 1 3", *FIG_1)
    [read] = found.stale_reads
    assert (read.step, read.cell, read.line, read.name) == (4, 3, 2, "agg_by_col")
    [cause] = read.chain
    assert (cause.symbol, cause.cell, cause.line, cause.at) == ("agg_by_col", 2, 1, (2, 1))
    assert (cause.parent, cause.parent_cell, cause.parent_line) == ("custom_agg", 1, 1)
    assert cause.parent_at == (3, 1)
    assert read.refreshers == (2,)
    [old] = found.outdated
    assert (old.step, old.cell, old.name, old.definer) == (2, 2, "custom_agg", 1)
    assert (old.definer_line, old.definer_at) == (1, (3, 1))


def test_figure_1_mended() -> None:
    assert Suspicions() == suspicions_of("1 1 2 3", *FIG_1)


def test_three_cells_of_definition_9() -> None:
    graph, plan = graph_of(*DEF_9), plan_of("1 2 3 1")
    assert {"b", "c"} == stale_names(replay(static_records(graph, plan)).now)
    check_reads("", "1 2 3 1", *DEF_9)
    check_outdated("2:a<-1 3:a<-1", "1 2 3 1", *DEF_9)


def test_three_cells_of_definition_9_and_the_third_run_again() -> None:
    check_reads("3:b<-a", "1 2 1 3", *DEF_9)
    check_outdated("2:a<-1", "1 2 1 3", *DEF_9)
    assert suspicions_of("1 2 1 3", *DEF_9).stale_reads[0].refreshers == (2,)


def test_wiener() -> None:
    [read] = suspicions_of("1 2 3 4 3 4 1 3 4", *WIENER).stale_reads
    assert (read.step, read.cell, read.name, read.refreshers) == (9, 4, "w", (2,))
    assert [(cause.symbol, cause.parent) for cause in read.chain] == [("w", "wiener")]


def test_wiener_with_the_definer_of_w_gone() -> None:
    # With no cell left that defines `w`, lineage has nothing to say: NBS101 does.
    function, _, capital, plot = WIENER
    check_reads("", "1 2 3 1 2 3", function, capital, plot)


# --- stale reads -----------------------------------------------------------------------------


def test_a_chain_names_every_symbol_between() -> None:
    cells = ("a = 1", "b = a", "c = b", "print(c)")
    [read] = suspicions_of("1 2 3 1 4", *cells).stale_reads
    assert [(cause.symbol, cause.parent) for cause in read.chain] == [("c", "b"), ("b", "a")]
    # cell 3, which makes `c`, is stale itself: one must begin with cell 2.
    assert read.refreshers == (2,)


def test_refreshers_are_told_nearest_first() -> None:
    cells = ("a = 1", "b = a", "print(b)", "b = 2", "b = 3")
    assert suspicions_of("1 2 1 3", *cells).stale_reads[0].refreshers == (2, 4, 5)


def test_what_changes_the_refreshed_object_is_run_again_too() -> None:
    cells = ("x = 1", "m = Model()", "m.fit(x)", "print(m)")
    (read,) = suspicions_of("1 2 3 1 4", *cells).stale_reads
    assert (read.refreshers, read.rest) == ((2,), (3,))
    assert cellsets.refreshing(read) == (2, 3)


def test_a_name_bound_before_it_is_read_is_not_read() -> None:
    check_reads("", "1 2 1 3", "a = 1", "b = a", "b = 0; print(b)")


def test_a_read_inside_a_called_function_counts() -> None:
    check_reads("4:b<-a", "1 2 3 1 4", "a = 1", "b = a", "def f():\n    return b", "f()")


def test_what_a_function_changes_of_what_it_is_given_counts() -> None:
    add = "def add(xs): xs.append(1)"
    cells = ("items = []", add, "add(items)", "n = len(items)", "print(n)")
    (read,) = suspicions_of("1 2 3 4 3 5", *cells).stale_reads
    assert (read.cell, read.name, read.chain[0].parent_cell) == (5, "n", 3)
    harmless = (cells[0], "def add(xs): return len(xs)", *cells[2:])
    assert suspicions_of("1 2 3 4 3 5", *harmless).stale_reads == ()


def test_a_function_defined_again_is_suspect() -> None:
    check_reads("3:b<-f", "1 2 1 3", "def f(): return 1", "b = f()", "print(b)")


def test_an_import_run_again_is_not() -> None:
    assert Suspicions() == suspicions_of("1 2 3 1 2 3 1", "import math", "b = math.pi", "print(b)")
    assert Suspicions() == suspicions_of("1 2 1 3", "import math", "b = math.pi", "print(b)")


def silent(order: str, *sources: str) -> list[tuple[int, str, int]]:
    """Return what is outdated where a run saw no change in place, for each was made before."""
    graph = graph_of(*sources)
    plan = plan_of(order)
    seen = [replace(record, mutates={}) for record in static_records(graph, plan)]
    outdated = staleness.suspicions(graph, plan, seen, seen).outdated
    return [(old.cell, old.name, old.definer) for old in outdated if not old.through]


@pytest.mark.parametrize(
    ("order", "reads", "expected"),
    [
        ("1 2 3 2", "df['a']", [(3, "df", 2)]),
        ("1 2 3 2", "df", [(3, "df", 2)]),
        ("1 2 3 2", "df['b']", []),
        ("1 2 3", "df['a']", []),
        ("1 2 3 2 3", "df['a']", []),
    ],
)
def test_the_same_change_again_may_have_been_another(
    order: str, reads: str, expected: list[tuple[int, str, int]]
) -> None:
    assert silent(order, "df = {'a': 1, 'b': 2}", "df['a'] = 5", f"print({reads})") == expected


FRAME = "df = {'a': [1], 'b': [2]}"


@pytest.mark.parametrize(
    ("order", "sources"),
    [
        # cell 2 ran again after cell 3 had read the other part
        ("1 2 3 2 4", (FRAME, "df['a'] = [3]", "x = df['b']", "print(x)")),
        ("1 2 3 2 4", (FRAME, "df['a'].append(3)", "x = len(df['b'])", "print(x)")),
        # made again after the cell ran: the other part
        ("1 3 2", (FRAME, "df['a'] = [3]", "print(df['b'])")),
        # made below before the cell ran: the other part
        ("1 3 2", (FRAME, "print(df['b'])", "df['a'] = [3]")),
    ],
)
def test_a_change_of_another_part_is_not_suspect(order: str, sources: tuple[str, ...]) -> None:
    assert suspicions_of(order, *sources) == Suspicions()
    same = [source.replace("['b']", "['a']") for source in sources]
    assert suspicions_of(order, *same) != Suspicions()


@pytest.mark.parametrize(
    ("order", "sources"),
    [
        # x is made of what cell 2 left; only another part of that is older than its source
        ("1 2 3 1 4", ("n = 1", "df = {'b': 2}; df['a'] = n", "x = df['b']", "print(x)")),
        # the cell itself reads the other part
        ("1 2 1 3", ("n = 1", "df = {'b': 2}; df['a'] = n", "print(df['b'])")),
    ],
)
def test_what_is_made_of_another_part_is_not_stale(order: str, sources: tuple[str, ...]) -> None:
    assert suspicions_of(order, *sources).stale_reads == ()
    same = [source.replace("df['b']", "df['a']") for source in sources]
    assert suspicions_of(order, *same).stale_reads != ()


def test_only_the_last_run_of_a_cell_counts() -> None:
    check_reads("", "1 2 1 3 2 3", "a = 1", "b = a", "print(b)")


def test_what_the_page_itself_shows_is_not_suspect() -> None:
    cells = ("df = [1]", "n = len(df)", "df = df + [2]", "print(n)")
    check_reads("", "1 2 3 4", *cells)
    check_reads("", "1 2 3 1 2 3 4", *cells)


def test_nor_is_it_when_read_later_than_on_the_page() -> None:
    check_reads("", "1 2 4 3", "a = 1", "b = a", "print(b)", "a = a + 1")


def test_a_change_that_the_page_shows_too_does_not_hide_one_that_it_does_not() -> None:
    cells = ("x = [1]", "n = len(x)", "x.append(2)", "print(n)")
    check_reads("", "1 2 3 4", *cells)
    check_reads("", "1 2 3 3 4", *cells)
    check_reads("4:n<-x", "1 2 3 1 3 4", *cells)
    (read,) = suspicions_of("1 2 3 1 3 4", *cells).stale_reads
    assert (read.chain[-1].parent_cell, read.chain[-1].parent_at[0]) == (1, 4)


def test_what_a_cell_made_for_itself_is_not_newer_elsewhere() -> None:
    uses = ("t = 5; print(t)", "t = 1; n = t + 1", "print(n)")
    check_reads("", "2 1 3", *uses)
    check_reads("", "1 2 1 3", *uses)
    check_reads("3:n<-t", "1 2 1 3", "t = 5", "t = t * 2; n = t + 1", "print(n)")
    check_reads("3:n<-t", "1 2 1 3", "t = [5]", "t.append(2); n = len(t)", "print(n)")


def test_the_page_excuses_only_what_the_same_cells_made() -> None:
    cells = ("df = [1]", "n = len(df)", "df = df + [2]", "print(n)")
    check_reads("4:n<-df", "1 2 3 1 4", *cells)


def test_false_positive_a_second_run_that_changed_nothing() -> None:
    # Lineage alone cannot tell; the trial compares values and refutes it.
    check_reads("3:b<-a", "1 2 1 3", "a = 1", "b = a", "print(b)")


@pytest.mark.parametrize(
    ("order", "reads"),
    [
        ("1 2 1 3", "3:b<-a"),
        ("(1) (2) 1 3", "3:b<-a"),
        ("(1) (2) (1) 3", ""),
        ("1 2 (1) 3", ""),
    ],
)
def test_a_name_is_made_anew_only_where_a_count_says_so(order: str, reads: str) -> None:
    check_reads(reads, order, "a = 1", "b = a", "print(b)")


@pytest.mark.parametrize(("order", "reads"), [("2 1 2 3", "3:b<-a"), ("(2) 1 2 3", "")])
def test_a_definer_below_that_the_plan_put_first_proves_nothing(order: str, reads: str) -> None:
    check_reads(reads, order, "b = [a]", "a = 1", "print(b)")


# --- outdated results ------------------------------------------------------------------------


def test_an_outdated_cell_outdates_what_it_feeds() -> None:
    cells = ("a = 1", "b = a", "print(b)", "print('c')")
    check_outdated("2:a<-1 3:a<-1/2", "1 2 3 4 1", *cells)


def test_what_ran_after_the_change_is_a_stale_read_instead() -> None:
    cells = ("a = 1", "b = a", "print(b)")
    check_outdated("2:a<-1", "1 2 1 3", *cells)
    check_reads("3:b<-a", "1 2 1 3", *cells)


def test_only_a_definer_above_outdates() -> None:
    check_outdated("", "2 1 2", "print(a)", "a = 1")


def test_only_the_definer_that_reaches_outdates() -> None:
    check_outdated("", "1 2 3 1", "a = 1", "a = 2", "print(a)")


def test_a_cell_that_is_not_in_the_plan_is_not_outdated() -> None:
    check_outdated("", "1 1", "a = 1", "print(a)")


# --- random notebooks ------------------------------------------------------------------------

NAMES = "abcd"
names = st.sampled_from(NAMES)
lines = st.one_of(
    st.builds(lambda n, reads: f"{n} = [{', '.join(sorted(reads))}]", names, st.sets(names)),
    st.builds("{} += [{}]".format, names, names),
    st.builds("{}.append({})".format, names, names),
    st.builds("{} = {}".format, names, names),
    names.map("print({})".format),
    names.map("del {}".format),
    st.just("import d"),
    names.map("def {}(): return a".format),
    st.builds("{} = {}()".format, names, names),
)
cells = st.lists(lines, min_size=1, max_size=4).map("; ".join)
notebooks = st.lists(cells, min_size=1, max_size=6)


@given(notebooks)
def test_once_from_top_to_bottom_is_never_suspect(sources: list[str]) -> None:
    order = " ".join(str(n) for n in range(1, len(sources) + 1))
    assert Suspicions() == suspicions_of(order, *sources)


@given(notebooks, st.data())
def test_whatever_the_order_nothing_breaks(sources: list[str], data: st.DataObject) -> None:
    numbers = st.integers(1, len(sources))
    order = data.draw(st.lists(numbers, min_size=1, max_size=10))
    found = suspicions_of(" ".join(map(str, order)), *sources)
    for read in found.stale_reads:
        assert read.name == read.chain[0].symbol
        assert read.chain[-1].parent_at > read.chain[-1].at
        for cause, after in pairwise(read.chain):
            assert cause.parent == after.symbol


# --- reads from below ------------------------------------------------------------------------


def check_from_below(expected: str, order: str, *sources: str) -> None:
    """Hold the reads from below, `cell:name<-definer`, against what is expected."""
    found = suspicions_of(order, *sources).from_below
    assert expected == " ".join(f"{r.cell}:{r.name}<-{r.definer}" for r in found)


def test_a_cell_run_again_after_one_below_reads_from_below() -> None:
    check_from_below("2:x<-3", "1 3 2", "x = 1", "print(x)", "x = 2")


def test_a_change_in_place_below_counts() -> None:
    check_from_below("2:xs<-3", "1 3 2", "xs = []", "print(xs)", "xs.append(1)")


def test_in_page_order_nothing_is_read_from_below() -> None:
    check_from_below("", "1 2 3", "x = 1", "print(x)", "x = 2")


def test_a_name_that_only_a_cell_below_makes_is_another_fault() -> None:
    check_from_below("", "2 1", "print(x)", "x = 2")


def test_a_name_made_again_above_in_between_is_read_from_above() -> None:
    check_from_below("", "3 1 2", "x = 1", "print(x)", "x = 2")


def test_a_read_that_may_not_happen_is_left_out() -> None:
    text = "try:\n    print(x)\nexcept NameError:\n    pass"
    check_from_below("", "1 3 2", "x = 1", text, "x = 2")


def test_an_import_below_is_no_other_value() -> None:
    check_from_below("", "1 3 2", "import math", "print(math)", "import math")
