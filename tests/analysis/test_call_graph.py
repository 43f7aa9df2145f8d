"""Which functions a call runs, held against Python: each says so in `ran` when it runs."""

from __future__ import annotations

import pytest
from analysiscase import graph

from pytest_nbsafe.analysis.call_graph import Caller, called_by, reachable
from pytest_nbsafe.analysis.model import Function, Graph

ONE = "def f(): ran.append('1f')"
UNNAMED = ("h['a']()", "c.m()")


def found(pages: Graph, cell: int, before: tuple[int, ...] | None = None) -> set[str]:
    """Return what the calls in a cell reach, as "2f" for the `f` of cell 2."""
    analysis = pages.cells[cell]
    calls = [Caller(pages, analysis, call, before) for call in analysis.calls]
    return named(pages, [reached.function for caller in calls for reached in reachable(caller)])


def named(pages: Graph, called: list[Function]) -> set[str]:
    return {
        f"{number}{function.name}"
        for number, analysis in pages.cells.items()
        for function in analysis.functions.values()
        if any(function is other for other in called)
    }


@pytest.mark.parametrize(
    "cells",
    [
        (ONE, "f()"),
        (ONE, "def f(): ran.append('2f')", "f()"),
        (ONE, "if f: f()", "def f(): ran.append('3f')"),
        # a name in a function is looked up when that runs
        ("def g(): ran.append('1g')\ndef f():\n    ran.append('1f')\n    g()",
         "def g(): ran.append('2g')", "f()"),
        ("def f():\n    ran.append('1f')\n    g()", "def g(): ran.append('2g')", "f()"),
        # a cell's own function is there below its definition, and another's above it
        (ONE, "f()\ndef f(): ran.append('2f')"),
        (ONE, "def f(): ran.append('2f')\nf()"),
        (ONE, "f = len\nf('a')"),
        (ONE, "f()\nf = len"),
        # by other names
        (ONE, "g = f", "g()"),
        (ONE, "g = f\ng()"),
        (ONE, "h = {'a': f}", "h['a']()"),
        ("from functools import partial\ndef f(n=0): ran.append('1f')", "p = partial(f, 1)", "p()"),
        ("class C:\n    def m(self): ran.append('1C')", "c = C()", "c.m()"),
    ],
)  # fmt: skip
def test_the_function_that_runs(cells: tuple[str, ...]) -> None:
    """What every cell runs is what is found of it, and so it is for the order that was run."""
    ran: list[str] = []
    names: dict[str, object] = {"ran": ran}
    pages = graph(*cells)
    for number, text in enumerate(cells, 1):
        ran.clear()
        exec(text, names)
        before = tuple(range(number - 1, 0, -1))
        assert set(ran) <= found(pages, number)
        direct = [f for s in pages.cells[number].statements for f in called_by(pages, number, s)]
        assert named(pages, direct) - {"1C"} == (set() if text in UNNAMED else set(ran))
        assert found(pages, number, before) == found(pages, number)


def test_in_another_order_the_last_that_ran_counts() -> None:
    pages = graph(ONE, "def f(): ran.append('2f')", "f()")
    assert found(pages, 3) == {"2f"}
    assert found(pages, 3, before=(1, 2)) == {"1f"}
    assert found(pages, 3, before=()) == set()


def test_a_name_that_is_bound_anew_below_the_call() -> None:
    """The call is that of the function above, which changes what it is given."""
    pages = graph("xs = []\ndef add(l): l.append(1)", "add(xs)\nadd = print")
    assert 2 in pages.changers.get("xs", ())
