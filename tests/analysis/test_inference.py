"""The class of `x` when the last cell starts: its names, or "?" and why none is known."""

from __future__ import annotations

import pytest
from analysiscase import graph

from pytest_nbsafe.analysis.inference import class_of

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
