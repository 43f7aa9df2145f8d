"""Versions, links and Def. 4, from the text of cells alone or from records as a tracer sends."""

from collections.abc import Sequence

import percent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.trace.lineage import LineageState, LineageTable, replay, static_records
from pytest_nbsafe.trace.results import Record, Timestamp
from pytest_nbsafe.trace.step_entries import stale_names


def records_of(order: str, *sources: str) -> tuple[Record, ...]:
    """Return the static records of cells (`;` parts statements), run in the order given."""
    text = "".join("# %%\n" + source.replace("; ", "\n") + "\n" for source in sources)
    graph = build(percent.parse(text))
    runs = (
        Run(step, int(cell), None, recorded=True, reason="")
        for step, cell in enumerate(order.split(), 1)
    )
    return static_records(graph, Plan("recorded", tuple(runs)))


def lineage_of(order: str, *sources: str) -> LineageTable:
    return replay(records_of(order, *sources))


def parents(state: LineageState, name: str) -> str:
    return " ".join(descent.parent.name for descent in state.parents(name))


def check_stale(expected: str, order: str, *sources: str) -> None:
    """Hold the stale names at the end, apart by blanks, against both ways to ask for them."""
    end = lineage_of(order, *sources).now
    assert expected == " ".join(sorted(stale_names(end)))
    assert expected == " ".join(name for name in sorted(end.symbols) if any(end.roots(name)))


# --- Table 1 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "name", "expected"),
    [
        ("a = e", "a", "e"),
        ("a = a + e", "a", "e p"),
        ("a = len(e)", "a", "e"),
        ("a = f(e)", "a", "e f r"),
        ("a += e", "a", "e p"),
        ("for a in e: pass", "a", "e"),
        ("def g(x=e): return x", "g", "e"),
        ("class C(e): pass", "C", "e"),
        ("a[0] = e", "a", "e p"),
        ("a.append(e)", "a", "e p"),
    ],
)
def test_table_1(statement: str, name: str, expected: str) -> None:
    setup = "p = 1; e = 2; r = 3; a = p; f = lambda x: r"
    assert expected == parents(lineage_of("1 2", setup, statement).now, name)


def test_a_called_function_lends_what_it_returns_and_reads() -> None:
    cells = ("k = 1; t = 2", "def g():\n    return k", "def f():\n    print(t)\n    return g()")
    *_, call = records_of("1 2 3 4", *cells, "a = f()")
    assert {"f", "g", "k", "t"} <= call.reads
    assert {"f", "g", "k"} <= call.writes["a"]
    assert "t" not in call.writes["a"]


def test_the_reaching_definition_of_a_function_counts() -> None:
    cells = ("k = 1; t = 2", "f = lambda: k", "a = f()", "f = lambda: t")
    assert parents(lineage_of("1 2 3", *cells).now, "a") == "f k"
    assert parents(lineage_of("1 2 4 3", *cells).now, "a") == "f t"


def test_each_run_of_a_caller_calls_the_function_of_its_time() -> None:
    cells = ("k = 1; t = 2", "f = lambda: k", "a = f()", "f = lambda: t")
    calls = [record for record in records_of("1 2 3 4 3 2 3", *cells) if record.cell == 3]
    told = [f"{call.at[0]}: {' '.join(sorted(call.writes['a']))}" for call in calls]
    assert told == ["3: f k", "5: f t", "7: f k"]


def test_what_is_known_of_a_plan_still_costs_who_goes_through_it() -> None:
    graph = build(percent.parse("# %%\na = 1\n# %%\nb = a\n"))
    plan = Plan("recorded", tuple(Run(n, n, None, recorded=True, reason="") for n in (1, 2)))
    spent = [graph.budget.spent]
    for _ in range(2):
        static_records(graph, plan)
        spent.append(graph.budget.spent)
    assert spent[2] - spent[1] >= 10


def test_a_name_that_is_a_function_no_more_lends_nothing() -> None:
    cells = ("k = 1", "def f(): return k", "f = print", "a = f()")
    assert parents(lineage_of("1 2 3 4", *cells).now, "a") == "f"


def test_globals_bound_by_a_called_function_are_written() -> None:
    cells = ("k = 1", "def f():\n    global g\n    g = k", "f()")
    end = lineage_of("1 2 3", *cells).now
    assert end.symbols["g"].at == (3, 1)


def test_timestamps_are_step_and_statement() -> None:
    end = lineage_of("1 2 1", "x = 1; y = x", "z = y").now
    assert {n: v.at for n, v in end.symbols.items()} == {"x": (3, 1), "y": (3, 2), "z": (2, 1)}
    assert end.symbols["z"].links["y"].at == (1, 2)
    assert (end.symbols["y"].cell, end.symbols["y"].line) == (1, 2)


def test_versions_are_in_the_order_they_were_made() -> None:
    lineage = lineage_of("1 2 1", "x = 1", "y = x")
    assert [version.name for version in lineage.versions] == ["x", "y", "x"]


# --- Def. 4 ----------------------------------------------------------------------------------


def test_a_newer_parent_makes_stale_and_so_do_stale_parents() -> None:
    check_stale("b c", "1 2 3 1", "a = 4", "b = a", "c = b + 1")


def test_made_again_is_stale_no_more() -> None:
    check_stale("", "1 2 3 1 2 3", "a = 4", "b = a", "c = b + 1")
    check_stale("c", "1 2 3 1 2", "a = 4", "b = a", "c = b + 1")


def test_made_again_from_a_stale_parent_stays_stale() -> None:
    check_stale("b c", "1 2 1 3", "a = 4", "b = a", "c = b")


def test_made_from_itself_is_not_stale_by_that() -> None:
    check_stale("", "1 2 2", "a = 1", "a = a + 1")
    check_stale("", "1 2 2", "a = 1", "a += 1")
    check_stale("", "1 2 2", "a = [1]", "a.append(a)")


def test_names_made_from_each_other_end_the_search() -> None:
    check_stale("a b", "1 2 3", "b = 1", "a = b + 1", "b = a + 1")


def test_swapped_names_are_not_stale() -> None:
    check_stale("", "1 2", "a = 1; b = 2", "a, b = b, a")


def test_changed_in_place_stays_stale() -> None:
    # By the letter of Def. 4 the change would make it fresh.
    check_stale("b", "1 2 1 3", "a = 1", "b = [a]", "b.append(0)")
    check_stale("b", "1 2 1 3", "a = 1", "b = a + 1", "b += 1")


def test_rebinding_in_a_line_makes_stale_what_was_made_before() -> None:
    # Def. 4 taken literally; `suspicions` leaves out what the page's own order shows too.
    check_stale("n", "1 2", "df = [1]; n = len(df)", "df = df + [2]")


def test_a_deleted_parent_is_none() -> None:
    check_stale("", "1 2 3 1", "a = 1", "b = a + 1", "del a")
    check_stale("c", "1 2 3 1 4 1", "a = 1", "b = a + 1", "del a", "c = a + 1")


def test_a_deleted_name_is_gone() -> None:
    end = lineage_of("1 2", "a = 1; b = a", "del a").now
    assert sorted(end.symbols) == ["b"]


def test_running_an_import_again_makes_nothing_newer() -> None:
    check_stale("", "1 2 1", "import math", "b = math.pi")
    check_stale("", "1 2 1", "from math import pi", "b = pi")


def test_a_call_on_a_module_does_not_make_it_newer() -> None:
    check_stale("", "1 2 3", "import random", "b = random.random()", "random.seed(b)")


def test_an_import_over_a_value_is_newer() -> None:
    check_stale("b", "1 2 3", "pi = 3", "b = pi + 1", "from math import pi")


def test_false_negative_two_modules_under_one_name() -> None:
    check_stale("", "1 2 3", "import json as j", "b = j.dumps(1)", "import pickle as j")


def test_false_negative_old_input_accumulated_beside_the_new() -> None:
    # `total` still holds the first `x`, but was last made from the second.
    check_stale("", "1 2 3 1 3", "x = 1", "total = 0", "total += x")


# --- aliases ---------------------------------------------------------------------------------


def test_a_change_through_one_name_is_a_change_of_the_other() -> None:
    check_stale("n", "1 2 3 4", "xs = [1]", "ys = xs", "n = len(xs)", "ys.append(3)")
    check_stale("n", "1 2 3", "xs = ys = [1]", "n = len(xs)", "ys.append(3)")


def test_an_alias_is_as_new_as_its_object() -> None:
    check_stale("", "1 2 3", "xs = [1]", "ys = xs", "xs.append(3)")
    check_stale("", "1 2 3", "xs = [1]", "ys = xs", "ys.append(3)")


def test_rebinding_breaks_the_alias() -> None:
    check_stale("ys", "1 2 1", "xs = [0]", "ys = xs")
    check_stale("n ys", "1 2 3 1 4", "xs = [0]", "ys = xs", "n = len(ys)", "ys.append(1)")
    check_stale("ys", "1 2 1 3 4", "xs = [0]", "ys = xs", "n = len(xs)", "ys.append(1)")


def test_deleting_breaks_the_alias() -> None:
    check_stale("", "1 2 3 1 4 5", "a = [0]", "b = a", "del b", "n = len(a)", "b = 1")


def test_false_negative_two_names_of_one_object_that_the_text_does_not_show() -> None:
    check_stale("", "1 2 3 4", "xs = [[]]", "y = xs[0]", "n = len(xs[0])", "y.append(3)")


def record(
    at: Timestamp,
    writes: dict[str, str] | None = None,
    mutates: dict[str, str] | None = None,
    aliases: Sequence[str] = (),
) -> Record:
    """Return a record as a tracer would send it; names are single letters."""
    return Record(
        at=at,
        cell=at[0],
        line=at[1],
        reads=frozenset(),
        writes={name: frozenset(parents) for name, parents in (writes or {}).items()},
        mutates={name: frozenset(inflow) for name, inflow in (mutates or {}).items()},
        aliases=tuple(frozenset(group) for group in aliases),
    )


def test_traced_aliases_join() -> None:
    lineage = replay(
        [
            record((1, 1), {"a": ""}),
            record((1, 2), {"b": "a"}, aliases=["ab"]),
            record((1, 3), {"c": "b"}, aliases=["bc"]),
            record((1, 4), {"n": "a"}),
            record((2, 1), mutates={"c": ""}),
        ]
    )
    assert {"n"} == stale_names(lineage.now)
    assert [lineage.now.symbols[name].at for name in "abc"] == [(2, 1)] * 3


@pytest.mark.parametrize(("aliases", "expected"), [(["xy"], {"n"}), ([], set[str]())])
def test_an_augmented_assignment_is_in_place_where_the_object_stays_shared(
    aliases: list[str], expected: set[str]
) -> None:
    lineage = replay(
        [
            record((1, 1), {"x": ""}),
            record((1, 2), {"y": "x"}, aliases=["xy"]),
            record((1, 3), {"n": "x"}),
            record((2, 1), {"y": "y"}, aliases=aliases),
        ]
    )
    assert expected == stale_names(lineage.now)


# --- the oracle: Def. 4 computed again from the whole list of events --------------------------

NAMES = "abcd"


def assignment(name: str, sources: set[str]) -> str:
    # `a = [a]` keeps its parents (Table 1) and so may differ from the letter of Def. 4.
    return f"{name} = [{', '.join(sorted(sources - {name}))}]"


names = st.sampled_from(NAMES)
statements = st.one_of(
    st.builds(assignment, names, st.sets(names, max_size=2)), names.map("del {}".format)
)
programs = st.lists(statements, min_size=1, max_size=12)


def oracle(records: Sequence[Record]) -> set[str]:
    """Return the stale names by the letter of Def. 4; no statement may change its own input."""
    stamp: dict[str, Timestamp] = {}
    kin: dict[str, set[str]] = {}
    for event in records:
        for name, sources in event.writes.items():
            known = {source for source in sources if source in stamp}
            stamp[name], kin[name] = event.at, known - {name}
        for name in event.deletes:
            stamp.pop(name, None)
            kin.pop(name, None)
            for family in kin.values():
                family.discard(name)
    stale: set[str] = set()
    for _ in stamp:  # a chain is no longer than there are names
        for name, family in kin.items():
            if any(stamp[parent] > stamp[name] or parent in stale for parent in family):
                stale.add(name)
    return stale


@given(programs)
def test_one_run_of_a_cell_has_one_timestamp(program: list[str]) -> None:
    assert stale_names(replay(records_of("1", "\n".join(program))).now) == frozenset()


@given(programs)
def test_replay_agrees_with_definition_4(program: list[str]) -> None:
    order = " ".join(str(number) for number in range(1, len(program) + 1))
    records = records_of(order, *program)
    end = replay(records).now
    assert oracle(records) == stale_names(end)
    assert stale_names(end) == {name for name in end.symbols if any(end.roots(name))}
