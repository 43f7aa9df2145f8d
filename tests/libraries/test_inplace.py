"""The tables of what changes an object in place: they agree with themselves and with Python."""

import builtins
from inspect import signature

import pytest

from pytest_nbsafe.libraries import inplace
from pytest_nbsafe.libraries.datafiles import section


def test_no_table_contradicts_itself() -> None:
    written = dict(section("classes"))
    for title, entry in inplace.load().classes.items():
        changing = entry.changes | entry.changes_and_returns
        assert not entry.changes & entry.changes_and_returns, title
        pure = {*written[title].get("pure", ()), *written[title].get("same", ())}
        assert not pure & changing, title
        if title != "anything":
            assert entry.idempotent <= changing | entry.inplace, title


def test_rebinding_says_one_thing_of_each_name() -> None:
    known = inplace.load().rebinding
    assert not known.repeats & known.shifts
    assert not known.repeats & known.converts
    assert not known.converts & known.shifts


@pytest.mark.parametrize("name", ["list", "dict", "set", "str", "tuple", "int", "float"])
def test_python_has_the_methods(name: str) -> None:
    """Every word is a method, and of what can be changed every method is there."""
    kind = getattr(builtins, name)
    entry = inplace.load().classes[name]
    words = entry.changes | entry.changes_and_returns | entry.pure
    assert words <= set(dir(kind))
    if name in {"list", "dict", "set"}:
        assert {word for word in dir(kind) if word[0] != "_"} <= words | {"fromkeys"}


@pytest.mark.parametrize("title", ["pandas.DataFrame", "pandas.Series"])
def test_pandas_takes_inplace_where_it_says_so(title: str) -> None:
    kind = getattr(pytest.importorskip("pandas"), title.rpartition(".")[2])
    gone = {"order", "sort", "set_axis"}  # of old releases, which old notebooks still call
    methods = inplace.load().classes[title].inplace - gone
    takes = {name for name in methods if "inplace" in signature(getattr(kind, name)).parameters}
    assert methods == takes
