"""Cells on the side that are followed below the names: in a real kernel, and what is made of it."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from tiers import every

from pytest_nbsafe.analysis.parts import Parts
from pytest_nbsafe.notebook.model import Cell
from pytest_nbsafe.runner.kernel_session import KernelSession
from pytest_nbsafe.trace.results import CellResult
from pytest_nbsafe.trace.side_runs import Counterfactual
from runner.kernels import notebook

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork"),
]

START = """\
import functools
d = {'a': {'b': 1}, 'l': [1, 2], 'n': 3}
other = d
key = 'n'
class Model:
    rate = 1
    def __init__(self): self.inner = d['a']
    def fit(self, data): self.rate = data[key]
    @property
    def twice(self): return self.rate * 2
m = Model()
def noted(f):
    @functools.wraps(f)
    def g(*a, **k): return f(*a, **k)
    return g
@noted
def price(x):
    \"\"\"Say what it costs.\"\"\"
    return x['a']['b'] + 1
def fails(x):
    return x['l'][5]
byway = [price]
look = lambda: d['l']
"""


@pytest.fixture(scope="module")
def started(shared: KernelSession) -> KernelSession:
    assert shared.run(cells(START)[0], 1).status == "ok"
    return shared


def cells(*sources: str) -> tuple[Cell, ...]:
    return notebook(*sources).cells


def ask(session: KernelSession, *sources: str) -> Counterfactual:
    told = session.counterfactual(cells(*sources), limit_s=20)
    assert told.cause == ""
    return told


def of(parts: dict[tuple[str, int], Parts], name: str, line: int = 0) -> set[tuple[object, ...]]:
    return {*parts.get((name, line), ())}


@pytest.mark.parametrize(
    ("source", "read", "changed"),
    [
        ("d[key]", {("n",)}, set()),
        ("price(d)", {("a", "b")}, set()),
        ("byway[0](d)", {("a", "b")}, set()),
        ("m.fit(d)\nm.twice", {("n",)}, set()),
        ("other['n'] = 4", set(), {("n",)}),
        ("m.inner['b'] = 4", set(), {("a", "b")}),
        ("look()", {()}, {()}),
        ("%time x = d['n']", {("n",)}, set()),
        ("%%time\nx = d['n']", {("n",)}, set()),
        ("%%capture\nx = d['n']", {("n",)}, set()),
        ("def f():\n    return price(d)\nf()", {("a", "b")}, set()),
    ],
)
def test_what_is_told_of_a_cell(
    started: KernelSession,
    source: str,
    read: set[tuple[object, ...]],
    changed: set[tuple[object, ...]],
) -> None:
    (found,) = ask(started, source).touched
    assert found is not None
    assert of({**found.read}, "d") == read
    assert of({**found.changed}, "d") == changed


def test_an_alias_is_told_by_each_symbol(started: KernelSession) -> None:
    (found,) = ask(started, "m.inner['b'] = 4").touched
    assert found is not None
    assert {name: set(parts) for (name, line), parts in found.changed.items() if not line} == {
        "d": {("a", "b")},
        "other": {("a", "b")},
        "m": {("inner", "b")},
    }
    assert found.symbols["m", ("inner", "b")] == "m.inner['b']"


def test_lines_are_those_of_the_cell(started: KernelSession) -> None:
    (found,) = ask(started, "\nif key:\n    price(\n        d)\nd['n']").touched
    assert found is not None
    assert (of({**found.read}, "d", 3), of({**found.read}, "d", 5)) == ({("a", "b")}, {("n",)})


def test_each_of_several_cells_is_told_of(started: KernelSession) -> None:
    first, second = ask(started, "d['n'] = 7", "d['n']").touched
    assert first is not None
    assert second is not None
    assert (of({**first.changed}, "d"), of({**second.read}, "d")) == ({("n",)}, {("n",)})
    alone = ask(started, "d['n']").touched[0]
    assert alone is not None
    assert alone.values["d", ("n",)] != second.values["d", ("n",)] != ""


def test_each_of_many_cells_is_told_by_its_lines(started: KernelSession) -> None:
    told = ask(started, *(f"\nd['n'], {number}" for number in range(50)))
    seen = [of({**run.read}, "d", 2) for run in told.touched if run is not None]
    assert seen == [{("n",)}] * 50


@pytest.mark.parametrize("source", ["eval('d')", "globals()['d']", "import numba"])
def test_what_cannot_be_followed_is_not_told(started: KernelSession, source: str) -> None:
    told = started.counterfactual(cells(source), limit_s=20)
    assert told.touched == (None,)


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(30_000):\n    d = {'n': {'m': i}}\n    d['n']['m']",
        "for i in range(600_000):\n    d['n']",
    ],
)
def test_of_a_cell_with_too_much_to_follow_nothing_is_told(
    started: KernelSession, loop: str
) -> None:
    first, long, last = ask(started, "d['n']", loop, "d['n'] = 1").touched
    assert first is not None
    assert long is None
    assert last is not None
    assert of({**last.changed}, "d") == {("n",)}


def test_nothing_is_followed_unless_it_is_asked_for(started: KernelSession) -> None:
    told = started.counterfactual(cells("d['n']"), limit_s=20, follow=False)
    assert told.touched == (None,)


SEEN_ALIKE = (
    "d['a']['b']\nprint(d['l'])",
    "fails(d)",
    "price({})",
    "d['none'].x",
    "m.rate.none = 1",
    "for i in range(3):\n    d['l'][i]",
    "x = [\n    d['l'][0],\n    d[\n        'none'],\n]",
    "def deep(n):\n    return deep(n - 1) if n else d['none']\ndeep(3)",
    "try:\n    d['none']\nexcept KeyError as e:\n    raise ValueError(d['n']) from e",
    "import warnings\nwarnings.warn(str(d['n']))",
    (
        "class C(Model):\n    def __init__(self):\n        super().__init__()\n"
        "        self.__private = d['n']\nvars(C())"
    ),
    "print(f'{d[\"n\"]=} {m.rate!r:>5}')",
    "def g():\n    x = yield d['n']\n    return x\nlist(g())\nh = g()",
    "g = (d[k] for k in 'n')\nx = sum(d[k] for k in 'n')",
    "while d['n'] < 70_000:\n    d['n'] += 1\nd['n']",
    "match d:\n    case {'n': n}: print(n)",
    "import inspect\nprint(inspect.getsource(price), inspect.signature(m.fit))",
    "sorted(d, key=lambda k: str(d[k]))",
    "del d['a']\nd",
    "x: 'd[0]' = d['n']\n__annotations__",
    "%time d['none']",
    "import sys\n[f.f_code.co_name for f in [sys._getframe(0)]], sys.getrecursionlimit()",
    "[x for x in locals() if 'nbsafe' in x], look.__code__.co_names",
    "assert d['n'] == 4, d['a']",
    "with open('none') as f: d['n']",
    "(lambda: d['none'])()",
    "x = y = d['l']\nx += [d['n']]\nx, y, d['l'] is x",
    "1 +",
    "import sys\nsys.getrefcount(d['l']), sys.getrefcount(d), sys.getrefcount(m.inner)",
    (
        "import weakref\nclass T:\n    def __del__(self): print('gone')\nbox = {'t': T()}\n"
        "w = weakref.ref(box['t'])\nx = box['t']\ndel box['t']\nprint(1)\ndel x\nprint(w())"
    ),
    (
        "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})\nframe['a'][0] = 5\n"
        "part = frame[frame['a'] > 1]\npart['b'] = 3\nframe"
    ),
)


TIMES = re.compile(r"(CPU times|Wall time): .*")
MARKS = re.compile(r"\x1b\[[\d;]*m")


def lines(traceback: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a traceback shows; before Python 3.11 the lines that failed.

    What stands around them, and what of them is marked, it shows there only of code that is as the
    text compiles by itself.
    """
    if sys.version_info >= (3, 11):
        return traceback
    shown = MARKS.sub("", "\n".join(traceback)).split("\n")
    return tuple(" ".join(line.split()) for line in shown if line.startswith("--"))


def essence(told: Counterfactual) -> object:
    return told.cause, told.shown, [whole(result) for result in told.results]


def whole(result: CellResult) -> object:
    failure = result.failure
    said = (failure.ename, failure.evalue, failure.line, failure.frames) if failure else None
    trace = lines(tuple(failure.traceback.split("\n"))) if failure else ()
    values = {name: (value.hash, value.cause) for name, value in result.after.items()}
    records = [(r.at, r.line, r.reads, dict(r.writes), dict(r.mutates)) for r in result.records]
    outputs = [
        replace(o, text=TIMES.sub("", o.text), traceback=lines(o.traceback)) for o in result.outputs
    ]
    return result.status, outputs, said, trace, values, records, result.incidents


@pytest.mark.parametrize("source", every(3, SEEN_ALIKE))
def test_a_cell_does_and_shows_the_same_when_it_is_followed(
    started: KernelSession, source: str
) -> None:
    followed = started.counterfactual(cells(source), limit_s=20)
    alone = started.counterfactual(cells(source), limit_s=20, follow=False)
    assert essence(alone) == essence(followed)
    assert {*alone.touched} <= {None}


def test_the_kernel_itself_is_left_as_it_was(started: KernelSession) -> None:
    ask(started, "price(d)")
    names = "[*vars(__import__('builtins')), *price.__wrapped__.__code__.co_names]"
    hooks = "('use', 'at', 'key', 'end', 'call', 'more')"
    look = f"[h for h in {hooks} if f'__nbsafe_{{h}}__' in {names}]"
    assert started.run(cells(look)[0], 2).outputs[-1].text == "[]"
