"""What the loop of events is to call when the cell that asked for it has ended (`call_later`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..identity import identity

_OF_LOOPS = frozenset({"asyncio", "_asyncio", "tornado", "zmq", "ipykernel", "uvloop"})
"""Packages whose own callbacks wait in the loop of a kernel."""


def waits_for_cells(
    loop: Any, home: Mapping[str, Any], is_users_file: Callable[[str], bool]
) -> bool:
    """Return whether code of a cell waits in a loop, or a method of what a name of it holds.

    So does one of a value of Python that is held elsewhere: the kernel's own callbacks are none.
    """
    held = {identity(value) for value in home.values()}
    return any(_is_of_cells(called, held, is_users_file) for called in _waiting(loop))


def _waiting(loop: Any) -> Iterator[Any]:
    """Yield what is to be called; nothing where the loop is not Python's own."""
    for handles in (getattr(loop, "_ready", ()), getattr(loop, "_scheduled", ())):
        for handle in list(handles):
            if not handle.cancelled():
                called = getattr(handle, "_callback", None)
                while type(called) is functools.partial:
                    called = called.func
                yield called


def _is_of_cells(called: Any, held: set[int], is_users_file: Callable[[str], bool]) -> bool:
    code = getattr(getattr(called, "__func__", called), "__code__", None)
    if code is not None and is_users_file(code.co_filename):
        return True
    owner = getattr(called, "__self__", None)
    if owner is None or identity(owner) in held:
        return owner is not None
    package = str(type(owner).__module__).partition(".")[0]
    return code is None and package not in _OF_LOOPS
