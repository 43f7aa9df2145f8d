"""What a value leads to that can change: by which names belong together.

Followed are containers, attributes, slots, closures and defaults of functions that cells define,
and the memory of arrays; not modules, classes, functions of libraries, types of numbers.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import gc
import pathlib
import re
import sys
import types
import uuid
import weakref
from typing import Any

from ..adapters import of_class
from ..functions.reach import closure_of
from ..hashing.function_texts import lies_here

_CONSTANTS: tuple[type, ...] = (
    int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range,
    dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone,
    decimal.Decimal, fractions.Fraction, uuid.UUID, type(re.compile("")), types.CodeType,
    types.ModuleType, types.MappingProxyType, weakref.ref, pathlib.PurePosixPath,
    pathlib.PureWindowsPath, type(pathlib.Path()),
)  # fmt: skip
"""Kinds of values that cannot change, or lead nowhere."""
_ENDS = frozenset(map(id, _CONSTANTS))
_PERSONAL = frozenset({"__main__", "builtins"})
"""Modules that hold what cells made: IPython leaves the last results in `builtins`."""


class Memory:
    """The memory of an array: the array itself, what owns the memory, and its bytes there."""

    __slots__ = ("array", "owner")

    def __init__(self, array: Any) -> None:
        self.array, self.owner = array, owner_of(array)


class Surface:
    """Where every walk ends: at what modules hold, which all share, by identity.

    `elsewhere` is of libraries, `own` of the modules of the project: the module and the name.
    What leads to all names (the namespace, the shell) ends a walk as well.
    """

    def __init__(self, *all_names: object) -> None:
        self.elsewhere: dict[int, tuple[str, str]] = {}
        self.own: dict[int, tuple[str, str]] = {}
        self._special: dict[int, tuple[type, bool]] = {}
        for place, module in list(sys.modules.items()):
            if type(module) is types.ModuleType and place not in _PERSONAL:
                held = vars(module)
                holders = self.own if lies_here(held.get("__file__")) else self.elsewhere
                for name, item in list(held.items()):
                    if id(type(item)) not in _ENDS and not name.startswith("last_"):
                        holders.setdefault(id(item), (place, name))
        self.ends = {*self.elsewhere, *map(id, all_names)}

    def is_special(self, kind: type) -> bool:
        """Return whether values of a class need a closer look than what the interpreter tells."""
        known = self._special.get(id(kind))
        if known is None:
            is_type = issubclass(kind, (type, enum.Enum)) or kind is types.FunctionType
            known = self._special[id(kind)] = kind, is_type or of_class(kind) is not None
        return known[1]


class Reached:
    """All that a value leads to.

    `objects` are by identity what can change, or leads to it. `memories` are of the arrays among
    them; `lazy` of arrays in tables that are copied before they are written to (pandas), by the
    identity of the table: two tables that share them need not know of one another.
    """

    def __init__(self, value: object, surface: Surface) -> None:
        self.objects: dict[int, Any] = {}
        self.kinds: dict[int, type] = {}
        self.memories: list[Memory] = []
        self.lazy: dict[int, list[Memory]] = {}
        self._surface = surface
        self._walk([value], None)

    def shared(self) -> set[int]:
        """Return what ties names together, by identity: objects, and what owns memory."""
        return {*self.objects, *(id(memory.owner) for memory in self.memories)}

    def lazily_shared(self) -> set[int]:
        """Return what owns the memory of tables, by identity."""
        return {id(memory.owner) for held in self.lazy.values() for memory in held}

    def _walk(self, level: list[Any], lazy: list[Memory] | None) -> None:
        objects, kinds, ends = self.objects, self.kinds, self._surface.ends
        while level:
            of_level = {id(kind): kind for kind in map(type, level)}
            if of_level.keys() <= _ENDS:
                return
            fresh = {
                id(item): item
                for item in level
                if id(type(item)) not in _ENDS and id(item) not in objects
            }
            for key in fresh.keys() & ends:
                del fresh[key]
            objects.update(fresh)
            kinds.update(of_level)
            special = [i for i in fresh.values() if self._surface.is_special(type(i))]
            plain = fresh.values() if not special else _others(fresh, special)
            level = gc.get_referents(*plain)
            for item in special:
                level += self._held(item, lazy)

    def _held(self, item: Any, lazy: list[Memory] | None) -> list[Any]:
        """Return what a value leads to of which the interpreter tells too much or too little."""
        kind = type(item)
        if issubclass(kind, (type, enum.Enum)):
            del self.objects[id(item)]
            return []
        if kind is types.FunctionType:
            return self._held_by_function(item)
        adapter = of_class(kind)
        if is_constant(kind, adapter):
            del self.objects[id(item)]
            return []
        array = adapter.memory_of(item) if hasattr(adapter, "memory_of") else None
        parts = adapter.lazily_copied(item) if hasattr(adapter, "lazily_copied") else None
        if lazy is not None and (array is not None or parts is not None):
            del self.objects[id(item)]  # that it is the same object says nothing
        if array is not None:
            (self.memories if lazy is None else lazy).append(Memory(array))
            return [*adapter.items_of(item), *gc.get_referents(item)]
        if parts is not None and lazy is None:
            self._walk(parts, self.lazy.setdefault(id(item), []))
            return []
        return gc.get_referents(item) if parts is None else parts

    def _held_by_function(self, function: Any) -> list[Any]:
        """Return what a function keeps; one of a library, which all share, keeps nothing."""
        if function.__module__ != "__main__" and is_importable(function):
            del self.objects[id(function)]
            return []
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        return [*closure_of(function), *defaults, *function.__dict__.values()]


def is_importable(thing: Any) -> bool:
    """Return whether a function or class is what its module has under its name."""
    held: Any = sys.modules.get(thing.__module__)
    for part in thing.__qualname__.split("."):
        held = getattr(held, part, None)
    return held is thing


def is_constant(kind: type, adapter: Any) -> bool:
    """Return whether values of a class of a library cannot change."""
    if getattr(adapter, "is_constant", None) is not None and adapter.is_constant(kind):
        return True
    return kind.__name__ in getattr(adapter, "CONSTANTS", ())


def is_constant_value(value: Any) -> bool:
    """Return whether a value cannot change, so that it does not matter who holds it too."""
    kind = type(value)
    return kind in (tuple, frozenset, *_CONSTANTS) or is_constant(kind, of_class(kind))


def owner_of(array: Any) -> Any:
    """Return what owns the memory that an array shows: itself, another array, another value."""
    owner, base = array, getattr(array, "base", None)
    while base is not None:
        owner = base.obj if type(base) is memoryview else base
        base = getattr(owner, "base", None)
    return owner


def _others(fresh: dict[int, Any], special: list[Any]) -> list[Any]:
    left = {id(item) for item in special}
    return [item for key, item in fresh.items() if key not in left]
