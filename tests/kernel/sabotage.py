"""Breaks the island's functions, one at a time: each raises wherever it is called."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any

from pytest_nbsafe.runner import island

reached: list[bool] = []
"""Something stands in here once a broken function has been called."""


def points(modules: str, outermost: Collection[str] = ()) -> list[str]:
    """Return the functions and methods of modules but the outermost."""
    found = []
    for module in modules.split():
        for node in ast.parse(island.sources()[f"_nbsafe.{module}"]).body:
            if isinstance(node, ast.FunctionDef):
                found.append(f"{module}:{node.name}")
            elif isinstance(node, ast.ClassDef):
                methods = (m for m in node.body if isinstance(m, ast.FunctionDef))
                found += [f"{module}:{node.name}.{method.name}" for method in methods]
    return [point for point in found if point not in outermost]


def function_of(point: str) -> FunctionType:
    """Return the function itself, below what decorates it."""
    module, path = point.split(":")
    found: Any = import_module(f"pytest_nbsafe.kernel.{module}")
    for part in path.split("."):
        found = vars(found)[part]
    for name in ("fget", "func", "__func__"):
        found = getattr(found, name, found)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    assert isinstance(found, FunctionType)
    return found


def fail(*_: Any, **__: Any) -> Any:
    """Raise; the code of this runs in the place of that of others, among other names."""
    __import__("sabotage").reached.append(True)
    message = "sabotage"
    raise RuntimeError(message)


def _broken_steps(*_: Any, **__: Any) -> Any:
    yield __import__("sabotage").fail()


@contextmanager
def broken(point: str) -> Iterator[None]:
    """Break a function of this process; `reached` tells whether it was called."""
    function = function_of(point)
    sound = function.__code__
    reached.clear()
    raising = _broken_steps if sound.co_flags & inspect.CO_GENERATOR else fail
    function.__code__ = raising.__code__.replace(co_freevars=sound.co_freevars)
    try:
        yield
    finally:
        function.__code__ = sound
