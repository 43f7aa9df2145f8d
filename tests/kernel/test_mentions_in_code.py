"""What the code of functions asks for by name, in the steps of whichever Python runs the tests.

Python 3.13 joins steps of one line.
"""

from __future__ import annotations

import functools
import os
import random
import socket
import time
import weakref
from types import CodeType
from typing import Any

import pytest

from pytest_nbsafe.kernel.functions.reach import inside
from pytest_nbsafe.kernel.inputs.mentions import Mention, mentions, single_steps, states_in

again = random.seed


def seed(number: int) -> int:
    """Return what a cell gives for a seed."""
    return number


seed.__module__ = "__main__"
HOME: dict[str, Any] = {"os": os, "socket": socket, "time": time, "weakref": weakref}
HOME.update(random=random, again=again, own=random.Random(1), seed=seed)
ASKS = {
    "import time; return time.time()": "clock",
    "import time; import os; return time.time(), os": "clock",
    "import time as t; u = t; return u.perf_counter()": "clock",
    "from datetime import datetime as d; return d.now()": "clock",
    "clock = time; return clock.time()": "clock",
    "system = os; return system.pipe()": "native",
    "import weakref as w; return w.ref(f)": "setting",
    "import json as j; j.extra = 1": "put",
    "import random as r; r.seed(1)": "state",
    "from random import getstate as g; return g()": "state",
    "return again(1)": "state",
}
ASKS_NOTHING = (
    "a = time; b = 1; return b.time()",
    "import time as t; import os as o; return o.time()",
    "import time as t; t = 1; return t.time",
    "a, b = (1, 2); return a.time(b)",
    "for time in os: return time.time",
    "return own.seed(1), seed(1), x.seed",
    "return random.random()",
)
JOINED = (
    ("STORE_FAST", "LOAD_FAST"),
    ("LOAD_FAST", "LOAD_FAST"),
    ("STORE_FAST", "STORE_FAST"),
    ("LOAD_FAST_BORROW", "LOAD_FAST_BORROW"),  # from Python 3.14 on
)


def body_of(text: str) -> CodeType:
    """Return the code of a function with this body."""
    whole = compile(f"def f(x=0):\n {text}", "", "exec")
    return next(inside(whole))


@pytest.mark.parametrize("text", ASKS)
def test_what_a_function_asks_for(text: str) -> None:
    assert {mention.kind for mention in mentions(body_of(text), HOME)} >= {ASKS[text]}


@pytest.mark.parametrize("text", ASKS_NOTHING)
def test_what_asks_for_nothing(text: str) -> None:
    assert mentions(body_of(text), HOME) == []


def test_steps_that_pythons_join_are_told_apart() -> None:
    assert [*single_steps("LOAD_CONST", (1, 2))] == [("LOAD_CONST", (1, 2))]
    assert [*single_steps("LOAD_FAST", "a")] == [("LOAD_FAST", "a")]
    both = ("a", "b")
    for first, second in JOINED:
        steps = [*single_steps(f"{first}_{second}", both)]
        assert steps == [(first, "a"), (second, "b")]


@pytest.mark.parametrize(
    ("value", "library"),
    [
        (random.seed, "random"),
        ([{"a": random.setstate}], "random"),
        (functools.partial(random.seed, 1), "random"),
        (lambda: random.seed(1), "random"),
        ([lambda: again(1)], "random"),
        (lambda: [random.random()], ""),
        ((again(each) for each in [1]), "random"),
        ((abs(each) for each in [1]), ""),
        (body_of, ""),
        ([random.random, 1, {}], ""),
    ],
)
def test_whose_random_numbers_a_value_may_set(value: object, library: str) -> None:
    told = {Mention("state", 0, library)} if library else set()
    assert {mention._replace(line=0) for mention in states_in([value], HOME)} == told
