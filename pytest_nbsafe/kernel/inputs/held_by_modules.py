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
        self._seen: set[str] = set(_OF_CELLS)
        self._places: dict[int, tuple[str, str]] = {}

    def module_of(self, value: object) -> str:
        """Return the module that holds an object that may change, "" where none does.

        It is asked with what a name of the notebook and a local variable hold.
        """
        if identity(type(value)) in _UNCHANGING or _references(value) <= _ALONE:
            return ""
        for module in [name for name in list(sys.modules) if name not in self._seen]:
            self._seen.add(module)
            for name, each in list(_held(sys.modules.get(module)).items()):
                if identity(type(each)) not in _UNCHANGING:
                    self._places[identity(each)] = module, name
        module, name = self._places.get(identity(value), ("", ""))
        return module if module and _held(sys.modules.get(module)).get(name) is value else ""


def _held(module: Any) -> dict[str, Any]:
    """Return what a module holds, without a word to one that is loaded when it is asked."""
    if not isinstance(module, ModuleType):
        return {}
    held: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
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
