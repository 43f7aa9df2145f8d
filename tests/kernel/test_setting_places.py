"""Texts that set what libraries hold, and those that do not."""

from __future__ import annotations

import calendar
import csv
import functools
import json
import logging
import math
import random
import sys
import types
from fractions import Fraction
from logging import basicConfig
from typing import Any
from unittest import mock

import pytest

from pytest_nbsafe.kernel.inputs.setting_places import setting_places


def own() -> None:
    pass


own.__module__ = "__main__"


def append(rows: list[int], row: int) -> list[int]:
    return [*rows, row]


class Held:
    def enable(self, name: str) -> None:
        pass


class Mine:
    """A class of a cell."""

    __module__ = "__main__"


class Keeps:
    """A class of a cell that holds what sets something."""

    __module__ = "__main__"
    go = staticmethod(csv.register_dialect)

    def __init__(self) -> None:
        self.act = calendar.setfirstweekday


def change(held: Any) -> None:
    held.half = 3


class InteractiveShell:
    def get_shell(self) -> InteractiveShell:
        return self


library = types.ModuleType("library")
vars(library).update(
    held=Held(), append=append, add_constant=append, set_config=math.floor, SetConfig=math.floor
)
sys.modules["library"] = library
HOME: dict[str, Any] = {
    "csv": csv,
    "json": json,
    "logging": logging,
    "math": math,
    "random": random,
    "library": library,
    "calendar": calendar,
    "held": vars(library)["held"],
    "rows": [1],
    "shell": InteractiveShell(),
    "get_shell": InteractiveShell().get_shell,
    "basicConfig": basicConfig,
    "frame": object(),
    "own": own,
    "patcher": mock.patch("math.floor"),
    "number": Fraction(1),
    "Number": Fraction,
    "Mine": Mine,
    "mine": Mine(),
    "change": change,
    "acts": [math.sqrt, {"day": calendar.setfirstweekday}],
    "bound": functools.partial(calendar.setfirstweekday, 3),
    "keeps": Keeps(),
    "word": "act",
    "Keeps": Keeps,
}


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("logging.basicConfig(level=10)", "logging"),
        ("basicConfig(level=10)", "logging"),
        ("logging.getLogger().setLevel(10)", "logging"),
        ("logging.root.handlers.clear()", "logging"),
        ("logging.getLogger().define('mine')", "logging"),
        ("logging.root.level = 10", "logging"),
        ("csv.register_dialect('mine', delimiter=';')", "csv"),
        ("library.set_config(shape='wide')", "library"),
        ("library.SetConfig('wide')", "library"),
        ("library.options['shape'] = 'wide'", "library"),
        ("vars(math)['tau'] = 3", "math"),
        ("del library.registry['a']", "library"),
        ("library.shape, number = 'wide', 3", "library"),
        ("library.count += 1", "library"),
        ("def ready():\n    library.enable_all()", "library"),
        ("@library.register('mine')\nclass Mine: pass", "library"),
        ("patcher.start()", "unittest.mock"),
        ("old = csv.field_size_limit(9)", "csv"),
        ("number and calendar.setfirstweekday(3)", "calendar"),
        ("calendar.setfirstweekday(3) if number else 0", "calendar"),
        ("[csv.register_dialect(name) for name in 'ab']", "csv"),
        ("def ready(day): return calendar.setfirstweekday(day)", "calendar"),
        ("print(library.set_config(shape='wide'))", "library"),
        ("_ = library.held.enable('mine')", "library"),
        ("held.shape = 3", "library"),
        ("held['shape'] = 3", "library"),
        ("_ = held.enable('mine')", "library"),
        ("Number.half = 3", "fractions"),
        ("for kind in kinds: Number.half = 3", "fractions"),
        ("type(number).half = 3", "fractions"),
        ("number.__class__.half = 3", "fractions"),
        ("del Number.half", "fractions"),
        ("change(Number)", "fractions"),
        ("_ = change(held=csv)", "csv"),
        ("basicConfig().theme = 'dark'", "logging"),
        ("acts[1]['day'](3)", "calendar"),
        ("for act in acts: act(3)", "calendar"),
        ("bound()", "calendar"),
        ("_ = own(calendar.setfirstweekday, 3)", "calendar"),
        ("_ = own(basicConfig)", "logging"),
        ("acts = [csv.field_size_limit]", "_csv"),
        ("keeps.act(3)", "calendar"),
        ("getattr(calendar, 'setfirstweekday')(3)", "calendar"),
        ("getattr(keeps, word)(3)", "calendar"),
        ("Keeps.go('mine')", "_csv"),
        ("run(keeps)", "calendar"),
        ("shell.hook.x = 3", "shell"),
        ("get_shell().hook.x = 3", "shell"),
        ("def ready():\n    import logging as log\n    log.disable(10)", "logging"),
        ("def ready():\n    from logging import disable as quiet\n    quiet(10)", "logging"),
    ],
)
def test_what_sets_something(text: str, module: str) -> None:
    assert {place.module for place in setting_places(text, HOME)} == {module}


@pytest.mark.parametrize(
    "text",
    [
        "math.sqrt(3)",
        "frame.set_index('a')",
        "frame['a'] = math.sqrt(3)",
        "frame.a = library.b",
        "number = csv.field_size_limit()",
        "number = library.frame([1]).set_of(3)",
        "number = library.append([1], 3)",
        "number = library.add_constant(3)",
        "number = frame.set_of(3)",
        "frame.set()",
        "rows.append(3)",
        "rows[0] = 3",
        "print(library.set_of)",
        "own.register(3)",
        "random.seed(3)",
        "library.frame([1]).head()",
        "began = patcher.start()",
        "number.limit_denominator(3)",
        "Mine.half = 3",
        "type(mine).half = 3",
        "mine.half = Number(3)",
        "change(Mine)",
        "change(number)",
        "own(Number)",
        "number.half = 3",
        "own(math.sqrt, csv.reader, library.append, library.add_constant)",
        "not python",
    ],
)
def test_what_sets_nothing(text: str) -> None:
    assert setting_places(text, HOME) == []


def test_a_decorator_stands_where_it_is_written() -> None:
    text = "@library.register('mine')\ndef mine(): library.enable_all()"
    assert setting_places(text, HOME) == [(1, "library", True), (2, "library", False)]


def test_settings_that_are_compared_count_where_their_library_is_new() -> None:
    numpy = pytest.importorskip("numpy")
    text = "if True:\n    import numpy as np\n    np.set_printoptions(precision=3)"
    assert setting_places(text, {"np": numpy}) == []
    assert {place.line for place in setting_places(text, {"np": numpy}, ["numpy"])} == {3}
