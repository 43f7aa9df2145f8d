"""What the modules of the project hold, and whether a run in which they took part changed it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from ..hashing.snapshot import Snapshot

_CODE = (FunctionType, ModuleType, type, staticmethod, classmethod, property)


class ModuleStates:
    """Fingerprints of what modules hold, as it was when they last took part."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, str] = {}

    def changed(self, modules: Iterable[str]) -> list[str]:
        """Return those of the modules that took part which hold something else now, or may."""
        changed: list[str] = []
        for name in modules:
            module = sys.modules.get(name)
            if module is None:
                continue
            held = self._snapshot.fingerprint(_held(module, name))["hash"]
            known = self._known.get(name, held)
            if not held or held != known:
                changed.append(name)
            self._known[name] = held
        return changed


def _held(module: ModuleType, name: str) -> list[Any]:
    """Return what a module holds that may change, and its classes hold."""
    held = _values(vars(module))
    for key, value in list(vars(module).items()):
        if type(value) is type and value.__module__ == name:
            held += [key, *_values(vars(value))]
    return held


def _values(names: Any) -> list[Any]:
    """Return names with their values, but for what is code."""
    own = [(key, value) for key, value in list(names.items()) if key[:2] != "__"]
    return [part for pair in own if not isinstance(pair[1], _CODE) for part in pair]
