"""What the modules of the project hold, and whether a run in which they took part changed it.

And what cells have put into modules, of the project or not, which any cell may change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from ..functions.reach import kept_by
from ..functions.stand_in import code_of
from ..hashing.function_texts import lies_here
from ..hashing.snapshot import Snapshot
from .kept_results import KEEPS, results_of

_STREAMS = frozenset({"stdout", "stderr", "stdin"})
"""Names of `sys` that are told as streams."""
_CODE = (FunctionType, ModuleType, type, staticmethod, classmethod, property)


class ModuleStates:
    """Fingerprints of what modules hold, as it was when they last took part."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, str] = {}
        self._put: dict[str, None] = {}

    def put_changed(self, places: Iterable[str]) -> list[str]:
        """Return at which places there is something else now, or may be; code does not change.

        At these, and at those of earlier runs, a cell has put something: at `module:name`.
        """
        self._put.update(dict.fromkeys(places))
        changed: list[str] = []
        for place in self._put:
            library, _, name = place.partition(":")
            module = sys.modules.get(library)
            held = vars(module).get(name) if module is not None else None
            if name not in _STREAMS and not _is_code(held) and self._differs(place, held):
                changed.append(place)
        return changed

    def changed(self, modules: Iterable[str]) -> list[str]:
        """Return those of the modules that took part which hold something else now, or may."""
        changed: list[str] = []
        for name in modules:
            module = sys.modules.get(name)
            if module is None:
                continue
            if self._differs(name, _held(module, name)):
                changed.append(name)
        return changed

    def changed_since(self) -> list[str]:
        """Return those of all modules that took part in any run which hold something else now."""
        return self.changed([place for place in self._known if ":" not in place])

    def _differs(self, place: str, held: object) -> bool:
        """Return whether at a place lies something else than the last time, or may."""
        now = self._snapshot.fingerprint(held)["hash"]
        before = self._known.get(place, now)
        self._known[place] = now
        return not now or now != before


def _held(module: ModuleType, name: str) -> list[Any]:
    """Return what a module holds that may change, and what its classes and functions hold."""
    own = [*vars(module).values()]
    classes = [value for value in own if type(value) is type and value.__module__ == name]
    held = _values(vars(module))
    for cls in classes:
        held += [cls.__name__, *_values(vars(cls))]
    members = [member for cls in classes for member in [*vars(cls).values()]]
    for each in _functions([*own, *members]):
        if type(each) is KEEPS:  # what it has kept is no part of what it is
            held += results_of(each)
        else:
            held += [part for part in kept_by(each) if not _is_code(part)]
    return held


def _values(names: Any) -> list[Any]:
    """Return names with their values, but for what is code."""
    own = [(key, value) for key, value in list(names.items()) if key[:2] != "__"]
    return [part for pair in own if not _is_code(pair[1]) for part in pair]


def _functions(values: list[Any]) -> Iterator[Any]:
    """Yield the functions of the project among values, and those within them.

    One that keeps its results is yielded beside that which it asks for them.
    """
    known: dict[int, Any] = {}
    while values:
        value = values.pop()
        if type(value) is property:
            values += [value.fget, value.fset, value.fdel]
        elif type(value) in (staticmethod, classmethod):
            values.append(value.__func__)
        elif type(value) is FunctionType and id(value) not in known:
            known[id(value)] = value
            values += kept_by(value)
            if lies_here(code_of(value).co_filename):
                yield value
        elif type(value) is KEEPS and id(value) not in known:
            known[id(value)] = value
            asked = vars(value).get("__wrapped__")
            values.append(asked)
            if type(asked) is FunctionType and lies_here(code_of(asked).co_filename):
                yield value


def _is_code(held: object) -> bool:
    return issubclass(type(held), _CODE)  # `isinstance` may ask it
