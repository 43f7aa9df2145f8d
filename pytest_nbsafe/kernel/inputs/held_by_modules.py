"""Objects that modules of libraries hold, by which name soever a cell knows them."""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

_OF_CELLS = frozenset({"__main__", "__mp_main__", "builtins"})
_UNCHANGING = (
    *(int, float, complex, bool, str, bytes, tuple, frozenset, type(None)),
    *(type, FunctionType, BuiltinFunctionType, ModuleType),
)


class HeldByModules:
    """Which module holds an object as one of its names; looked up anew when modules have come."""

    def __init__(self) -> None:
        self._count = 0
        self._places: dict[int, tuple[str, str]] = {}

    def module_of(self, value: object) -> str:
        """Return the module that holds an object that may change, "" where none does."""
        if type(value) in _UNCHANGING:
            return ""
        if len(sys.modules) != self._count:
            self._count, self._places = len(sys.modules), _places()
        module, name = self._places.get(id(value), ("", ""))
        return module if module and _held(sys.modules.get(module)).get(name) is value else ""


def _places() -> dict[int, tuple[str, str]]:
    return {
        id(value): (module, name)
        for module, held in list(sys.modules.items())
        if module not in _OF_CELLS
        for name, value in list(_held(held).items())
        if type(value) not in _UNCHANGING
    }


def _held(module: Any) -> dict[str, Any]:
    """Return what a module holds, without a word to one that is loaded when it is asked."""
    if not isinstance(module, ModuleType):
        return {}
    held: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    return held
