"""Which names share objects, told by counting: never fewer than a walk through all names finds."""

from __future__ import annotations

import functools
import random
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keeping import columns_are_copied_late

from pytest_nbsafe.kernel.checkpoint.counted_references import Holders, sharing
from pytest_nbsafe.kernel.checkpoint.covariables import groups, tied
from pytest_nbsafe.kernel.checkpoint.reachable import Surface

Home = dict[str, Any]


def counted(
    home: Home, name: str, shown: Mapping[int, object] = types.MappingProxyType({})
) -> list[str] | None:
    return sharing(name, Holders(home, [*home], [*shown.values()], [home]))


def walked(home: Home, name: str) -> list[str]:
    """Return what a walk through all names says: slow, and it counts nothing."""
    (group,) = groups(home, [*home], [name], _surface())
    return [other for other in group.names if other != name]


@functools.lru_cache(None)
def _surface() -> Surface:
    return Surface(holds=True)


def made(text: str) -> Home:
    """Return the names that a text binds, with nothing else that holds their values."""
    home: Home = {"__name__": "__main__"}
    exec(text, home)
    return {name: value for name, value in home.items() if not name.startswith("__")}


PROXY = """
import weakref
class C:
    def __getattribute__(self, name): raise AttributeError(name)
"""
"""Its objects raise where one asks them for anything."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = [[1], {2: [3]}]", []),
        ("x = [1]; y = x", ["y"]),
        ("x = [1]; y = [x]", ["y"]),
        ("x = [[1]]; y = x[0]", ["y"]),
        ("x = [1]; y = (0, (x,))", None),  # y refers to it, but not itself
        ("x = {'a': (1, 2), 'b': ((3,), 'four')}", []),
        ("x = []; x.append(x)", []),
        ("x = []; y = iter(x)", ["y"]),
        ("x = [1]; y = (item for item in x)", None),
        ("x = [1]\ndef f(x=x): pass", None),
        ("def two():\n  s = []\n  return s.append, lambda: s\nx, y = two()", None),
        ("class C:\n  pass\nx = C(); x.held = [1]; y = x.held", ["y"]),
        ("class C:\n  __slots__ = ('held',)\nx = C(); x.held = [1]; y = x.held", ["y"]),
        ("class C:\n  shared = [1]\nx = C(); x.held = C.shared", None),
        ("import weakref\nclass C: pass\nx = C(); y = weakref.ref(x)", None),
        ("import weakref\nclass C: pass\ny = C(); x = [weakref.ref(y)]", ["y"]),
        (PROXY + "x = C(); y = weakref.proxy(x)", None),
        (PROXY + "y = C(); x = weakref.proxy(y)", None),
        ("import types\nx = {}; y = types.MappingProxyType(x)", ["y"]),
        ("x = []; y = x.append", ["y"]),
        ("try:\n  raise ValueError([1])\nexcept ValueError as error:\n  x = error.args[0]", []),
    ],
)
def test_small_values(text: str, expected: list[str] | None) -> None:
    home = made(text)
    assert counted(home, "x") == expected
    assert expected is None or set(walked(home, "x")) <= set(expected)


def test_bounds_that_losses_share_with_their_module_tie_nothing() -> None:
    pytest.importorskip("sklearn", "1.8")  # before, their classes do not say that they are its own
    text = """
from sklearn.ensemble import HistGradientBoostingRegressor
x = HistGradientBoostingRegressor(max_iter=2).fit([[0], [1], [2], [3]], [0, 1, 2, 3])
"""
    assert counted(made(text), "x") == []


def test_what_something_else_holds_is_not_known() -> None:
    home: Home = {"x": [[1]]}
    hidden = types.SimpleNamespace(held=home["x"][0])
    assert counted(home, "x") is None
    del hidden
    assert counted(home, "x") == []


def test_what_was_shown_is_counted() -> None:
    home: Home = {"x": [[1], {"a": 1}]}
    shown: dict[int, object] = {1: home["x"], 2: (3, home["x"][1])}
    assert counted(home, "x") is None
    assert counted(home, "x", shown) == []


def test_what_was_shown_and_is_held_elsewhere_too_is_not_told() -> None:
    x: list[int] = []
    home: Home = {"x": x, "box": [iter(x)]}
    del x
    shown: dict[int, object] = {1: home["box"][0]}
    assert counted(home, "x") is None
    assert counted(home, "x", shown) is None


class Library:
    """Stands for a class of a library that holds what its objects share."""

    shared: typing.ClassVar = [1]


def test_what_a_class_holds_is_counted_once() -> None:
    home: Home = {"x": Library(), "y": [[0]]}
    home["x"].part, home["x"].held = home["y"][0], Library.shared
    assert counted(home, "x") == ["y"]
    hidden = [Library.shared]
    assert counted(home, "x") is None
    del hidden


def test_a_function_that_keeps_nothing_ties_no_names() -> None:
    home: Home = {"f": eval("lambda: 1", {"__name__": "__main__"})}
    home["x"] = [home["f"]]
    assert counted(home, "x") == walked(home, "x") == []


def test_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    make = functools.partial(made, "import numpy as np\nx = np.zeros(9)")
    cases: dict[str, list[str] | None] = {
        "": [],
        "y = x[2:]": ["y"],
        "y = x[2:][1:]": ["y"],
        "y = [x.T]": None,
        "y = memoryview(x)": None,
        "x = np.zeros(2, 'i4, i4'); y = x[0]": ["y"],
        "y = np.zeros(2, 'i4, i4'); x = y[0]": ["y"],
        "x = np.array([[1], 'a'], dtype=object)": [],
        "x = np.array([[1], 'a'], dtype=object); y = x[0]": ["y"],
        "x = np.frombuffer(bytearray(8))": [],
        "y = bytearray(8); x = np.frombuffer(y)": ["y"],
    }
    for more, expected in cases.items():
        home = made(f"import numpy as np\nx = np.zeros(9)\n{more}")
        home.pop("np")
        assert (more, counted(home, "x")) == (more, expected)
    assert make()["x"].base is None, numpy.__version__


def test_false_negative_of_what_shows_the_memory_of_an_array() -> None:
    pytest.importorskip("polars")
    home = made("import numpy as np, polars as pl\ny = np.zeros(9)\nx = pl.Series('x', y)")
    home = {"x": home["x"], "y": home["y"]}
    assert walked(home, "x") == ["y"]
    assert (counted(home, "x"), counted(home, "y")) == ([], None)  # what is done to x copies it


@columns_are_copied_late
def test_tables_that_share_columns_need_not_know_of_one_another() -> None:
    cases: dict[str, list[str] | None] = {
        "": [],
        "y = x[['a']]": [],
        "y = x['a']": [],
        "y = x.assign(c=1); z = y.copy()": [],
        "y = x.index": ["y"],
        "y = x.copy().index": [],
        "y = [x.columns]; z = x[['a']]": ["y"],
        "y = x['a'].array": None,
        "y = [x]": ["y"],
        "y = x['a'].to_numpy()": None,
        "y = np.arange(3); x = pd.DataFrame(y, columns=['a'], copy=False)": None,
        "y = x['a']; z = x['a'].to_numpy()": None,
    }
    for more, expected in cases.items():
        home = made(f"import pandas as pd, numpy as np\nx = pd.DataFrame({{'a': [1, 2]}})\n{more}")
        home = {name: home.pop(name) for name in [*home] if name in {"x", "y", "z"}}
        found = counted(home, "x")
        assert found is None or (more, found) == (more, expected)
        assert found is None or set(walked(home, "x")) <= set(found), more


@columns_are_copied_late
def test_what_nobody_writes_to_ties_no_tables() -> None:
    pytest.importorskip("pyarrow")
    text = "import pandas as pd\ny = pd.DataFrame({'a': pd.array(['b', 'c'], 'string[pyarrow]')})\n"
    cases: dict[str, list[str] | None] = {
        "x = y.copy()": [],
        "x = y['a'].copy()": [],
        "import pickle; y = pickle.loads(pickle.dumps(y)); x = y.copy()": [],
        "x = y['a'].array": None,
    }
    for more, expected in cases.items():
        home = made(text + more)
        home = {name: home.pop(name) for name in ("x", "y")}
        assert (more, counted(home, "x")) == (more, expected)


# ------------------------------------------------------------------ random graphs


class Plain:
    """Holds what it is given."""


class Slotted:
    """Holds one value."""

    __slots__ = ("held",)


def _boxed(value: object) -> object:
    box = Plain()
    box.held = value  # type: ignore[attr-defined]
    return box


def _slotted(value: object) -> object:
    box = Slotted()
    box.held = value  # type: ignore[attr-defined]
    return box


def _closed(value: object) -> object:
    def inner() -> object:
        return value

    inner.__module__, inner.__qualname__ = "__main__", "inner"
    return inner


_WRAPS: list[Callable[[Any], Any]] = [
    lambda value: [value],
    lambda value: [value, value],
    lambda value: (value, 1),
    lambda value: {"key": value},
    lambda value: [value, [], {}],
    _boxed,
    _slotted,
    _closed,
    iter,
]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_it_never_says_fewer_than_a_walk_through_all_names(seed: int) -> None:
    home, hidden = _graph(random.Random(seed))
    for name in [*home]:
        found = counted(home, name)
        if found is not None:
            assert set(walked(home, name)) <= set(found), (seed, name)
    del hidden


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_what_others_lead_to_need_not_be_walked_through(seed: int) -> None:
    home, hidden = _graph(random.Random(seed))
    expected = {name: walked(home, name) for name in home}
    assert tied(home, [*home], [*home], _surface()) == expected
    del hidden


def _graph(chance: random.Random) -> tuple[Home, list[Any]]:
    """Return names whose values lead to one another at random, and what is held beside them."""
    home: Home = {}
    hidden: list[Any] = []
    pool: list[Any] = []
    for number in range(chance.randint(2, 7)):
        value: Any = [number]
        for _ in range(chance.randint(0, 4)):
            wrap = chance.choice(_WRAPS)
            if pool and chance.random() < 0.3:
                value = [value, chance.choice(pool)]
            elif wrap is not iter or type(value) in {list, tuple, dict}:
                value = wrap(value)
            pool.append(value)
        home[f"n{number}"] = value
        if chance.random() < 0.1:
            hidden.append(chance.choice([value, *pool]))
    if len(home) > 2 and chance.random() < 0.4:
        del home["n1"]
    return home, hidden
