"""Objects that modules of libraries hold, by which name soever a cell knows them."""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..identity import identity

_OF_CELLS = frozenset({"__main__", "__mp_main__", "builtins"})
_UNCHANGING = frozenset(
    map(
        identity,
        (
            *(int, float, complex, bool, str, bytes, tuple, frozenset, type(None)),
            *(type, FunctionType, BuiltinFunctionType, ModuleType),
        ),
    )
)


class HeldByModules:
    """Which module holds an object as one of its names; of modules that have come since it looks.

    What is put into a module later is not found.
    """

    def __init__(self) -> None:
        self._seen: dict[str, None] = dict.fromkeys(_OF_CELLS)
        self._held: set[int] = set()

    def module_of(self, value: object) -> str:
        """Return the last module that holds an object that may change, "" where none does.

        It is asked with what a name of the notebook and a local variable hold.
        """
        if identity(type(value)) in _UNCHANGING or _references(value) <= _ALONE:
            return ""
        for module in [name for name in list(sys.modules) if name not in self._seen]:
            self._seen[module] = None
            self._held.update(map(identity, list(_held(module).values())))
        if identity(value) not in self._held:  # nearly always
            return ""
        modules = (module for module in reversed(self._seen) if module not in _OF_CELLS)
        return next((m for m in modules if any(v is value for v in list(_held(m).values()))), "")


def _held(module: str) -> dict[str, Any]:
    """Return what a module holds, without a word to one that is loaded when it is asked."""
    there = sys.modules.get(module)
    if not isinstance(there, ModuleType):
        return {}
    held: dict[str, Any] = ModuleType.__getattribute__(there, "__dict__")
    return held


def _references(value: object) -> int:
    return sys.getrefcount(value)


def _as_module_of_asks(value: object) -> int:
    return _references(value)


def _alone() -> int:
    names = {0: object()}
    value = names[0]
    return _as_module_of_asks(value)


_ALONE = _alone()
"""The count of an object that one name of the notebook holds, and nothing else."""
