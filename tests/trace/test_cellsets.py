"""Stale, fresh and refresher cells: the paper's examples, small sessions, and Alg. 3 as oracle."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace import cellsets
from pytest_nbsafe.trace.cellsets import CellSets
from pytest_nbsafe.trace.lineage import LineageState, Version, replay, static_records
from pytest_nbsafe.trace.step_entries import stale_names


def graph_of(*sources: str) -> Graph:
    cells = (Cell(CellId(f"c{n}"), n, "code", source) for n, source in enumerate(sources, 1))
    return build(Notebook("nb.ipynb", tuple(cells)))


def sets_of(order: str, *sources: str) -> CellSets:
    """Return the sets once these cells have run one after another."""
    graph = graph_of(*sources)
    runs = (
        Run(step, int(cell), None, recorded=True, reason="")
        for step, cell in enumerate(order.split(), 1)
    )
    plan = Plan("recorded", tuple(runs))
    return cellsets.cell_sets(graph, plan, replay(static_records(graph, plan)).now)


def written(sets: CellSets) -> str:
    """`stale 3; fresh 2; refreshers 2`, empty sets left out."""
    parts = (("stale", sets.stale), ("fresh", sets.fresh), ("refreshers", sets.refreshers))
    return "; ".join(f"{what} {' '.join(map(str, sorted(s)))}" for what, s in parts if s)


# --- the paper's examples --------------------------------------------------------------------

FIG_1 = (
    "def custom_agg(series):\n    return series.max()",
    "agg_by_col = {'A': 'min', 'B': custom_agg}",
    "df = [1]\nprint(df, agg_by_col)",
)
DEF_9 = ("a = 4", "b = a", "c = a + b")


@pytest.mark.parametrize(
    ("order", "answer"),
    [
        ("1 2 3", ""),
        ("1 2 3 1", "stale 3; fresh 2; refreshers 2"),
        ("1 2 3 1 2", "fresh 3"),
        ("1 2 3 1 2 3", ""),
    ],
)
def test_the_example_of_definition_9(order: str, answer: str) -> None:
    assert written(sets_of(order, *DEF_9)) == answer


def test_any_cell_that_assigns_the_name_refreshes_it() -> None:
    # below Def. 9: "running any other cell that assigns to b"
    answer = "stale 3; fresh 2; refreshers 2 4"
    assert written(sets_of("1 2 3 1", *DEF_9, "b = 7")) == answer


def test_figure_1() -> None:
    assert written(sets_of("1 2 3 1", *FIG_1)) == "stale 3; fresh 2; refreshers 2"
    assert written(sets_of("1 2 3 1 2", *FIG_1)) == "fresh 3"


def test_a_refresher_need_not_be_fresh() -> None:
    sets = sets_of("1 2 3 1", "a = 1", "b = a", "print(b)", "b = 0")
    assert 4 in sets.refreshers - sets.fresh


def test_section_4_4_what_a_called_function_reads_is_live() -> None:
    cells = ("x = 0", "y = x", "def f(t):\n    return t + y", "print(f(2))")
    assert written(sets_of("1 2 3 4 1", *cells)) == "stale 4; fresh 2; refreshers 2"


# --- small sessions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "answer", "cells"),
    [
        # a name changed through its alias is no older than the alias
        (
            "1 2 3 4 5 6 2",
            "stale 6; fresh 3 4 5; refreshers 4",
            ("base = [7, 0]", "base[0] = 8", "view = base", "tot = view + [5]", "view", "tot"),
        ),
        # an augmented assignment keeps what the value was made from
        ("1 2 3 4 1", "stale 3 4; fresh 2; refreshers 2", ("a = 1", "b = a", "b += 1", "print(b)")),
        # a lambda reads the global when it is called
        ("1 2 3 1", "fresh 3", ("k = 1", "f = lambda x: x + k", "print(f(1))")),
        # an import that is run again changes nothing
        ("1 2 3 1", "", ("import math", "p = math.pi", "print(p)")),
        # a parent that was deleted is none any more
        ("1 2 3 4", "", ("a = 1", "b = a", "print(b)", "del a")),
        # names of a function's or a comprehension's own are not the notebook's
        ("1 2 3 1", "", ("x = 1", "y = [x for x in range(3)]", "def f(x):\n    return x\nf(y)")),
        # what is stale itself refreshes nothing
        ("1 2 3 4 1", "stale 3 4; fresh 2; refreshers 2", ("a = 1", "b = a", "c = b", "print(c)")),
        # one of two branches binds it: no surety
        (
            "1 2 3 1",
            "stale 3; fresh 2; refreshers 2",
            ("a = 1", "b = a", "print(b)", "if q:\n    b = 0"),
        ),
        (
            "1 2 3 1",
            "stale 3; fresh 2; refreshers 2 4",
            ("a = 1", "b = a", "print(b)", "if q:\n    b = 0\nelse:\n    b = 1"),
        ),
    ],
)
def test_sessions(order: str, answer: str, cells: tuple[str, ...]) -> None:
    assert written(sets_of(order, *cells)) == answer


def test_a_cell_that_never_ran_may_be_stale_or_refresh_but_is_not_fresh() -> None:
    cells = ("a = 1", "b = a", "print(b)", "print(a)", "b = 2")
    assert written(sets_of("1 2 1", *cells)) == "stale 3; fresh 2; refreshers 2 5"


def test_false_positive_an_alias_of_what_was_changed_is_fresh() -> None:
    # Def. 8: `xs` is newer than cell 2, though `view = xs` would bind the same object again.
    cells = ("xs = []", "view = xs", "print(view)", "xs.append(1)")
    assert written(sets_of("1 2 3 4", *cells)) == "fresh 2 3"


def test_false_positive_a_redefinition_that_the_page_shows() -> None:
    # Def. 4 by the letter; `staleness.suspicions` leaves out what a clean run does as well.
    cells = ("df = [1]", "n = len(df)", "df = df + [2]", "print(n)")
    assert 4 in sets_of("1 2 3 4", *cells).stale


def test_false_negative_a_deletion_is_no_refreshing() -> None:
    # By Def. 10 a cell that deletes the name leaves nothing stale to read; DEAD is what is
    # overwritten (Def. 6), and a name that is gone helps nobody.
    assert written(sets_of("1 2 3 1", *DEF_9, "del b")) == "stale 3 4; fresh 2; refreshers 2"


# --- Theorem 1 -------------------------------------------------------------------------------

NAMES = "abcd"
name = st.sampled_from(NAMES)
reads = st.sets(name, max_size=2).map(lambda found: f"[{', '.join(sorted(found))}]")
plain = st.one_of(
    st.builds("{} = {}".format, name, reads),
    st.builds("{}, {} = {}".format, name, name, name),
    st.builds("{} += {}".format, name, reads),
    st.builds("{}.append({})".format, name, name),
    name.map("print({})".format),
    st.builds("for {} in {}: pass".format, name, name),
    st.builds("with open({}) as {}: pass".format, name, name),
)


def indented(body: list[str]) -> str:
    return textwrap.indent("\n".join(body) or "pass", "    ")


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, max_size=2).map(indented)
    jump = st.sampled_from(["", "\n    break", "\n    continue"])
    return st.one_of(
        st.builds("if {}:\n{}\nelse:\n{}".format, name, body, body),
        st.builds("while {}:\n{}{}\nelse:\n{}".format, name, body, jump, body),
        st.builds("for {} in {}:\n{}{}".format, name, name, body, jump),
        st.builds("try:\n{}\nexcept OSError:\n{}\nelse:\n{}".format, body, body, body),
        st.builds("try:\n{}\nfinally:\n{}".format, body, body),
    )


statement = st.recursive(plain, compound, max_leaves=4)
cells = st.lists(statement, min_size=1, max_size=3).map("\n".join)
notebooks = st.lists(cells, min_size=2, max_size=5)
some = st.sets(name, min_size=1, max_size=2)


def alg_3(sources: list[str], stale: set[str]) -> frozenset[int]:
    """Return the refreshers by the quadratic way: join each pair of cells, and look again."""

    def live(source: str) -> frozenset[str]:
        return cellsets.live(graph_of(source), 1) & stale

    stale_cells = [source for source in sources if live(source)]
    return frozenset(
        number
        for number, source in enumerate(sources, 1)
        if not live(source)
        if any(live(reader) - live(f"{source}\n{reader}") for reader in stale_cells)
    )


def alg_4(sources: list[str], stale: set[str]) -> frozenset[int]:
    """Return the refreshers of the package, for a state in which just these names are stale.

    Each is made from a parent of its own that is newer, which no cell reads.
    """
    graph = graph_of(*sources)
    base = replay(static_records(graph_of("o = 0", "; ".join(f"{n} = o" for n in stale)), _plan()))
    made = {n: v for n, v in base.now.symbols.items() if n in stale}
    newer = Version("o", (3, 1), 1, 1)
    state = LineageState({**made, "o": newer})
    assert stale_names(state) == stale
    return cellsets.cell_sets(graph, Plan("recorded", ()), state).refreshers


def _plan() -> Plan:
    runs = (Run(n, n, None, recorded=True, reason="") for n in (1, 2))
    return Plan("recorded", tuple(runs))


@settings(derandomize=True)
@given(notebooks, some)
def test_theorem_1_the_index_finds_what_joining_finds(sources: list[str], stale: set[str]) -> None:
    expected = alg_3(sources, stale)
    event(f"refreshers: {bool(expected)}")
    assert alg_4(sources, stale) == expected, sources


@settings(derandomize=True)
@given(cells, cells, some)
def test_theorem_1_as_an_equality(refresher: str, reader: str, stale: set[str]) -> None:
    def live(source: str) -> frozenset[str]:
        return cellsets.live(graph_of(source), 1) & stale

    if not live(refresher):
        dead = graph_of(refresher).cells[1].dead
        assert live(reader) - live(f"{refresher}\n{reader}") == dead & live(reader)


def test_false_negative_a_function_defined_anew_that_no_longer_reads_the_name() -> None:
    # Theorem 1 holds for a cell's own text. Joined, the call finds the new f, which reads nothing;
    # the index asks only which cells bind `b`.
    cells = ("b = 1", "def f():\n    return b", "print(f())", "def f():\n    return 0")
    graph = graph_of(*cells)
    assert cellsets.live(graph, 3) == {"f", "b"}
    assert cellsets.renewers(graph)["b"] == [1]
    assert "b" not in cellsets.live(graph_of(f"{cells[3]}\n{cells[2]}"), 1)
