"""What is called around each cell, or at each call, because a cell has said so."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..hashing.instances import HOME_MODULE


def is_any_of_cells(shell: Any, is_users_file: Callable[[str], bool]) -> bool:
    """Tell whether code of a cell or of the project is called around or within each cell."""
    return any(_is_users(called, is_users_file) for called in _hooks(shell))


def _hooks(shell: Any) -> Iterator[Any]:
    for calls in shell.events.callbacks.values():
        yield from calls
    yield from shell.ast_transformers
    yield from shell.input_transformers_cleanup
    yield from shell.input_transformers_post
    yield from (sys.getprofile(), sys.gettrace())


def _is_users(called: Any, is_users_file: Callable[[str], bool]) -> bool:
    """Tell whether what is called is code of the user, or a method of what a cell has made."""
    kind = type(called)
    while kind is functools.partial or kind is types.MethodType:
        called = called.func if kind is functools.partial else called.__func__
        kind = type(called)
    if kind is types.FunctionType:
        return is_users_file(called.__code__.co_filename)
    if kind is types.BuiltinMethodType:  # `print`, or `calls.append`
        return type(called.__self__) is not types.ModuleType
    return kind.__module__ == HOME_MODULE
