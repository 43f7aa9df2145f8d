"""Pages that no tutorial shows: they are answered all the same."""

import ast

import percent
import pytest

from pytest_nbsafe.absint.leakage.machine import Machine
from pytest_nbsafe.absint.leakage.passes import HANDLERS, leaks
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.values import replace

RETURNS = """\
# %% [1]
def pick(a):
    if a:
        return [1]
    elif a is None:
        raise ValueError
    else:
        return [2]
x = pick(unknown)
y = x[0]
"""
RAISES = """\
# %% [1]
def ask(host):
    if host:
        raise OSError
    try:
        return (host, [host])
    except OSError:
        raise
name, rest = ask(unknown)
rest.append(name)
"""
NESTED = """\
# %% [1]
x = []
for _ in range(9):
    x = [x, x]
while x:
    x = {"x": x}
print(x == [x])
"""
ITSELF = """\
# %% [1]
a = []
a.append(a)
b = {"a": a}
b["b"] = b
print(a, b, sorted([a, b], key=lambda v: v))
"""


@pytest.mark.parametrize(
    "text", [RETURNS, RAISES, NESTED, ITSELF], ids=["returns", "raises", "nested", "itself"]
)
def test_they_are_answered(text: str) -> None:
    assert leaks(build(percent.parse(text)), [1]) == ()


def test_where_python_goes_no_deeper_what_was_seen_holds() -> None:
    def deep(machine: Machine, node: ast.stmt) -> bool:
        raise RecursionError(machine, node)

    handlers = replace(HANDLERS, statements={ast.FunctionDef: deep})
    assert leaks(build(percent.parse(RETURNS)), [1], handlers=handlers) == ()
