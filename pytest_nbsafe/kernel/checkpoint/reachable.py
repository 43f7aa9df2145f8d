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
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, compress
from typing import Any

from ..adapters import of_class
from ..functions.reach import is_own, kept_by, static
from ..hashing.class_changes import has_changed
from ..hashing.function_texts import lies_here
from ..identity import identity
from . import unseen_memory
from .array_memory import CONSTANT_S, Memory

CONSTANTS: tuple[type, ...] = (
    int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range,
    dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone,
    decimal.Decimal, fractions.Fraction, uuid.UUID, type(re.compile("")), types.CodeType,
    types.ModuleType, pathlib.PurePosixPath, pathlib.PureWindowsPath, type(pathlib.Path()),
)  # fmt: skip
"""Kinds of values that cannot change, or lead nowhere."""
_ENDS = frozenset(map(identity, CONSTANTS))
_CLOSER = (type, enum.Enum, weakref.ref, types.BuiltinFunctionType)
_TOLD = ("places_of", "memory_of", "lazily_copied")
"""What adapters tell of values that the interpreter does not."""
PROXIES = frozenset(map(identity, weakref.ProxyTypes))
"""Kinds of values that stand for others, and hand on to those whatever they are asked."""
_CONTAINERS = frozenset({list, dict, set, bytearray})
"""Kinds of values that `pickle` always writes by what they hold, whoever else holds them."""
CONTAINER_S, OBJECT_S = 1.2e-6, 8e-6
TABLE_S, COLUMN_S = 5e-4, 3e-4
"""About how long it takes to keep a list, tuple or dict, another object, a table and an array in
it: measured."""
_QUICK = frozenset(map(identity, (list, tuple, dict)))
FIXED = frozenset(map(identity, (tuple, frozenset)))
"""Kinds of values that stay as they are. Of those that lead nowhere Python makes one for many."""
_NOTHING: Mapping[int, object] = types.MappingProxyType({})
_PERSONAL = frozenset({"__main__", "builtins"})
"""Modules that hold what cells made: IPython leaves the last results in `builtins`."""


class Surface:
    """Where every walk ends: at what modules hold, which all share, and at what leads to all names.

    `elsewhere` is what libraries hold, `own` what the modules of the project do, by identity.
    `special` are classes of which the interpreter tells too much or too little, `unseen` those of
    which libraries have parts to themselves, and which, `looks` those among them that may look at
    parts of others. What is known by identity has to stay alive: `holds` sees to that.
    """

    def __init__(self, *all_names: object, holds: bool = False) -> None:
        self.elsewhere: set[int] = set()
        self.own: set[int] = set()
        self.kinds: dict[int, type] = {}
        self.special: set[int] = set()
        self.unseen: dict[int, frozenset[str]] = {}
        self.looks: set[int] = set()
        self._modules: list[types.ModuleType] = []
        self._alive: list[list[Any]] = []
        self._behind: dict[int, Reached | None] = {}
        self._values: dict[int, Reached] = {}
        self._ends = {*map(identity, all_names)}
        for place, module in list(sys.modules.items()):
            if type(module) is not types.ModuleType or place in _PERSONAL:
                continue
            held = vars(module)
            if identity(held) not in self._ends:  # it may have several names itself
                holders = self.own if lies_here(held.get("__file__")) else self.elsewhere
                values = list(held.values())
                holders.update(map(identity, values))
                if holds:
                    self._alive.append(values)
                self._modules.append(module)

    def ends(self, items: Iterable[int]) -> set[int]:
        """Return where a walk ends, of the identities that it has come to."""
        return self.elsewhere.intersection(items) | self._ends.intersection(items)

    def place_of(self, item: Any) -> tuple[str, str]:
        """Return the module that holds a value, and under which name."""
        for module in self._modules:
            for name, held in list(vars(module).items()):
                if held is item:
                    return module.__name__, name
        return "", ""

    def behind(self, classes: Iterable[type]) -> set[int]:
        """Return by identity what names share that lead to these classes of cells.

        One that was not changed is a constant: nothing that it holds was changed either.
        """
        keys: set[int] = set()
        done: dict[int, type] = {}
        waiting = [*classes]
        while waiting:
            kind = waiting.pop()
            if identity(kind) in done:
                continue
            done[identity(kind)] = kind
            if identity(kind) not in self._behind:
                held = Reached(_held_by_class(kind), self) if has_changed(kind) else None
                self._behind[identity(kind)] = held
            reached = self._behind[identity(kind)]
            if reached is not None:
                objects = reached.objects.items()
                fixed = {key for key, item in objects if identity(type(item)) in FIXED}
                keys |= {identity(kind), *(reached.shared() - fixed)}
                waiting += reached.classes.values()
        return keys

    def values_of(self, kind: type) -> dict[int, Any]:
        """Return by identity what the values lead to that a class of a cell itself holds.

        Functions are none of those, and what a library makes of functions.
        """
        if identity(kind) not in self._values:
            held = [
                value
                for value in type.__dict__["__dict__"].__get__(kind).values()
                if is_own(type(value)) or static(type(value), "__get__") is None
            ]
            self._values[identity(kind)] = Reached(held, self)
        values = self._values[identity(kind)]
        return values.objects

    def add_kinds(self, kinds: Mapping[int, type]) -> None:
        """Take note of classes, by identity, and of whose objects need a closer look."""
        for key in kinds.keys() - self.kinds.keys():
            self.kinds[key] = kind = kinds[key]  # kept alive: its number must not come again
            adapter = of_class(kind)
            is_told = is_constant(kind, adapter) or any(hasattr(adapter, each) for each in _TOLD)
            if is_told or issubclass(kind, _CLOSER) or kind is types.FunctionType:
                self.special.add(key)
            libraries = unseen_memory.libraries_of(kind)
            if libraries:
                self.unseen[key] = libraries
                if unseen_memory.is_look(kind):
                    self.looks.add(key)


class Reached:
    """All that a value leads to.

    `objects` are by identity what can change, or leads to it, `kinds` their classes. `memories`
    are of the arrays among them; `lazy` of arrays in tables that are copied before they are
    written to (pandas), by the identity of the table: two that share them need not know of it.
    `inside` are parts of such tables that others may hold too, `blocks` what they keep arrays in,
    both by identity.
    `places` are where other values show memory of which nobody tells whose it is, and how much.
    `borrowed` are containers that libraries hold, by identity: those tie only names that hold them
    themselves. `classes` are those of cells, by identity. `constants` is how often something was
    met that leads nowhere. A walk also ends at what is `known` by identity, and takes note of it in
    `met`.
    """

    def __init__(
        self, value: object, surface: Surface, known: Mapping[int, object] = _NOTHING
    ) -> None:
        self.objects: dict[int, Any] = {}
        self.kinds: set[int] = set()
        self.memories: list[Memory] = []
        self.lazy: dict[int, list[Memory]] = {}
        self.inside: set[int] = set()
        self.blocks: set[int] = set()
        self.places: list[tuple[int, int]] = []
        self.borrowed: set[int] = set()
        self.met: set[int] = set()
        self.classes: dict[int, type] = {}
        self.constants = 0
        self._of_others: list[int] = []
        self._surface = surface
        self._known = known
        self._walk([value], None)
        kinds = ((key, surface.kinds[key]) for key in self.kinds)
        self.classes.update((key, kind) for key, kind in kinds if is_own(kind))

    def shared(self) -> set[int]:
        """Return what ties names together, by identity: objects, and what owns memory."""
        places = {memory.place for memory in self.memories if memory.place}
        owners = {identity(memory.owner) for memory in self.memories}
        return {*self.objects, *owners, *places, *self.blocks}

    def lazily_shared(self) -> set[int]:
        """Return what owns the memory of tables, and their parts, by identity."""
        owners = {identity(memory.owner) for held in self.lazy.values() for memory in held}
        return owners | self.inside

    def unseen(self) -> set[str]:
        """Return the libraries that have parts of it to themselves."""
        return self._libraries(self._surface.unseen.keys())

    def looks(self) -> set[str]:
        """Return the libraries of which it may look at parts of what others lead to."""
        return self._libraries(self._surface.looks)

    def count_unseen(self) -> int:
        """Return how many objects there are that may have such parts in common."""
        kinds = map(identity, map(type, self.objects.values()))
        return sum(map(self._surface.unseen.__contains__, kinds)) + len(self._of_others)

    def _libraries(self, among: Collection[int]) -> set[str]:
        unseen = self._surface.unseen
        keys = self.kinds.union(filter(None, self._of_others)).intersection(among)
        libraries = {library for key in keys for library in unseen[key]}
        return libraries | ({unseen_memory.ANY} if 0 in self._of_others else set())

    def all_memories(self) -> Iterator[Memory]:
        """Yield the memory of all arrays, of those in tables too."""
        return chain(self.memories, chain.from_iterable(self.lazy.values()))

    def _walk(self, level: list[Any], lazy: list[Memory] | None) -> None:
        surface, objects = self._surface, self.objects
        while level:
            kind_of_each = [*map(identity, map(type, level))]
            kinds = {*kind_of_each} - _ENDS
            if not kinds:
                self.constants += len(level)
                return
            if not kinds <= surface.kinds.keys():
                surface.add_kinds(dict(zip(kind_of_each, map(type, level))))  # noqa: B905  # of one length
            self.kinds |= kinds
            items = [*compress(level, map(kinds.__contains__, kind_of_each))]
            self.constants += len(level) - len(items)
            fresh = dict(zip(map(identity, items), items))  # noqa: B905  # both are of `items`
            ended = surface.ends(fresh)
            self.borrowed.update(key for key in ended if type(fresh[key]) in _CONTAINERS)
            met = fresh.keys() & self._known.keys()
            self.met |= met
            for key in ended | met | (fresh.keys() & objects.keys()):
                del fresh[key]
            objects.update(fresh)
            special: list[Any] = []
            if not kinds.isdisjoint(surface.special):
                special = [i for i in fresh.values() if identity(type(i)) in surface.special]
                items = [i for i in fresh.values() if identity(type(i)) not in surface.special]
            level = gc.get_referents(*(items if special else fresh.values()))
            for item in compress(fresh.values(), map(weakref.getweakrefcount, fresh.values())):
                level += _proxies_of(item)
            for item in special:
                level += self._held(item, lazy)

    def _held(self, item: Any, lazy: list[Memory] | None) -> list[Any]:
        """Return what a value leads to of which the interpreter tells too much or too little."""
        kind = type(item)
        if issubclass(kind, _CLOSER):
            del self.objects[identity(item)]
            if kind is types.BuiltinFunctionType:
                return [item.__self__]
            if issubclass(kind, type) and is_own(item):
                self.classes[identity(item)] = item
            return [weakref.ref.__call__(item)] if issubclass(kind, weakref.ref) else []
        if kind is types.FunctionType:
            return self._held_by_function(item)
        adapter = of_class(kind)
        if is_constant(kind, adapter):
            del self.objects[identity(item)]
            return []
        if hasattr(adapter, "places_of"):
            self.places += adapter.places_of(item)
        array = adapter.memory_of(item) if hasattr(adapter, "memory_of") else None
        parts = adapter.lazily_copied(item) if hasattr(adapter, "lazily_copied") else None
        part = adapter.part_of_table(item) if parts is not None else ""
        if lazy is not None and (array is not None or parts is not None):
            del self.objects[identity(item)]  # that two tables have the same says nothing
            if part:
                self.inside.add(identity(item))
        if array is not None:
            memory = Memory(item, array)
            (self.memories if lazy is None else lazy).append(memory)
            self._note_owner(memory.owner)
            return [*adapter.items_of(item), *gc.get_referents(item)]
        if parts is not None and lazy is None and part != "array":
            self.blocks.update(map(identity, adapter.blocks_of(item)))
            self._walk(parts, self.lazy.setdefault(identity(item), []))
            return []
        return gc.get_referents(item) if parts is None else parts

    def _note_owner(self, owner: Any) -> None:
        """Note whose memory an array shows, if it is no array's: 0 for that of nobody."""
        if owner is None:
            self._of_others.append(0)
            return
        kind = type(owner)
        self._surface.add_kinds({identity(kind): kind})
        if identity(kind) in self._surface.unseen:
            self._of_others.append(identity(kind))

    def _held_by_function(self, function: Any) -> list[Any]:
        """Return what a function keeps; one of a library, which all share, keeps nothing."""
        if function.__module__ != "__main__" and is_importable(function):
            del self.objects[identity(function)]
            return []
        held = [*kept_by(function)]
        if not held:  # it is referred to by its name
            del self.objects[identity(function)]
        return held


def keeping_s(values: Collection[Reached]) -> float:
    """Return about how many seconds it takes to write values, read them and compare them.

    What several lead to counts once.
    """
    objects: dict[int, Any] = {}
    for value in values:
        objects.update(value.objects)
    quick = sum(map(_QUICK.__contains__, map(identity, map(type, objects.values()))))
    objects_s = quick * CONTAINER_S + (len(objects) - quick) * OBJECT_S
    once = len(objects) / (sum(len(value.objects) for value in values) or 1) or 1.0
    constants_s = once * sum(value.constants for value in values) * CONSTANT_S
    arrays_s: dict[int, float] = {}
    for memory in chain.from_iterable(value.all_memories() for value in values):
        place = memory.place or identity(memory.array)
        arrays_s[place] = max(memory.cost_s, arrays_s.get(place, 0.0))
    tables = {key: len(held) for value in values for key, held in value.lazy.items()}
    tables_s = len(tables) * TABLE_S + sum(tables.values()) * COLUMN_S
    return sum(arrays_s.values()) + objects_s + constants_s + tables_s


def _held_by_class(kind: type) -> list[Any]:
    """Return what a class of a cell holds, the classes that it inherits from among it."""
    held = type.__dict__["__dict__"].__get__(kind)
    return [*held.values(), *type.__getattribute__(kind, "__mro__")[1:]]


def _proxies_of(item: Any) -> list[Any]:
    """Return what stands for a value, and tells nobody so."""
    return [each for each in weakref.getweakrefs(item) if identity(type(each)) in PROXIES]


def is_importable(thing: Any) -> bool:
    """Return whether a function or class is what its module has under its name."""
    held: Any = sys.modules.get(thing.__module__)
    for part in thing.__qualname__.split("."):
        held = getattr(held, part, None)
    return held is thing


def is_constant(kind: type, adapter: Any) -> bool:
    """Return whether values of a class of a library cannot change.

    A class without an adapter is asked nothing: one of a cell may answer with code of its own.
    """
    if adapter is None:
        return False
    if getattr(adapter, "is_constant", None) is not None and adapter.is_constant(kind):
        return True
    return kind.__name__ in getattr(adapter, "CONSTANTS", ())


def is_constant_value(value: Any) -> bool:
    """Return whether a value cannot change, so that it does not matter who holds it too."""
    kind = type(value)
    return kind in (tuple, frozenset, weakref.ref, *CONSTANTS) or is_constant(kind, of_class(kind))
