"""The class of `x` when the last cell starts: its names, or "?" and why none is known."""

from __future__ import annotations

import ast
import cProfile
import subprocess
import sys
from pathlib import Path

import pytest
from analysiscase import graph

from pytest_nbsafe.analysis.inference import class_at, class_of, deep

IMPORTS = "import pandas as pd, numpy as np, heapq\nfrom collections import deque, Counter as C"


def inferred(*cells: str) -> str:
    g = graph(IMPORTS, *cells, "x")
    found = class_of(g, "x", len(cells) + 2)
    assert bool(found.names) != bool(found.cause)
    return " ".join(found.names) or f"? {found.cause}"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("x = []", "list"),
        ("x = [i for i in r]", "list"),
        ("x = {}", "dict"),
        ("x = {1}", "set"),
        ("x = 'a'", "str"),
        ("x = 1.5", "float"),
        ("x = 1", "int"),
        ("x = f'{a}'", "str"),
        ("x: list = []", "list"),
        ("x = y = []", "list"),
        ("y, x = 1, []", "list"),
        ("x = list(r)", "list"),
        ("x = sorted(r)", "list"),
        ("x = set()", "set"),
        ("x = deque()", "collections.deque"),
        ("x = C()", "collections.Counter"),
        ("x = [0] * 5", "list"),
        ("x = [] + [1]", "list"),
        ("x = 'a %s' % b", "str"),
        ("x = []\nx += [1]", "list"),
        ("x = {}\nif c: x = []", "dict list"),
        ("if c: x = []\nelse: x = {}", "dict list"),
        ("x = [1] if c else ()", "list tuple"),
        ("with open(p) as x: pass", "file"),
        ("def x(): pass", "function"),
        ("class K: pass\nx = K()", "K"),
        # libraries
        ("x = pd.read_csv(p)", "pandas.DataFrame"),
        ("x = pd.read_csv(p).dropna().head()", "pandas.DataFrame"),
        ("x = pd.read_csv(p)['a']", "pandas.Series"),
        ("x = pd.read_csv(p)[['a', 'b']]", "pandas.DataFrame"),
        ("df = pd.read_csv(p)\nx = df[df.a > 0]", "pandas.DataFrame"),
        ("x = pd.Series(a).unique()", "numpy.ndarray"),
        ("x = pd.read_csv(p).values", "numpy.ndarray"),
        ("x = np.array([1]) * 2", "numpy.ndarray"),
        ("x = 2 * np.arange(3)[1:]", "numpy.ndarray"),
        ("df = pd.DataFrame()\nx = df.copy()\nx = x.append(df)", "pandas.DataFrame"),
        ("x = 'a b'.split()", "list"),
        ("x = 'a'.upper().strip()", "str"),
        ("import copy\nx = copy.deepcopy([1])", "list"),
    ],
)  # fmt: skip
def test_plainly_shown(text: str, answer: str) -> None:
    assert inferred(text) == answer


def test_cells_above_count_and_later_ones_do_not() -> None:
    assert inferred("x = []", "x = {}") == "dict"
    assert inferred("x = []", "if c: x = {}") == "dict list"
    assert inferred("y = []", "x = y") == "list"
    g = graph("x = []", "x", "x = {}")
    assert class_of(g, "x", 2).names == ("list",)


@pytest.mark.parametrize(
    ("cells", "symbol", "answer"),
    [
        (["d = {'a': [], 'b': 1}"], "d['a']", "list"),
        (["d = {'a': [], 'b': 1}"], "d['b']", "int"),
        (["d = {'a': [], 'b': []}"], "d[k]", "list"),
        (["d = {'a': [], 'b': 1}"], "d[k]", "int list"),
        (["d = {'a': []}", "d['a'] = 1"], "d['a']", ""),
        (["d = {}"], "d['a']", ""),
        (["from collections import defaultdict\nd = defaultdict(list)"], "d[k]", "list"),
        (["rows = [[] for _ in range(3)]"], "rows[0]", "list"),
        (["rows = [[], {}]"], "rows[i]", "dict list"),
        (["import pandas as pd\ndf = pd.read_csv(p)"], "df['a']", "pandas.Series"),
        (["import pandas as pd\ndf = pd.read_csv(p)"], "df[k]", ""),
        (["d = {'a': {'b': []}}"], "d['a']['b']", ""),
    ],
)
def test_a_symbol_under_a_name(cells: list[str], symbol: str, answer: str) -> None:
    g = graph(*cells, "pass")
    node = ast.parse(symbol, mode="eval").body
    assert " ".join(class_at(g, node, len(cells) + 1).names) == answer


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("y = 1", "no cell above surely binds `x`"),
        ("if c: x = []", "no cell above surely binds `x`"),
        ("for x in xs: pass", "`x` is the variable of a loop in cell 2 (line 1)"),
        ("x, y = f()", "`x` is a part of what is unpacked in cell 2 (line 1)"),
        ("x = pd.read_csv(p).frobnicate()",
         "what `pd.read_csv(p).frobnicate()` returns is not known"),
        ("x = a.b", "`a.b` in cell 2 (line 1) is not followed"),
        ("x = z", "no cell above surely binds `z`"),
        ("from m import *", "no cell above surely binds `x`"),
    ],
)  # fmt: skip
def test_unknown_says_why(text: str, cause: str) -> None:
    assert inferred(text) == f"? {cause}"


def test_names_that_go_round_in_a_circle() -> None:
    assert inferred("x = y", "y = x", "x = y") == "? no cell above surely binds `y`"
    assert inferred("x = []", *["x = x"] * 30) == "? too many steps"


# -- by astroid ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("def make(): return [1]\nx = make()", "list"),
        ("def make(n):\n    if n: return []\n    return {}\nx = make(3)", "dict list"),
        ("class K:\n    def __init__(self): self.items = []\nk = K()\nx = k.items", "list"),
        ("class K:\n    def items(self): return {}\nx = K().items()", "dict"),
        ("class A: pass\nclass B(A): pass\nx = [B()][0]", "B"),
        ("for x in ['a', 'b']: pass", "str"),
        ("d = {'a': []}\nx = d['a']", "list"),
        ("x, y = [], {}\nx, y = y, x", "dict"),
        ("f = lambda: []\nx = f()", "list"),
        ("def f():\n    while True: yield 1\nx = f()", "iterator"),
        ("import datetime\nx = datetime.date.today()", "datetime.date"),
        ("import string\nx = string.ascii_letters", "str"),
        ("from collections import namedtuple\nP = namedtuple('P', 'a b')\nx = P(1, 2)", "P"),
    ],
)
def test_looked_deeper(text: str, answer: str) -> None:
    assert inferred(text) == answer


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("def f(a): return a\nx = f(who)",
         "what `f()` returns is not known; astroid cannot tell what `x` holds"),
        ("def f(n): return f(n)\nx = f(1)",
         "what `f()` returns is not known; astroid cannot tell what `x` holds"),
        ("x = np.zeros(3).frobnicate()",
         "what `np.zeros(3).frobnicate()` returns is not known"),
        ("import nowhere\nx = nowhere.f()", "what `nowhere.f()` returns is not known"),
        ("x = get_ipython().f()", "what `get_ipython()` returns is not known"),
    ],
)  # fmt: skip
def test_neither_tells(text: str, cause: str) -> None:
    assert inferred(text) == f"? {cause}"


def test_only_what_the_name_depends_on_is_looked_at() -> None:
    g = graph("import a\nimport b", "y = b.f()\nz = a.g()", "def f(): return y", "x = f()", "x")
    assert deep.sliced(g, "x", 5) == ("import b\ny = b.f()\ndef f():\n    return y\nx = f()\nx")


def test_the_answer_does_not_depend_on_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a library beside the notebook nor one that hides Python's own is read or run."""
    for name in ("elsewhere", "string"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\nascii_letters = make = []")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert inferred("import string\ndef f(): return string.ascii_letters\nx = f()") == "str"
    assert inferred("import elsewhere\ndef f(): return elsewhere.make\nx = f()") == (
        "? what `f()` returns is not known; astroid cannot tell what `x` holds"
    )
    assert inferred("import pandas\ndef f(): return pandas.DataFrame()\nx = f()")[0] == "?"


def test_what_takes_too_long_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "_CALLS", 10)
    before = sys.getprofile()
    assert inferred("def f(): return []\nx = f()") == (
        "? what `f()` returns is not known; astroid takes too long"
    )
    assert sys.getprofile() is before
    monkeypatch.undo()
    assert inferred("def f(): return []\nx = f()") == "list"


def test_a_profiler_is_left_alone() -> None:
    profiler = cProfile.Profile()
    assert profiler.runcall(inferred, "def f(): return {}\nx = f()") == "dict"
    assert sys.getprofile() is None


def test_what_depends_on_too_much_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "_STATEMENTS", 1)
    assert inferred("def f(): return []", "x = f()")[-len("on too much") :] == "on too much"


ALONE = """
import sys
from pytest_nbsafe.analysis.graph import build
from pytest_nbsafe.analysis.inference import class_of
from pytest_nbsafe.notebook import percent
g = build(percent.parse("# %%\\n" + {text!r} + "\\n# %%\\nx\\n"))
before = set(sys.modules)
print(class_of(g, "x", 2).names, "astroid" in sys.modules)
print(sorted(set(sys.modules) & {{"numpy", "pandas", "sqlite3", "_sqlite3"}}))
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = []", "('list',) False\n[]\n"),
        ("import numpy as np\nx = np.zeros(3)", "('numpy.ndarray',) False\n[]\n"),
        ("import numpy as np\nx = np.f()", "() False\n[]\n"),
        ("import sqlite3\ndef f(): return sqlite3.connect('a')\nx = f()", "() True\n[]\n"),
    ],
)  # fmt: skip
def test_astroid_is_imported_only_when_asked_and_imports_nothing(text: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE.format(text=text)], capture_output=True, text=True, check=True
    )
    assert done.stdout == said
