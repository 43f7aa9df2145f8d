from __future__ import annotations

import ast
import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import hashlib
import io
import itertools
import multiprocessing.managers
import os
import pickle
import queue
import random
import re
import sqlite3
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.kernel.functions.reach import mentioned
from pytest_nbsafe.kernel.hashing.function_texts import Texts
from pytest_nbsafe.kernel.hashing.hasher import TOO_DEEP, TOO_LARGE
from pytest_nbsafe.kernel.hashing.snapshot import Snapshot

HOME: dict[str, Any] = {"__name__": "__main__"}


def of(value: object) -> str:
    """The hash of a value, or its cause in brackets."""
    found = Snapshot(Texts(), HOME).fingerprint(value)
    assert bool(found["hash"]) != bool(found["cause"])
    return found["hash"] or f"[{found['cause']}]"


def made(source: str) -> dict[str, Any]:
    """The names that a cell would make."""
    texts, space = Texts(), {"__name__": "__main__"}
    tree = ast.parse(source)
    texts.register("<cell>", [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)])
    exec(compile(tree, "<cell>", "exec"), space)
    snapshot = Snapshot(texts, space)
    return {n: snapshot.fingerprint(v) for n, v in space.items() if not n.startswith("__")}


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: list[int] = dataclasses.field(default_factory=list)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a: object) -> None:
        self.a = a


class Named(dict[str, int]):
    pass


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text(), inner)
        | st.dictionaries(st.integers(), inner).map(collections.OrderedDict)
        | st.sets(st.text() | st.integers())
        | st.frozensets(st.integers() | st.none())
        | inner.map(Slotted)
        | inner.map(lambda v: types.SimpleNamespace(v=v))
    ),
    max_leaves=20,
)


@given(plain)
@settings(deadline=None, max_examples=150)
def test_copies_are_equal(value: object) -> None:
    assert of(value) == of(copy.deepcopy(value))
    assert of(value) == of(pickle.loads(pickle.dumps(value)))
    assert of([value]) != of((value,))
    assert of(value) != of([value])


@given(st.lists(plain, min_size=1), st.data())
@settings(deadline=None, max_examples=100)
def test_a_change_shows(values: list[object], data: st.DataObject) -> None:
    before = of(values)
    index = data.draw(st.integers(0, len(values) - 1))
    values[index] = (values[index], "changed")
    assert before != of(values)


VALUES: list[Callable[[], object]] = [
    lambda: float("nan"),
    lambda: 0.0,
    lambda: -0.0,
    lambda: 0,
    lambda: False,
    lambda: "0",
    lambda: b"0",
    lambda: bytearray(b"0"),
    lambda: None,
    lambda: ...,
    list,
    tuple,
    dict,
    set,
    frozenset,
    lambda: [0, 1],
    lambda: [0, True],
    lambda: [(0, 1)],
    lambda: [[0, 1]],
    lambda: {"a": 1, "b": 2},
    lambda: {"b": 2, "a": 1},
    lambda: range(3),
    lambda: range(4),
    lambda: slice(3),
    lambda: dt.date(2020, 1, 1),
    lambda: dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc),
    lambda: dt.datetime.fromisoformat("2020-01-01"),
    lambda: dt.datetime.fromisoformat("2020-01-01").replace(fold=1),
    lambda: dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    lambda: dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1), "name")),
    lambda: dt.time(1),
    lambda: dt.time(1, fold=1),
    lambda: dt.timedelta(1),
    lambda: decimal.Decimal("1.0"),
    lambda: decimal.Decimal("1.00"),
    lambda: fractions.Fraction(1, 2),
    lambda: fractions.Fraction(1, 3),
    lambda: Path("a"),
    lambda: re.compile("a"),
    lambda: re.compile("a", re.IGNORECASE),
    lambda: Colour.RED,
    lambda: Colour.BLUE,
    lambda: Point(1),
    lambda: Point(1, [2]),
    lambda: Point(1, [True]),
    lambda: Point(1, [2.0]),  # type: ignore[list-item]  # all the same
    lambda: Point(x=True),
    lambda: Point(1.0),  # type: ignore[arg-type]  # all the same
    lambda: Slotted(1),
    lambda: Slotted(a=True),
    lambda: Slotted(1 << 30),
    lambda: Slotted([1 << 30]),
    lambda: Slotted({"a": 1}),
    lambda: Slotted([("a", 1)]),
    lambda: types.SimpleNamespace(a=1, b=2),
    lambda: types.SimpleNamespace(a=2, b=1),
    lambda: types.SimpleNamespace(b=2, a=1),
    lambda: property(len, doc="one"),
    lambda: property(len, doc="two"),
    lambda: types.SimpleNamespace(a="b", b="a"),
    lambda: types.SimpleNamespace(a=["b"], b="a"),
    lambda: Named(a=1),
    lambda: collections.Counter("aab"),
    lambda: collections.deque([1]),
    lambda: collections.deque([1], maxlen=3),
    lambda: collections.defaultdict(list, a=[1]),
    lambda: collections.OrderedDict(a=1),
    lambda: len,
    lambda: os.path.join,
    lambda: os,
    lambda: dict,
    lambda: Point,
    lambda: "abc".upper,
    lambda: [].append,
    lambda: functools.partial(int, base=2),
    lambda: functools.partial(int, base=3),
    lambda: ValueError("a"),
    lambda: ValueError("b"),
    lambda: io.StringIO("a"),
    lambda: random.Random(0),
    lambda: random.Random(1),
    lambda: list[int],
    lambda: np.float64(0),
    lambda: np.int64(0),
    lambda: np.zeros(3),
    lambda: np.zeros(3, "f4"),
    lambda: np.zeros((3, 1)),
    lambda: np.array(["a", None], dtype=object),
    lambda: np.array([1, "1"], dtype=object),
    lambda: np.ma.array([1, 2], mask=[0, 1]),
    lambda: np.ma.array([1, 2], mask=[1, 0]),
    lambda: np.random.default_rng(0),
    lambda: np.random.default_rng(1),
    lambda: np.random.RandomState(0),
    lambda: np.dtype("f4"),
    lambda: np.datetime64("2020-01-01"),
    lambda: np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    lambda: np.add,
    lambda: pd.DataFrame({"a": [1, 2]}),
    lambda: pd.DataFrame({"a": [1.0, 2.0]}),
    lambda: pd.DataFrame({"b": [1, 2]}),
    lambda: pd.DataFrame({"a": [1, 2]}, index=[1, 2]),
    lambda: pd.DataFrame({"a": ["x", None]}),
    lambda: pd.DataFrame({"a": pd.Categorical(["x", "y"])}),
    lambda: pd.DataFrame({"a": pd.array([1, None])}),
    lambda: pd.DataFrame({"a": pd.to_datetime(["2020-01-01", None])}),
    lambda: pd.DataFrame({"a": pd.to_datetime(["2020-01-01"], utc=True)}),
    pd.DataFrame,
    lambda: pd.Series([1, 2], name="a"),
    lambda: pd.Series([1, 2], name="b"),
    lambda: pd.Series(pd.period_range("2020", periods=2, freq="D")),
    lambda: pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])),
    lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1])),
    lambda: pd.Index([1, 2]),
    lambda: pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]),
    lambda: pd.Timestamp("2020-01-01"),
    lambda: pd.Timedelta("1D"),
    lambda: pd.NaT,
    lambda: pd.NA,
    lambda: memoryview(b"abc"),
    lambda: memoryview(b"abd"),
    lambda: memoryview(bytearray(b"abc")),
    lambda: memoryview(b"abcd").cast("H"),
]


def test_different_values_differ_and_equal_ones_agree() -> None:
    first = [of(make()) for make in VALUES]
    assert first == [of(make()) for make in VALUES]
    assert [f for f in first if f.startswith("[")] == []
    assert len(set(first)) == len(VALUES), [
        (i, first.index(f)) for i, f in enumerate(first) if first.index(f) != i
    ]


def test_equal_across_hash_seeds() -> None:
    program = (
        "import sys; from pytest_nbsafe.kernel.hashing.snapshot import Snapshot; "
        "from pytest_nbsafe.kernel.hashing.function_texts import Texts; "
        "v = [{'a', 'b', 'c', None, 1}, frozenset('xyz'), {('a', 1): {'z', 'y'}}, {1.5, 'q'}];"
        "f = lambda x: x in {'a', 'b', 'c'};"
        "print(Snapshot(Texts(), globals()).fingerprint([v, f])['hash'])"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(seen) == 1
    assert len(seen.pop().strip().rstrip("()~")) == 32


def nested(depth: int) -> object:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


def stand_in(kind: Any) -> Any:
    """Return what stands for an object in a process of a manager, which is not there."""
    token = multiprocessing.managers.Token("dict", ("127.0.0.1", 1), "1")
    return kind(token, "pickle", authkey=b"", incref=False)


@pytest.mark.parametrize(
    ("make", "cause"),
    [
        (lambda: itertools.count(decimal.Decimal(1)), "other things than numbers"),
        (lambda: itertools.tee("a")[0], "used up"),
        (lambda: map(str, iter({1})), "used up"),
        (threading.Thread, "not compared"),
        (lambda: [0, itertools.groupby("a")], "used up"),
        (lambda: [{str(i)} for i in range(60_000)], TOO_LARGE),
        (lambda: [[str(i)] for i in range(600_000)], TOO_LARGE),
        (lambda: np.zeros(34_000_000), TOO_LARGE),
        (lambda: "x" * 70_000_000, TOO_LARGE),
        (functools.partial(nested, 500), TOO_DEEP),
        (lambda: stand_in(multiprocessing.managers.DictProxy), "not compared"),
    ],
)
def test_unknown(make: Callable[[], object], cause: str) -> None:
    assert cause in of(make())


def held(lock: Any) -> Any:
    lock.acquire()
    return lock


def fed(make: Callable[[], Any], *texts: bytes) -> Any:
    found = make()
    for text in texts:
        found.update(text)
    return found


def local(value: object) -> threading.local:
    found = threading.local()
    found.value = value
    return found


def queued(*items: object) -> queue.Queue[object]:
    found: queue.Queue[object] = queue.Queue()
    for item in items:
        found.put(item)
    return found


@pytest.mark.parametrize(
    ("make", "other"),
    [
        (threading.Lock, lambda: held(threading.Lock())),
        (threading.RLock, lambda: held(threading.RLock())),
        (threading.Event, lambda: threading.Semaphore(2)),
        (functools.partial(local, 1), functools.partial(local, 2)),
        (functools.partial(queued, "a"), functools.partial(queued, "a", "a")),
        (functools.partial(fed, hashlib.sha256, b"ab"), hashlib.sha256),
        (functools.partial(fed, hashlib.blake2b, b"ab"), hashlib.blake2s),
        (functools.partial(fed, hashlib.shake_256, b"ab"), hashlib.shake_256),
    ],
)
def test_state_that_python_tells(make: Callable[[], object], other: Callable[[], object]) -> None:
    assert of(make()) == of(make()) != of(other())
    assert "[" not in of(make()) + of(other())


def test_a_digest_that_was_asked_for_is_no_other_state() -> None:
    whole, parts = hashlib.sha256(b"abc"), fed(hashlib.sha256, b"ab", b"c")
    assert of(whole) == of(parts)
    assert parts.hexdigest() == whole.hexdigest()


def placed(place: str) -> list[Any]:
    return [
        f"{place}/a.py", f"in {place} and {place}/b", [place, 1], ["x"] * 300 + [place],
        ("a", place), {place: f"{place}/b"}, {"a": [(place, 2)]}, {place, "b"}, [[place], ["c"]],
        Path(place, "d"), [("x", 1)] * 300 + [(place, 1)], {1: place, (place, 2): [None]},
    ]  # fmt: skip


def test_a_session_ends_in_folders_of_its_own() -> None:
    def ended(place: str, text: str) -> list[str]:
        snapshot = Snapshot(Texts(), HOME)
        snapshot.places = ((place, "here:"),)
        values = placed(text)
        found = [snapshot.fingerprint(value) for value in values]
        assert [one["identity"] for one in found] == list(map(id, values))
        return [one["hash"] for one in found]

    first = ended("/tmp/one", "/tmp/one")
    assert ended("/var/other", "/var/other") == first
    assert not set(first) & {"", *ended("/var/other", "/tmp/one")}
    assert ended("/tmp/one", "z") == list(map(of, placed("z")))


def test_a_closed_file_is_its_name(tmp_path: Path) -> None:
    def closed(name: str, mode: str) -> str:
        with (tmp_path / name).open(mode) as file:
            pass
        return of(file)

    assert closed("f", "w") == closed("f", "r") == closed("f", "wb") != closed("g", "w")


@pytest.mark.parametrize(
    "make",
    [
        iter,
        lambda xs: iter(tuple(xs)),
        lambda xs: iter("".join(map(str, xs))),
        lambda xs: iter(range(len(xs) + xs[0])),
        reversed,
        lambda xs: zip(xs, xs, strict=False),
        lambda xs: map(abs, xs),
        lambda xs: filter(None, xs),
        enumerate,
        lambda xs: (x + 1 for x in xs),
    ],
)
def test_an_iterator_is_what_is_left_of_it(make: Callable[[list[int]], Any]) -> None:
    first, again, other = make([1, 2, 3]), make([1, 2, 3]), make([2, 2, 3])
    fresh = of(first)
    assert fresh == of(again) != of(other)
    assert fresh == of(first)
    assert list(first) == list(again)  # looking took nothing away
    assert of(first) == of(again) != fresh


def test_a_generator_that_has_begun_is_unknown() -> None:
    begun = (x for x in (1, 1, 1))
    next(begun)
    assert "has begun" in of(begun)


def test_generators_of_other_texts_or_closures_differ() -> None:
    space = made(
        "def f(n):\n"
        "    for i in range(n):\n"
        "        yield i\n"
        "a, b, c = f(1), f(1), f(2)\n"
        "d = (i for i in range(1))\n"
        "e = (i + 1 for i in range(1))\n"
    )
    kept = {name: space[name]["hash"] for name in "abcde"}
    assert all(kept.values())
    assert kept["a"] == kept["b"]
    assert len(set(kept.values())) == 4


def test_an_open_file_is_unknown(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w") as file:
        assert "not compared" in of(file)


def test_a_database_in_memory_is_what_it_holds() -> None:
    base = sqlite3.connect(":memory:")
    seen = [of(base)]
    base.row_factory = lambda *_: "a row"
    for said in ("create table t(v)", "insert into t values (1)", "insert into t values (2)"):
        base.execute(said)
        seen.append(of(base))
    if not hasattr(base, "serialize"):  # below Python 3.11
        assert all("not compared" in told for told in seen)
    else:
        assert len(set(seen)) == len(seen)
        assert base.in_transaction
        base.execute("delete from t where v = 2")
        assert of(base) not in seen  # it counts how much was changed
    base.close()


def test_to_look_at_a_database_calls_nothing_of_the_notebook() -> None:
    said: list[object] = []

    def say(*told: object) -> Any:
        said.extend(told)
        return sqlite3.SQLITE_OK

    for let in (
        lambda base: base.set_trace_callback(say),
        lambda base: base.set_authorizer(say),
        lambda base: setattr(base, "text_factory", say),
    ):
        with closing(sqlite3.connect(":memory:")) as base:
            let(base)
            assert "not compared" in of(base)
    assert said == []


def test_a_database_in_a_file_is_unknown(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "x.db")
    assert "not compared" in of(base)
    base.close()
    assert "closed database" in of(base)


def test_a_figure_is_unknown() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    assert "figure" in of(figure)


def test_long_flat_values_are_within_the_budget() -> None:
    assert not of(list(range(500_000))).startswith("[")
    assert not of([(i, str(i)) for i in range(100_000)]).startswith("[")
    assert not of({str(i): i for i in range(100_000)}).startswith("[")
    assert not of(set(range(100_000))).startswith("[")
    assert not of(pd.DataFrame({"s": [str(i) for i in range(100_000)]})).startswith("[")


MAYBE = st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=3)


@given(MAYBE, MAYBE, st.sampled_from(["int64", "float64", "bool"]))
def test_of_a_column_with_missing_values_counts_what_is_there(
    one: list[tuple[int, bool]], other: list[tuple[int, bool]], dtype: str
) -> None:
    array = pd.arrays.IntegerArray if dtype == "int64" else pd.arrays.FloatingArray
    array = pd.arrays.BooleanArray if dtype == "bool" else array
    columns, told = [], []
    for column in (one, other):
        numbers = np.array([number for number, _ in column], dtype)
        columns.append(array(numbers, np.array([lacks for _, lacks in column], bool)))
        told.append([None if lacks else numbers[at] for at, (_, lacks) in enumerate(column)])
    hashes = [of(pd.Series(column)) for column in columns]
    assert (hashes[0] == hashes[1]) == (told[0] == told[1])
    assert [column._data.tolist() for column in columns] == [
        np.array([number for number, _ in column], dtype).tolist() for column in (one, other)
    ]


def test_cycles() -> None:
    def loop(value: int) -> list[object]:
        made: list[object] = [value]
        made.append(made)
        return made

    assert of(loop(1)) == of(loop(1))
    assert of(loop(1)) != of(loop(2))
    point = Point(1)
    point.y.append(point)  # type: ignore[arg-type]
    assert not of(point).startswith("[")


def test_functions_are_what_they_say() -> None:
    one = made("k = 1\ndef f(x, y=2):\n    return x + k")["f"]["hash"]
    assert one == made("k = 5\n\n\n# note\ndef f(x, y=2):\n    return x + k  # why")["f"]["hash"]
    assert one != made("k = 1\ndef f(x, y=2):\n    return x - k")["f"]["hash"]
    assert one != made("k = 1\ndef f(x, y=3):\n    return x + k")["f"]["hash"]
    default = "d = {0}\ndef f(x=d):\n    return x"
    assert made(default.format(1))["f"]["hash"] != made(default.format(2))["f"]["hash"]
    closed = "def outer(n):\n    def f():\n        return n\n    return f\ng = outer({0})"
    assert made(closed.format(1))["g"]["hash"] != made(closed.format(2))["g"]["hash"]
    assert made(closed.format(1))["g"]["hash"] == made(closed.format(1))["g"]["hash"]
    bound = "f = lambda x: x + {0}"
    assert made(bound.format(1))["f"]["hash"] != made(bound.format(2))["f"]["hash"]
    recursive = "def outer():\n    def f(n):\n        return f(n - 1)\n    return f\ng = outer()"
    assert made(recursive)["g"]["hash"]


def test_classes_are_what_they_say() -> None:
    text = "class A:\n    k = {0}\n    def m(self):\n        return {1}\na = A()\na.v = {2}"

    def hashes(*parts: int) -> tuple[str, str]:
        found = made(text.format(*parts))
        return found["A"]["hash"], found["a"]["hash"]

    cls, instance = hashes(1, 2, 3)
    assert hashes(1, 2, 3) == (cls, instance)
    assert hashes(9, 2, 3)[0] != cls
    assert hashes(1, 9, 3)[0] != cls
    assert hashes(1, 2, 9)[0] == cls
    assert hashes(1, 2, 9)[1] != instance


def test_no_code_of_the_notebook_runs() -> None:
    found = made(
        "calls = []\n"
        "class Meta(type):\n    def __eq__(s, o): calls.append('meta'); return True\n"
        "    __hash__ = type.__hash__\n"
        "class A(metaclass=Meta):\n"
        "    def __getattribute__(s, n): calls.append(n); return object.__getattribute__(s, n)\n"
        "    def __reduce__(s): calls.append('r'); return (A, ())\n"
        "    def __getstate__(s): calls.append('g'); return {}\n"
        "    def __eq__(s, o): calls.append('e'); return True\n"
        "    def __hash__(s): calls.append('h'); return 1\n"
        "    def __repr__(s): calls.append('p'); return ''\n"
        "    def __len__(s): calls.append('l'); return 0\n"
        "    def __iter__(s): calls.append('i'); return iter([])\n"
        "    @property\n    def __dict__(s): calls.append('d'); return {}\n"
        "    @property\n    def __class__(s): calls.append('c'); return int\n"
        "class B(list):\n    def __iter__(s): calls.append('bi'); return iter([])\n"
        "    def __len__(s): calls.append('bl'); return 0\n"
        "class S(str):\n    def __str__(s): calls.append('ss'); return ''\n"
        "a = A(); b = B([1, 2]); s = S('x'); del calls[:]\n"
        "values = [a, b, s]\n"
    )
    assert found["values"]["hash"]
    assert found["calls"]["hash"] == of([])


METACLASS = (
    "calls = []\n"
    "class Meta(type):\n"
    "    def __hash__(cls): calls.append('hash'); return 1\n"
    "    def __eq__(cls, other): calls.append('eq'); return True\n"
    "class A(metaclass=Meta): pass\n"
    "a = A()\n"
    "{}del calls[:]\n"
)


@pytest.mark.parametrize(
    "value",
    [
        "a", "[a, 1]", "[1] * 20 + [a]", "['x'] * 20 + [a] + ['x']", "{'k': a, 'n': None}",
        "{1: a, 'b': (1, a)}", "[(1, a), (2, 3)]", "[[1, 2], [3, a]]", "{a}", "[A, a, int]",
        "frozenset([a, (1, 2)])", "__import__('types').SimpleNamespace(a=a, b=1)",
        "__import__('numpy').array([a, 1, 'x'], dtype=object)",
        "__import__('pandas').Series(['x', a, None])",
    ],
)  # fmt: skip
@pytest.mark.parametrize("first", ["", "__import__('math').pi\n"])
def test_metaclasses_are_not_asked_for_hashes(value: str, first: str) -> None:
    found = made(METACLASS.format(first) + f"value = {value}\ndel calls[:]")
    assert found["value"]["hash"]
    assert found["calls"]["hash"] == of([])


def test_metaclasses_of_exec_are_not_asked_for_hashes() -> None:
    found = made(f"exec({METACLASS.format('')!r})\nvalue = [1, a]\ndel calls[:]")
    assert found["value"]["hash"]
    assert found["calls"]["hash"] == of([])


def test_a_class_is_what_its_metaclass_says() -> None:
    text = "class M(type):\n    def hi(cls): return {}\nclass A(metaclass=M): pass\na = A()"
    one, other = made(text.format(1)), made(text.format(2))
    assert one["A"]["hash"] == made(text.format(1))["A"]["hash"] != other["A"]["hash"] != ""
    assert one["a"]["hash"] != other["a"]["hash"]


@pytest.mark.parametrize(
    "asked",
    ["import copy\ncopy.copy(a)", "a.__reduce_ex__(2)", "A.__annotations__"],
)
def test_what_others_leave_in_a_class_is_not_its_own(asked: str) -> None:
    text = "class A:\n    k = 1\na = A()\n"
    assert made(text + asked)["A"]["hash"] == made(text)["A"]["hash"] != ""


def test_metaclasses_make_no_other_fingerprint() -> None:
    plain = "class Meta(type):\n    pass\nclass A(metaclass=Meta): pass\na = A()\n"
    text = "value = [1, 'x', a, (1, a), {2: a}]\nother = [1, 'x', None, (1, 2)]"
    ours, theirs = made(METACLASS.format("") + text), made(plain + text)
    assert ours["other"]["hash"] == theirs["other"]["hash"] == of([1, "x", None, (1, 2)])
    assert len({ours["value"]["hash"], theirs["value"]["hash"], ""}) == 3


def test_objects_with_hidden_state_are_unknown() -> None:
    found = made("import queue\nclass R(queue.SimpleQueue): pass\nr = R()")
    assert "cannot be seen" in found["r"]["cause"]


def test_estimators() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    forest = pytest.importorskip("sklearn.tree")
    x, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 1, 0])
    tree = functools.partial(forest.DecisionTreeClassifier, random_state=0)
    for cls in (linear.LinearRegression, tree):
        one, two, three = cls().fit(x, y), cls().fit(x, y), cls().fit(x + 1, 1 - y)
        assert of(one) == of(two)
        assert of(one) != of(three)
        assert of(one) != of(cls())
    sparse = pytest.importorskip("scipy.sparse")
    assert of(sparse.csr_matrix(np.eye(2))) == of(sparse.csr_matrix(np.eye(2)))
    assert of(sparse.csr_matrix(np.eye(2))) != of(sparse.csr_matrix(np.ones((2, 2))))


def test_false_positive_a_cache_inside_a_library_object() -> None:
    """A value that a library object keeps for later looks like a change of the object."""
    from importlib.metadata import PathDistribution

    one = PathDistribution(Path("a"))
    before = of(one)
    vars(one)["_cached"] = 1
    assert before != of(one)


def test_looking_does_not_change() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    state = pickle.dumps(frame)
    of(frame)
    assert state == pickle.dumps(frame)


def test_names_behind_functions() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    text = (
        "a = b = c = d = e = 1\ndef f():\n    def inner(): return b\n    return a + inner()\n"
        "class K:\n    def m(self): return c\nk = K()\nimport functools\n"
        "def w(fn):\n    @functools.wraps(fn)\n    def inner(): return fn()\n    return inner\n"
        "@w\ndef g(): return d\n"
    )
    exec(compile(text, "<cell>", "exec"), space)
    assert {"a", "b"} == set(mentioned(space["f"], space))
    assert {"c"} <= set(mentioned(space["k"], space))
    assert {"d"} <= set(mentioned(space["g"], space))
    assert set() == set(mentioned(space["a"], space))


def test_containers_in_containers_are_told_by_their_content() -> None:
    def rows(last: object, shared: list[object]) -> object:
        return [{"a": [i, str(i)], "b": (float(i), None), "c": shared} for i in range(9)] + [last]

    assert of(rows([1], [0])) == of([*rows([1], [0])[:-1], [1]])  # type: ignore[index]  # a list
    assert of(rows([1], [0])) == of([{**row, "c": [0]} for row in rows([1], [0])[:-1]] + [[1]])  # type: ignore[index]  # a list
    values = ([1], [1.0], [True], (1,), ["1"], [[1]], {1: 1}, [None], {"a": [1]})
    assert len({of(rows(value, [0])) for value in values}) == len(values)
    arrays = [of(rows(value, [0])) for value in (bytearray(b"1"), b"1", np.array([49], "u1"))]
    assert len(set(arrays)) == 3
    doubled: list[object] = [1.5]
    for _ in range(55):
        doubled = [doubled, doubled]
    assert of(doubled) == f"[{TOO_LARGE}]"
    ring: list[object] = [[1]]
    ring.append(ring)
    assert of(ring) != of([[1], [[1]]])


@pytest.mark.corpus
def test_large_values_are_looked_at_when_a_session_ends() -> None:
    snapshot = Snapshot(Texts(), HOME)
    values = [[{str(number)} for number in range(60_000)] for _ in range(2)]
    values[1][-1].add("0")
    assert {snapshot.fingerprint(value)["cause"] for value in values} == {TOO_LARGE}
    snapshot.places, snapshot.limits = (("/tmp/one", "here:"),), (200_000, 10_000_000)
    first, other = (snapshot.fingerprint(value)["hash"] for value in values)
    assert "" != first != other != ""
