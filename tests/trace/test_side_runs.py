"""Which parts of names were seen to be read and changed, and when that may be relied on."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_nbsafe.kernel.contract import Access
from pytest_nbsafe.trace.results import CellResult, Value
from pytest_nbsafe.trace.side_runs import SeenParts, TouchedParts, others, touched


def access(symbol: str, line: int = 1, *, changed: bool = False, own: bool = False) -> Access:
    """Return an access in short: `df.a` for the part `a` of `df`, its value being its symbol."""
    name, *path = symbol.split(".")
    keys: list[Any] = [int(key) if key.isdecimal() else key for key in path]
    return {
        "line": line,
        "name": name,
        "path": keys,
        "symbol": symbol,
        "changed": changed,
        "own": own,
        "hash": "" if changed else f"{symbol} then",
    }


def seen(*runs: TouchedParts) -> SeenParts:
    return SeenParts({1: runs})


def parts(*some: str) -> frozenset[tuple[str | int, ...]]:
    return frozenset((one,) for one in some)


def test_accesses_are_known_by_line_and_for_the_whole_run() -> None:
    run = touched([access("df.a"), access("df.b", 2), access("df.c", 3, changed=True)])
    assert seen(run).read("df", 1) == parts("a", "b")
    assert seen(run).read("df", 1, 2) == parts("b")
    assert seen(run).changed("df", 1, 3) == parts("c")
    assert run.values["df", ("a",)] == "df.a then"


@pytest.mark.parametrize(
    ("accesses", "name"),
    [([], "df"), ([access("df.a")], "x"), ([access("df.a"), access("df")], "df")],
)
def test_nothing_is_known_of_what_was_not_seen_or_was_read_whole(
    accesses: list[Access], name: str
) -> None:
    assert seen(touched(accesses)).read(name, 1) is None
    assert SeenParts().read(name, 1) is None


def result(**values: str) -> CellResult:
    """Return a run that began with values: by their hash, or unknown ones by `?1`, an identity."""
    held = {
        name: Value("", identity=int(text[1:])) if text[:1] == "?" else Value(text)
        for name, text in values.items()
    }
    return CellResult(1, 1, "ok", reads=held)


@pytest.mark.parametrize(
    ("was", "now", "differing"),
    [
        ({"x": "a"}, {"x": "a"}, ""),
        ({"x": "a"}, {"x": "b"}, "x"),
        ({"x": "a", "y": "b"}, {"x": "a"}, "y"),
        ({"x": "?1"}, {"x": "?1"}, ""),
        ({"x": "?1"}, {"x": "?2"}, "x"),
        ({"x": "?1"}, {"x": "a"}, "x"),
        ({"x": "a", "z": "b"}, {"x": "a", "z": "c"}, ""),
    ],
)
def test_names_that_held_something_else(
    was: dict[str, str], now: dict[str, str], differing: str
) -> None:
    found = others(result(**now), ["x", "y"] if "y" in was else ["x"], result(**was))
    assert " ".join(sorted(found)) == differing


def test_names_that_the_run_bound_itself_are_no_others() -> None:
    run = touched([access("x"), access("y", own=True)])
    assert run.entered == {"x"}


def of(symbol: str, *different: str, changed: str = "") -> TouchedParts:
    run = touched([access(symbol), *([access(changed, changed=True)] if changed else [])])
    return TouchedParts(
        run.read, run.changed, run.values, run.symbols, run.entered, frozenset(different)
    )


def test_a_run_stands_for_another_where_nothing_but_the_name_is_another() -> None:
    assert seen(of("df.a", "df")).read("df", 1) == parts("a")
    assert seen(of("df.a", "df", "key")).read("df", 1) is None
    assert seen(of("df.a", "key")).read("df", 1) is None
    assert seen(of("df.a", "df"), of("df.b")).read("df", 1) == parts("b")


def test_changes_count_only_of_runs_that_began_alike() -> None:
    assert seen(of("x", changed="df.a")).changed("df", 1) == parts("a")
    assert seen(of("x", "x", changed="df.a")).changed("df", 1) is None


def test_of_several_parts_those_are_named_that_differ() -> None:
    first = touched([access("df.a"), access("df.b")])
    second = TouchedParts(first.read, {}, {**first.values, ("df", ("b",)): "now"}, first.symbols)
    assert seen(first, second).differing("df", 1) == ("df.b",)
    assert seen(first).differing("df", 1) == ()
    assert seen(of("df.a")).differing("df", 1) == ("df.a",)
    assert seen(of("df.a"), of("df.a")).differing("df", 1) == ()


def test_parts_that_were_read_of_what_was_changed() -> None:
    run = touched([access("df.a.0"), access("df.b")])
    assert seen(run).within("df", 1, parts("a", "c")) == ("df.a.0",)
    assert seen(run).within("df", 1, parts("c")) == ()
