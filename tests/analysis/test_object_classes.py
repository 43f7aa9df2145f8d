"""The class of `x` when the last cell starts, "" where the text does not plainly show it."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from analysiscase import graph

from pytest_nbsafe.analysis.rerun_hazards.object_classes import class_at

IMPORTS = "import pandas as pd, numpy as np, heapq\nfrom collections import deque, Counter as C"


def class_of(*cells: str, symbol: str = "x") -> str:
    """Return the class of a symbol at the start of a cell below these."""
    node = ast.parse(symbol, mode="eval").body
    return class_at(graph(IMPORTS, *cells, "x"), node, len(cells) + 2)


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
        ("x = [0] * n", "list"),
        ("x = [] + [1]", "list"),
        ("x = []\nx += [1]", "list"),
        ("x = {}\nx = []", "list"),
        ("with open(p) as x: pass", "file"),
        ("x = pd.read_csv(p)", "pandas.DataFrame"),
        ("x = pd.read_csv(p).dropna().head()", "pandas.DataFrame"),
        ("x = pd.Series(a).unique()", "numpy.ndarray"),
        ("df = pd.DataFrame()\nx = df.copy()\nx = x.append(df)", "pandas.DataFrame"),
        ("x = 'a b'.split()", "list"),
        ("x = 'a'.upper().strip()", "str"),
        ("import copy\nx = copy.deepcopy([1])", "list"),
    ],
)
def test_plainly_shown(text: str, answer: str) -> None:
    assert class_of(text) == answer


def test_cells_above_count_and_later_ones_do_not() -> None:
    assert class_of("x = []", "x = {}") == "dict"
    assert class_of("y = []", "x = y") == "list"
    assert class_at(graph("x = []", "x", "x = {}"), ast.Name("x", ast.Load()), 2) == "list"


@pytest.mark.parametrize(
    ("cells", "symbol", "answer"),
    [
        (["d = {'a': [], 'b': []}"], "d['a']", "list"),
        (["d = {'a': [], 'b': []}"], "d[k]", "list"),
        (["d = {'a': [], 'b': 1}"], "d['a']", ""),
        (["rows = [[], []]"], "rows[i]", "list"),
        (["d = {'a': []}", "d['a'] = 1"], "d['a']", ""),
        (["d = {}"], "d['a']", ""),
        (["d = {'a': {'b': []}}"], "d['a']['b']", ""),
    ],
)
def test_a_symbol_under_a_name(cells: list[str], symbol: str, answer: str) -> None:
    assert class_of(*cells, symbol=symbol) == answer


@pytest.mark.parametrize(
    "text",
    [
        "y = 1",
        "if c: x = []",
        "x = {}\nif c: x = []",
        "x = [1] if c else ()",
        "for x in xs: pass",
        "x, y = f()",
        "x = pd.read_csv(p).frobnicate()",
        "x = a.b",
        "x = z",
        "from m import *",
        "x = []\ndel x",
        "x = " + "[0] + " * 3000 + "[0]",
    ],
)
def test_unknown(text: str) -> None:
    assert class_of(text) == ""


def test_names_that_go_round_in_a_circle() -> None:
    assert class_of("x = y", "y = x", "x = y") == ""
    assert class_of("x = []", *["x = x"] * 30) == ""


def test_a_rule_on_single_cells_does_not_import_astroid() -> None:
    code = """
import json, sys
from pytest_nbsafe.analysis import rerun_hazards
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.notebook.load import loads
sources = ["def f(): return []\\nx = f()", "x.append(1)"]
cells = [{"cell_type": "code", "source": source} for source in sources]
graph = build(loads(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}), ""))
print(rerun_hazards.hazards(graph, 2), "astroid" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "() False\n"
