"""Which names the judge calls stale, and why, from runs that are given."""

from __future__ import annotations

from sessioncase import bench, clean, passed

from pytest_nbsafe.replay import stale_names
from pytest_nbsafe.replay.session_runs import SessionRun
from pytest_nbsafe.trace.results import Failure, Record, Value
from pytest_nbsafe.values import replace

A1 = passed(1, "c1", 1, {"a": ""}, {}, {"a": 1})
B1 = passed(2, "c2", 2, {"b": "a"}, {"a": 1}, {"a": 1, "b": 2})
A2 = passed(3, "c1", 3, {"a": ""}, {}, {"a": 5})
CLEAN = clean([A2, passed(2, "c2", 2, {"b": "a"}, {"a": 5}, {"b": 6})], {"a": 5, "b": 6})
MAKES = {1: "a", 2: "b", 3: "a"}


def test_a_value_that_a_clean_run_does_not_give() -> None:
    found = stale_names.names(bench("c1 c2", [A1, B1, A2], {"a": 5, "b": 2}, CLEAN, makes=MAKES))
    assert found.stale == {
        "b": "cell c2 in step 2 made it from `a`, which cell c1 in step 3 has made again since"
    }
    assert found.unknown == ()


def test_equal_values_are_never_stale() -> None:
    same = bench("c1 c2", [A1, B1, A2], {"a": 5, "b": 6}, CLEAN, makes=MAKES)
    assert stale_names.names(same).stale == {}
    assert not stale_names.differ(same)


def test_lineage_decides_what_cannot_be_compared() -> None:
    unknown = clean(
        [A2, passed(2, "c2", 2, {"b": "a"}, {"a": 5}, {"b": None})], {"a": 5, "b": None}
    )
    stale = bench("c1 c2", [A1, B1, A2], {"a": 5, "b": None}, unknown, makes=MAKES)
    assert list(stale_names.names(stale).stale) == ["b"]
    renewed = passed(4, "c2", 2, {"b": "a"}, {"a": 5}, {"b": None})
    sound = bench("c1 c2", [A1, B1, A2, renewed], {"a": 5, "b": None}, unknown, makes=MAKES)
    assert stale_names.names(sound) == stale_names.StaleNames({}, ())


def test_what_no_lineage_tells_is_unknown() -> None:
    nothing = bench("c1", [A1], {"a": 1, "b": None}, clean([A1], {"a": 1, "b": None}))
    assert stale_names.names(nothing) == stale_names.StaleNames({}, ("b",))


def test_two_clean_runs_that_disagree_prove_nothing() -> None:
    other = clean([A2, passed(2, "c2", 2, {"b": "a"}, {"a": 5}, {"b": 7})], {"a": 5, "b": 7})
    renewed = passed(4, "c2", 2, {"b": "a"}, {"a": 5}, {"b": 8})
    chance = bench("c1 c2", [A1, A2, renewed], {"a": 5, "b": 8}, CLEAN, other, MAKES)
    assert stale_names.names(chance).stale == {}
    older = bench("c1 c2", [A1, B1, A2], {"a": 5, "b": 2}, CLEAN, other, MAKES)
    assert list(stale_names.names(older).stale) == ["b"]


def test_numbers_of_an_unseeded_source_are_chance() -> None:
    draw = passed(1, "c1", 1, {"v": ""}, {}, {"v": 3})
    first = clean([draw], {"v": 4}, {"random": "s1"}, {"random": "s2"})
    unseeded = clean([draw], {"v": 4}, {"random": "t1"}, {"random": "t2"})
    seeded = clean([draw], {"v": 4}, {"random": "t1"}, {"random": "s2"})
    assert stale_names.names(bench("c1", [draw], {"v": 3}, first, unseeded)).stale == {}
    assert stale_names.names(bench("c1", [draw], {"v": 3}, first, seeded)).stale == {
        "v": stale_names.ELSEWHERE
    }


def test_a_name_that_no_text_makes_is_left_over() -> None:
    old = passed(1, "c1", 1, {"a": "", "k": ""}, {}, {"a": 1, "k": 2})
    new = passed(2, "c1", 2, {"a": ""}, {}, {"a": 1})
    found = stale_names.names(
        bench("c1", [old, new], {"a": 1, "k": 2}, clean([new], {"a": 1}), makes={1: "a k", 2: "a"})
    )
    assert found.stale == {
        "k": "left over: made by cell c1 in step 1, and no cell makes it any more"
    }


def test_a_cell_that_only_raises_in_the_clean_run_explains_nothing() -> None:
    """A clean run may fail for reasons of its own: a file that is gone, a network."""
    fetch = passed(1, "c1", 1, {"data": ""}, {}, {"data": 1})
    failed = passed(1, "c1", 1, {}, {}, {}, status="raised")
    found = stale_names.names(
        bench("c1", [fetch], {"data": 1}, clean([failed], {}), makes={1: "data"})
    )
    assert found.stale == {}


def test_a_name_that_a_clean_run_cannot_make_for_want_of_an_input() -> None:
    old = passed(1, "c1", 1, {"k": ""}, {}, {"k": 1})
    new = passed(3, "c1", 3, {"q": ""}, {}, {"q": 1})
    use = passed(2, "c2", 2, {"b": "k"}, {"k": 1}, {"b": 2})
    lacks = passed(2, "c2", 2, {}, {}, {}, status="raised")
    again = clean([new, lacks], {"q": 1})
    runs, held = [old, use, new], {"k": 1, "b": 2, "q": 1}
    found = stale_names.names(bench("c1 c2", runs, held, again, again, {1: "k", 2: "b", 3: "q"}))
    assert found.stale == {
        "b": "cell c2 in step 2 had `k` to make it from",
        "k": "left over: made by cell c1 in step 1, and no cell makes it any more",
    }


def test_a_name_that_a_text_read_where_nobody_sees_it() -> None:
    """`exec("a = c * 2")`: what the clean run lacks is what the session had."""
    ran = passed(1, "c1", 1, {"a": ""}, {}, {"a": 1})
    missing = Failure("NameError", "name 'c' is not defined", 1)
    lacks = passed(1, "c1", 1, {}, {}, {}, status="raised", failure=missing)
    found = stale_names.names(bench("c1", [ran], {"a": 1}, clean([lacks], {}), makes={1: "a"}))
    assert found.stale == {"a": "cell c1 in step 1 had `c` to make it from"}


def test_a_name_that_the_page_deletes_below() -> None:
    made = passed(1, "c1", 1, {"t": ""}, {}, {"t": 1})
    gone = passed(2, "c2", 2, {}, {"t": 1}, {})
    record = replace(gone.result.records[0], deletes=frozenset({"t"}))
    gone = replace(gone, result=replace(gone.result, records=(record,)))
    again = clean([made, gone], {})
    runs = [made, gone, passed(3, "c1", 1, {"t": ""}, {}, {"t": 1})]
    found = stale_names.names(bench("c1 c2", runs, {"t": 1}, again, again, {1: "t"}))
    assert found.stale == {"t": "made by cell c1 in step 3, and cell c2 has not deleted it since"}


def test_a_name_that_something_else_deletes_below() -> None:
    """`except ValueError as t:` deletes it in the end, and so does `exec("del t")`."""
    made = passed(1, "c1", 1, {"t": ""}, {}, {"t": 1})
    gone = passed(2, "c2", 2, {}, {}, {})
    again = clean([made, gone], {})
    found = stale_names.names(bench("c1 c2", [made, gone, made], {"t": 1}, again, again, {1: "t"}))
    assert found.stale == {
        "t": "made by cell c1 in step 1, and the page further down has not deleted it since"
    }


def test_what_a_deleted_cell_has_made() -> None:
    first = passed(1, "c1", 1, {"n": ""}, {}, {"n": 10})
    gone = passed(2, "c2", 2, {"n": "", "k": ""}, {}, {"n": 20, "k": 1})
    found = stale_names.names(
        bench("c1", [first, gone], {"n": 20, "k": 1}, clean([first], {"n": 10}))
    )
    assert found.stale == {
        "k": "left over: made by cell c2 in step 2, and no cell makes it any more",
        "n": "made by cell c2 in step 2, which is not on the page",
    }


def test_how_far_an_iterator_was_used_says_nothing() -> None:
    made = passed(1, "c1", 1, {"g": ""}, {}, {"g": Value("at 2", "generator")})
    ended = clean([made], {"g": Value("at its end", "generator")})
    assert (
        stale_names.names(bench("c1", [made], {"g": Value("at 2", "generator")}, ended)).stale == {}
    )


def test_what_a_generator_is_asked_for_makes_it_no_other() -> None:
    """`g = gen()`, then `a = next(g)` in one cell: the body has read `k`, which `g` is not of."""

    def first(k: int) -> SessionRun:
        begun = Value("", "generator")
        run = passed(1, "c1", 1, {"g": "gen"}, {"gen": 1, "k": k}, {"a": 0, "g": begun})
        read = Record((1, 2), 1, 2, frozenset("gk"), {"a": frozenset("gk")}, {"g": frozenset("k")})
        return replace(run, result=replace(run.result, records=(*run.result.records, read)))

    unknown = {"g": Value("", "generator"), "gen": 1, "a": 0}
    found = stale_names.names(bench("c1", [first(2)], unknown, clean([first(3)], unknown)))
    assert found.stale == {}


def test_folders_of_one_kernel_are_those_of_all() -> None:
    made = passed(1, "c1", 1, {"p": ""}, {}, {"p": "/1/a"})
    for word, stale in (("here:/a", []), ("here:/b", ["p"])):
        given = bench("c1", [made], {"p": "/1/a"}, clean([made], {"p": "/2/a"}), makes={1: "p"})
        now = replace(given.now, shared={"p": "here:/a"})
        end = replace(given.clean.holding, shared={"p": word})
        again = replace(given.clean, holding=end)
        given = replace(given, now=now, clean=again, second=again)
        assert list(stale_names.names(given).stale) == stale
        assert stale_names.differ(given) == bool(stale)
