"""numba: a compiler that reads the bytecode of functions."""

from __future__ import annotations

from typing import Any

from ..hashing.hasher import Handler, Hasher

READS_BYTECODE = True


def _compiled(hasher: Hasher, value: Any) -> None:
    """Write a function that is compiled, how, and for which kinds of arguments it has been."""
    hasher.all("compiled", [str(value.targetoptions), [str(each) for each in value.signatures]])
    hasher.add(value.py_func)


HASHED: dict[str, dict[str, Handler]] = {"numba.core.dispatcher": {"Dispatcher": _compiled}}
