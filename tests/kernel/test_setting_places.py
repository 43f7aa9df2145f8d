"""Texts that set what libraries hold, and those that do not."""

from __future__ import annotations

import csv
import json
import logging
import math
import random
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
library = types.ModuleType("library")
HOME: dict[str, Any] = {
    "csv": csv,
    "json": json,
    "logging": logging,
    "math": math,
    "random": random,
    "library": library,
    "basicConfig": basicConfig,
    "frame": object(),
    "own": own,
    "patcher": mock.patch("math.floor"),
    "number": Fraction(1),
}


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("logging.basicConfig(level=10)", "logging"),
        ("basicConfig(level=10)", "logging"),
        ("logging.getLogger().setLevel(10)", "logging"),
        ("logging.root.handlers.clear()", "logging"),
        ("logging.root.level = 10", "logging"),
        ("csv.register_dialect('mine', delimiter=';')", "csv"),
        ("library.set_config(shape='wide')", "library"),
        ("library.options['shape'] = 'wide'", "library"),
        ("vars(math)['tau'] = 3", "math"),
        ("del library.registry['a']", "library"),
        ("library.shape, number = 'wide', 3", "library"),
        ("library.count += 1", "library"),
        ("def ready():\n    library.enable_all()", "library"),
        ("@library.register('mine')\nclass Mine: pass", "library"),
        ("patcher.start()", "unittest.mock"),
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
        "number = library.set_of(3)",
        "print(library.set_of)",
        "own.register(3)",
        "random.seed(3)",
        "library.frame([1]).head()",
        "began = patcher.start()",
        "number.limit_denominator(3)",
        "not python",
    ],
)
def test_what_sets_nothing(text: str) -> None:
    assert setting_places(text, HOME) == []


def test_settings_that_are_compared_count_where_their_library_is_new() -> None:
    numpy = pytest.importorskip("numpy")
    text = "if True:\n    import numpy as np\n    np.set_printoptions(precision=3)"
    assert setting_places(text, {"np": numpy}) == []
    assert {place.line for place in setting_places(text, {"np": numpy}, ["numpy"])} == {3}
