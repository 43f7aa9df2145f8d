"""Texts in which chance has surely no part."""

from __future__ import annotations

import pytest

from pytest_nbsafe.replay.session_judge import excludes_chance


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        "import math, decimal as d\nfrom collections.abc import Mapping",
        "%time b = a",
        "%%time\nb = f'{a}'",
        "class A: pass",
        "b = a if a!=1 else a %2",
    ],
)
def test_nothing_by_chance(text: str) -> None:
    assert excludes_chance(text)


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from time import time",
        "import math, uuid",
        "x = id(a)",
        "open('f')",
        "!ls",
        "%run other.py",
        "here = %pwd",
        "def f():\n    return f.__code__.co_filename",
        "files = !ls",
        "class A: pass\nt = f'{A()}'",
        "exec('import random')",
    ],
)
def test_perhaps_by_chance(text: str) -> None:
    assert not excludes_chance(text)
