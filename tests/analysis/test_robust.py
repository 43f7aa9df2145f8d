"""Whatever the text is: an analysis or a fault, in bounded time."""

from __future__ import annotations

import ast
import sys
import warnings
from types import FrameType
from typing import Any

import pytest
from analysiscase import graph
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_nbsafe.analysis import cell as cell_analysis
from pytest_nbsafe.analysis import statements
from pytest_nbsafe.analysis.cell import analyse
from pytest_nbsafe.analysis.dependencies import edges, unbound
from pytest_nbsafe.analysis.model import CellAnalysis
from pytest_nbsafe.notebook.model import Cell, CellId


def run(source: str, python_major: int = 3) -> CellAnalysis:
    return analyse(Cell(CellId("c"), 1, "code", source), python_major)


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("x = 1\ny = = 2", 2, 5, "invalid syntax"),
        ("if x:\nprint(1)", 2, 1, "expected an indented block after 'if' statement on line 1"),
        ("x = 1\nreturn x", 2, 1, "'return' outside function"),
        ("break", 1, 1, "'break' outside loop"),
        ("class A:\n    yield 1", 2, 5, "'yield' outside function"),
        ("def f(a, a): pass", 1, 1, "duplicate argument 'a' in function definition"),
        ("def f():\n    nonlocal x", 2, 5, "no binding for nonlocal 'x' found"),
        ("def f():\n    x = 1\n    global x", 3, 5, "name 'x' is assigned to before global"),
        ("def f():\n    from a import *", 2, 19, "import * only allowed at module level"),
        ("x = (1,\n", 1, 5, "'(' was never closed"),
        ("'\\N{nope}'", 1, 1, "(unicode error)"),
    ],
)
def test_faults_name_line_column_and_pythons_own_words(
    source: str, line: int, column: int, message: str
) -> None:
    fault = run(source).fault
    assert fault is not None
    assert fault.message.startswith(message)
    assert (fault.line, fault.column)[0] == line
    assert 1 <= fault.column <= len(source) + 1
    assert column == fault.column or "unicode" in message or "duplicate" in message


def test_python_2_syntax_says_so() -> None:
    fault = run("print 'x'", 2).fault
    assert fault is not None
    assert fault.message.startswith("not Python 3 (the notebook says Python 2): ")


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\0",
        "(" * 5000 + ")" * 5000,
        "-" * 20000 + "1",
        "x" + "(1)" * 3000,
        "[" * 190 + "]" * 190,
        "x = " + "\n + ".join(["y"] * 5),
        "'\ud800'",
        "9" * 5000,
        "",
        "\n\n# only a comment\n",
        "\x0c\t x",
    ],
)
def test_strange_text_never_raises(source: str) -> None:
    run(source)


def test_nested_blocks() -> None:
    """Python's parser takes 99 indents; deeper text is a fault, deep expressions are analysed."""
    for depth in (50, 99, 200):
        text = "".join(" " * n + f"if x{n}:\n" for n in range(depth)) + " " * depth + "y"
        analysis = run(text)
        assert (analysis.fault is None) == (depth < 100)
    assert len(run("\n".join(f"{' ' * n}def f{n}():" for n in range(90)) + " 1").functions) == 1


def test_long_chains_need_no_stack() -> None:
    assert len(run("if a: pass\n" + "elif b: pass\n" * 800).uses) == 2
    assert len(run("x = " + " + ".join(["y"] * 900)).uses) == 1


def test_no_warning_is_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run("x = '\\d'; 1 is 1; assert (x, 'y')").fault is None
        assert run("def f(a):\n    global b\n    return '\\d'").fault is None


@pytest.mark.corpus
def test_large_cells_are_bounded() -> None:
    lines = run("\n".join(f"x{n} = x{n - 1} + 1" for n in range(1, 5001)))
    assert len(lines.definitions) == 5000
    assert [use.name for use in lines.uses] == ["x0"]
    names = run("\n".join(f"if c{n}:\n    y{n} = z{n}" for n in range(3000)))
    assert len(names.uses) == 6000


def test_the_same_source_is_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code unchanged: analysis reused, in whatever cell it stands now."""
    walked: list[str] = []
    suite = statements.suite

    def watched(builder: Any, body: list[ast.stmt]) -> None:
        walked.extend(map(ast.unparse, body))
        suite(builder, body)

    cell_analysis._analysed.cache_clear()
    monkeypatch.setattr(cell_analysis, "suite", watched)
    graph("a = 1", "b = a", "c = b")
    edited = graph("a = 1", "extra = 0", "b = a", "c = b + 1")
    assert walked == ["a = 1", "b = a", "c = b", "extra = 0", "c = b + 1"]
    assert [number for number, found in edited.cells.items() if found.cell != number] == []


def steps(cells: int) -> int:
    """Return how many Python functions are called to analyse so many cells; never a time."""
    text = ["import numpy as np", "def f(a):\n    return a + k", "k = 1"]
    text += [f"x{n} = f(x{n - 1} if {n} > 4 else k)\nprint(np.sum(x{n}))" for n in range(4, cells)]
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    cell_analysis._analysed.cache_clear()
    sys.setprofile(profile)
    try:
        g = graph(*text)
        edges(g, range(1, cells + 1))
        unbound(g, range(1, cells + 1))
    finally:
        sys.setprofile(None)
    return count


def test_cost_grows_linearly_in_cells() -> None:
    assert steps(1000) < 11 * steps(100)


WORDS = st.sampled_from(
    [
        "x",
        "y",
        "f",
        "(",
        ")",
        "[",
        "]",
        ":",
        ",",
        ".",
        "=",
        ":=",
        "+",
        "*",
        "**",
        "->",
        "@",
        "\n",
        "if",
        "else",
        "for",
        "in",
        "while",
        "try",
        "except",
        "finally",
        "with",
        "as",
        "def",
        "class",
        "lambda",
        "return",
        "yield",
        "await",
        "async",
        "import",
        "from",
        "global",
        "nonlocal",
        "del",
        "match",
        "case",
        "_",
        "1",
        "'a'",
        "f'{",
        "}'",
        "%",
        "!",
        "?",
        "%%",
        "%%time",
        "not",
        "and",
        "or",
        "is",
        "pass",
        "break",
        "continue",
        "raise",
        "assert",
        ";",
        "#",
        "type",
    ]
)
PIECES = st.lists(st.one_of(WORDS, st.just("\n"), st.just("\n    ")), max_size=30).map(" ".join)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.one_of(st.text(), PIECES), st.sampled_from([2, 3]))
def test_any_text_gives_an_analysis(source: str, python_major: int) -> None:
    analysis = run(source, python_major)
    lines = source.count("\n") + 1
    for use in analysis.uses:
        assert 1 <= use.span.line <= lines
        assert use.span.column >= 1
    if analysis.fault is not None:
        assert 1 <= analysis.fault.line <= lines
        assert analysis.uses == ()
