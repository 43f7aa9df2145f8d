"""Hashes of what settings and sources of random numbers hold, equal in all kernels that hold it."""

from __future__ import annotations

import types
from typing import Any

from ..contract import CODE, SETS
from ..hashing.snapshot import Snapshot

_FUNCTIONS = frozenset({types.FunctionType, types.MethodType, types.BuiltinFunctionType})
_ROWS = frozenset({list, tuple})
_SETS = frozenset({set, frozenset})


def hash_of(state: Any, snapshot: Snapshot) -> str:
    """Return the hash of a state, "" where code of the notebook is in it, or it cannot be told."""
    digest = snapshot.fingerprint(_in_words(state))["hash"]
    return "" if CODE in digest or SETS in digest else digest


def _in_words(value: Any) -> Any:
    """Return a state with its sets in order, and functions and classes of libraries by name.

    What a method belongs to, and what a function holds, is made anew in each kernel.
    """
    kind = type(value)
    if kind is dict:
        return [(_in_words(key), _in_words(item)) for key, item in value.items()]
    if kind in _SETS:
        return sorted(map(repr, map(_in_words, value)))
    if kind in _ROWS:
        return [*map(_in_words, value)]
    if (kind in _FUNCTIONS or kind is type) and value.__module__ != "__main__":
        return f"{value.__module__}.{value.__qualname__}"
    return value
