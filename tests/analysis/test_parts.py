"""Parts of names: what a text reads and changes of them, held against running it."""

from __future__ import annotations

import copy

import percent
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.parts import WHOLE, Reader, apart

STORES = "cfg.rate = 1\nd['a'] = d['b'] = 0\n"


def reader(source: str) -> Reader:
    """Return a reader; cell 1 is the source, cell 2 stores what is known as data."""
    return Reader(build(percent.parse(f"# %%\n{source}\n# %%\n{STORES}")))


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("x = d['a']", [("a",)]),
        ("x = d['a'] + d['b'].sum()", [("a",), ("b",)]),
        ("x = d[['a', 'b']]", [("a",), ("b",)]),
        ("x = d.a.mean()", [("a",)]),
        ("x = d['a']['k'][0]", [("a", "k", 0)]),
        ("x = d.loc[d['b'] > 0, 'a']", [("a",), ("b",)]),
        ("x = d.loc[rows]", [()]),
        ("x = d.iloc[0]", [()]),
        ("x = d['a'][i]", [("a",)]),
        ("x = d[key]", [()]),
        ("x = d[-1]", [()]),
        ("x = d.total", [()]),
        ("x = d['a'].total", [("a",)]),
        ("x = len(d)", [()]),
        ("x = d.mean()", [()]),
        ("x = f(d['a'])", [("a",)]),
        ("x = [r for r in d['a']]", [("a",)]),
        ("x = e[d['a']]", [("a",)]),
        ("x = f'{d[\"a\"]}'", [("a",)]),
    ],
)
def test_what_is_read(source: str, read: list[tuple[str | int, ...]]) -> None:
    assert reader(source).read("d", 1, 1) == reader(source).read("d", 1) == frozenset(read)


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("d['a'] = d['b']", [("a",)]),
        ("d['a'] += 1", [("a",)]),
        ("d['a']['k'] = 1", [("a", "k")]),
        ("d.a: int = 1", [("a",)]),
        ("del d['a']", [("a",)]),
        ("d['a'].append(1)", [("a",)]),
        ("d['a'], d['b'] = 1, 2", [()]),
        ("d.loc[rows, 'a'] = 0", [("a",)]),
        ("d.update(x)", [()]),
        ("d[key] = 1", [()]),
        ("d = 1", [()]),
        ("f(d)", [()]),
        ("d.total = 1", [("total",)]),
        ("if x: d['a'] = 1", [()]),
        ("for d['a'] in x: pass", [()]),
        ("d['a'] = 1; d.clear()", [()]),
    ],
)
def test_what_is_changed(source: str, changed: list[tuple[str | int, ...]]) -> None:
    assert reader(source).changed("d", 1, 1) == frozenset(changed)


def test_what_a_function_of_the_notebook_may_read_is_the_whole() -> None:
    parts = reader("def f():\n    return d['b']\nx = d['a'] + f()")
    assert parts.read("d", 1, 3) == parts.changed("d", 1, 3) == WHOLE


@pytest.mark.parametrize(
    ("some", "others", "is_apart"),
    [
        ([("a",)], [("b",)], True),
        ([("a",)], [("a",)], False),
        ([("a", "k")], [("a",)], False),
        ([("a", "k")], [("a", "m")], True),
        ([()], [("a",)], False),
        ([("a",), ("b",)], [("b", 0)], False),
    ],
)
def test_apart(some: list[tuple[str]], others: list[tuple[str]], *, is_apart: bool) -> None:
    assert apart(frozenset(some), frozenset(others)) is is_apart
    assert apart(frozenset(others), frozenset(some)) is is_apart


@pytest.mark.parametrize("length", [100, 400, 950, 2_000])
def test_a_long_sum_is_read_though_it_is_nested_deeply(length: int) -> None:
    parts = reader("x = " + " + ".join(["d['a']"] * length))
    assert parts.read("d", 1) in {frozenset({("a",)}), WHOLE}  # the whole, where none parses it


KEYS = st.sampled_from(["['a']", "['b']", "['c']", "['a']['k']", "['b'][0]"])


@given(KEYS, KEYS)
def test_what_is_apart_is_not_changed(read: str, changed: str) -> None:
    """Run it: a change of one part leaves what is read of another as it was."""
    start = {"a": {"k": [0], "m": [1]}, "b": [[2], [3]], "c": [4]}
    spaces = {"d": copy.deepcopy(start)}, {"d": copy.deepcopy(start)}
    reads, changes = f"x = d{read}", f"d{changed} = 'other'"
    parts = reader(f"{reads}\n{changes}")
    exec(reads, spaces[0])
    exec(changes, spaces[1])
    try:
        exec(reads, spaces[1])
        same = spaces[0]["x"] == spaces[1]["x"]
    except (TypeError, KeyError):
        same = False
    assert apart(parts.read("d", 1, 1), parts.changed("d", 1, 2)) is same
