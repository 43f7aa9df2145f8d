"""Notebooks that nobody writes by hand: an answer, in time that grows as they do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import pytest
from tiers import every_row

from pytest_nbsafe.analysis import cell as analysis
from pytest_nbsafe.app import check as checking
from pytest_nbsafe.app.facts import static_facts
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding
from pytest_nbsafe.notebook.model import Cell, CellId, Notebook
from pytest_nbsafe.rules import evaluate

Sources = Sequence[str]


def check(sources: Sources) -> tuple[Finding, ...]:
    """Return all that a static check says of cells that were run in page order."""
    cells = tuple(
        Cell(CellId(f"c{number}"), number, "code", source, count=number)
        for number, source in enumerate(sources, start=1)
    )
    facts, _ = static_facts(Notebook("nb.ipynb", cells), Config(notes=True))
    return evaluate(facts)


def said(sources: Sources) -> set[str]:
    return {finding.code for finding in check(sources)}


def steps(sources: Sources) -> int:
    """Return how many Python functions are called to check the cells; never a time."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    check(sources)  # what is made once is made
    analysis._analysed.cache_clear()
    sys.setprofile(profile)
    try:
        check(sources)
    finally:
        sys.setprofile(None)
    return count


# -- large -----------------------------------------------------------------------------------------


def lines(n: int) -> Sources:
    return ["x0 = 0\n" + "\n".join(f"x{i} = x{i - 1} + 1" for i in range(1, n))]


def branches(n: int) -> Sources:
    return ["\n".join(f"if a{i % 7}:\n    x = x + {i}\nelse:\n    y = f(x)" for i in range(n))]


def loops(n: int) -> Sources:
    return ["\n".join("for i in r:\n    x = g(x, i)\n    if x: break\nelse:\n    y = x\n" * n)]


def withs(n: int) -> Sources:
    return ["\n".join(f"with open(p{i}) as f:\n    x{i} = f.read()" for i in range(n))]


def cells(n: int) -> Sources:
    return ["x0 = 1", *(f"x{i} = x{i - 1} + 1\nprint(x{i})" for i in range(1, n))]


def rebound(n: int) -> Sources:
    return ["df = 1", *(f"y{i} = df + 1\nprint(y{i})" for i in range(n))]


def summed(n: int) -> Sources:
    return ["df = 0\nx0 = 1", *(f"x{i} = x{i - 1} + 1\ndf = df + x{i}" for i in range(1, n))]


def columns(n: int) -> Sources:
    made = (f"df['a{i}'] = df['a{i - 1}'] * 2\ndf.head()" for i in range(n))
    return ["import pandas as pd\ndf = pd.DataFrame()", *made]


def undefined(n: int) -> Sources:
    return ["x = [" + ", ".join(f"n{i}" for i in range(n)) + "]"]


def defined_later(n: int) -> Sources:
    return [*undefined(n), "\n".join(f"n{i} = {i}" for i in range(n))]


def chained(n: int) -> Sources:
    return ["if a: pass\n" + "".join(f"elif b{i}: x{i} = 1\n" for i in range(n))]


def matched(n: int) -> Sources:
    return ["match a:\n" + "".join(f"  case [{i}, x{i}, *_]: y = x{i}\n" for i in range(n))]


def texts(n: int) -> Sources:
    return ["x = [" + ", ".join(f"'/home/user/file{i}'" for i in range(n)) + "]"]


def commands(n: int) -> Sources:
    return ["\n".join(f"!pip install package{i}" for i in range(n))]


def random(n: int) -> Sources:
    drawn = (f"x{i} = np.random.rand(3)\nrandom.random()" for i in range(n))
    return ["import random\nimport numpy as np", *drawn]


def aliases(n: int) -> Sources:
    return ["a = []\nb = a\n" + "a = b\nb = a\na.append(a)\nb.append(a)\n" * n, "print(a, b)"]


def lists_of_functions(n: int) -> Sources:
    made = "\n".join(f"l{i} = [f, l{max(i - 1, 0)}]" for i in range(n))
    return ["def f(): return z\nl0 = []", made, "l3[0]()"]


@pytest.mark.parametrize(
    ("made", "number"),
    every_row(
        2,
        [
            (lines, 300),
            (branches, 100),
            (withs, 100),
            (cells, 100),
            (rebound, 100),
            (summed, 60),
            (columns, 60),
            (undefined, 300),
            (defined_later, 300),
            (chained, 60),
            (matched, 100),
            (texts, 300),
            (commands, 60),
            (random, 60),
            (aliases, 50),
            (lists_of_functions, 50),
        ],
    ),
)
def test_four_times_as_much_takes_about_four_times_as_long(
    made: Callable[[int], Sources], number: int
) -> None:
    assert steps(made(4 * number)) < 6 * steps(made(number))


@pytest.mark.corpus
def test_large_notebooks_are_answered() -> None:
    assert said(lines(5_000)) == set()
    assert said(cells(2_000)) == set()
    assert [f.location.cell for f in check(defined_later(10_000))] == [1]
    assert {finding.code for finding in check(undefined(10_000))} == {"NBS101"}


# -- nested ----------------------------------------------------------------------------------------


def nested(head: str, depth: int, body: str = "x = 1") -> Sources:
    rows = [f"{' ' * level}{head.format(n=level)}" for level in range(depth)]
    return ["\n".join([*rows, " " * depth + body])]


def trying(depth: int) -> Sources:
    down = [f"{' ' * level}try:" for level in range(depth)]
    up = [f"{' ' * level}except E{level}:\n{' ' * level} y = 1" for level in reversed(range(depth))]
    return ["\n".join([*down, " " * depth + "x = 1", *up])]


def enclosed(left: str, right: str) -> Callable[[int], Sources]:
    return lambda depth: ["y = 1\nx = " + left * depth + "y" + right * depth]


def comprehensions(depth: int) -> Sources:
    loops = "".join(f" for v{level} in range(3)]" for level in range(depth))
    return ["y = 1\nx = " + "[" * depth + "y" + loops]


@pytest.mark.parametrize(
    ("made", "deep", "too_deep"),
    [
        (lambda depth: nested("if a{n}:", depth), 95, 200),
        (lambda depth: nested("for i{n} in r{n}:", depth), 19, 200),
        (lambda depth: nested("while a{n}:", depth), 19, 200),
        (lambda depth: nested("with c{n}:", depth), 19, 200),
        (lambda depth: nested("def f{n}(a=1):", depth), 95, 200),
        (lambda depth: nested("class A{n}:", depth), 95, 200),
        (trying, 19, 200),
        (comprehensions, 60, 5_000),
        (enclosed("(", ")"), 190, 5_000),
        (enclosed("[", "]"), 60, 5_000),
        (enclosed("f(", ")"), 60, 5_000),
        (enclosed("lambda: ", ""), 60, 100_000),
        (enclosed("not ", ""), 60, 100_000),
        (enclosed("", ".a"), 60, 100_000),
        (enclosed("", "[0]"), 60, 100_000),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_nesting_is_analysed_as_far_as_python_goes(
    made: Callable[[int], Sources], deep: int, too_deep: int
) -> None:
    assert "NBS902" not in said(made(deep))
    assert "NBS902" in said(made(too_deep))


@pytest.mark.parametrize("depth", [100, 150, 200, 400, 800, 1_600])
def test_whatever_the_depth_there_is_an_answer(depth: int) -> None:
    """Where Python's parser gives up, and where recursion ends, differs from version to version."""
    for made in (enclosed("f(", ")"), enclosed("", ".a"), enclosed("-", ""), comprehensions):
        findings = check(made(depth))
        assert all(1 <= finding.location.line <= 2 for finding in findings)


def test_a_cell_that_is_too_deep_leaves_the_others_alone() -> None:
    (too_deep,) = enclosed("", ".a")(100_000)
    findings = check(["a = 1", too_deep, "print(a)\nprint(missing_name)"])
    assert {(f.code, f.location.cell) for f in findings if f.code != "NBS105"} >= {("NBS902", 2)}


# -- round and round -------------------------------------------------------------------------------


def recursive(n: int) -> str:
    return "\n".join(
        f"def f{i}(a):\n    return f{(i + 1) % n}(a) + f{i * 7 % n}(a) + k" for i in range(n)
    )


def test_functions_that_call_each_other_are_followed_once() -> None:
    sources = [recursive(100), "f0(1)", "k = 1"]
    (finding,) = (f for f in check(sources) if f.code == "NBS102")
    assert (finding.location.cell, finding.location.line) == (2, 1)
    assert "k" in finding.message


def test_functions_of_many_cells_that_call_each_other_are_followed_once() -> None:
    sources = ["k = 1", *recursive(60).replace("\ndef", "\0def").split("\0"), "f0(1)", "f7(2)"]
    assert said(sources) == set()


def test_a_function_that_changes_globals_through_others_is_followed_once() -> None:
    made = [
        f"def f{i}(a):\n    global s{i}\n    s{i} = f{(i + 1) % 40}(a)\n    return s{i}"
        for i in range(40)
    ]
    assert "NBS101" not in said([*made, "f0(1)", "print(s39)"])


def test_names_of_each_other_end() -> None:
    ring = "\n".join(f"a{i} = a{(i + 1) % 200}" for i in range(200))
    sources = ["a0 = []\n" + ring, "a0.append(a0)\na0.append([a0])", "print(a199)"]
    assert "NBS902" not in said(sources)
    itself = ["a = []\na.append(a)\nb = [a]\na[0] = b\na = b; b = a", "a.append(b)", "print(a, b)"]
    assert "NBS101" not in said(itself)


def test_classes_of_each_other_end() -> None:
    sources = [
        "class A:\n    def f(self):\n        return B().g()",
        "class B(A):\n    def g(self):\n        return A().f()",
        "a = A()\na.self = a\na.f()",
    ]
    assert said(sources) == set()


# -- of another Python -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "since"),
    [
        ("try:\n    x = 1\nexcept* ValueError:\n    x = 2", (3, 11)),
        ("a = [1]\nx = a[*a]", (3, 11)),
        ("type X = int", (3, 12)),
        ("def f[T](a: T) -> T:\n    return a", (3, 12)),
        ("a = {'b': 1}\nx = f'{a['b']}'", (3, 12)),
        ("class A[T = int]:\n    x = 1", (3, 13)),
        ("try:\n    x = 1\nexcept ValueError, TypeError:\n    x = 2", (3, 14)),
        ("a = 1\nx = t'{a}'", (3, 14)),
    ],
)
def test_newer_syntax_is_analysed_or_told(source: str, since: tuple[int, int]) -> None:
    findings = [f for f in check([source, "print(1)"]) if f.code != "NBS105"]
    if sys.version_info >= since:
        assert findings == []
    else:
        (finding,) = findings
        assert (finding.code, finding.location.cell) == ("NBS902", 1)
        assert finding.message


def test_older_syntax_is_told() -> None:
    for source in ("print 'x'", "exec 'x'", "raise E, 'x'", "x = 0777", "x = `1`", "x <> 1"):
        (finding,) = (f for f in check([source]) if f.code != "NBS105")
        assert (finding.code, finding.location.line) == ("NBS902", 1)


@pytest.mark.parametrize("version", ["3." + "9" * 10_000, "9" * 10_000, "", "3", "x.y", "4.0"])
def test_any_version_of_python_is_read(version: str, tmp_path: Path) -> None:
    cell = {"cell_type": "code", "metadata": {}, "source": "x = = 1", "outputs": [], "id": "a"}
    page = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python", "version": version}},
        "cells": [{**cell, "execution_count": 1}],
    }
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(page), encoding="utf-8")
    (finding,) = checking.check([path], {"cache": False}).findings
    is_newer = version == "4.0"
    assert (finding.code, finding.verdict) == ("NBS902", "suspected" if is_newer else "proved")
