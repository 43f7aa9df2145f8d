"""Which names share objects with one, told by counting references: nothing else is looked at.

What an object's count of references says beyond those that were come across is held by something
else: another name, a library, a frame. Where nothing is left over no other name needs to be looked
at, however many there are and however much they lead to.

Source: the collector of CPython finds what nothing outside refers to in the same way.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import sys
import weakref
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import compress, islice
from operator import and_, not_
from typing import Any

from ..adapters import of_class
from ..hashing.class_changes import has_changed, has_noted, noted
from ..identity import identity
from .told_references import Look, UnknownError, look_at, refers_to

_PLAIN = frozenset(map(identity, (list, dict)))
"""Kinds of values to which no reference is weak, and of which the interpreter tells all."""
_ISLAND = __name__.partition(".checkpoint")[0]
_FEW = 64
_CALLBACK: Any = vars(weakref.ref)["__callback__"]
_ALONE = next(map(sys.getrefcount, {0: object()}.values()))
"""The count of an object that a dictionary holds, and nothing else."""


class Holders:
    """All that holds values of the notebook by itself: its names, and what IPython keeps.

    `home` are the names, `own` those of the notebook; `shown` is what IPython keeps of values that
    were shown, each as often as it is kept, `hidden` what it holds for itself. A walk ends at the
    `ends`, which lead to all names.
    """

    def __init__(
        self,
        home: dict[str, Any],
        own: Iterable[str],
        shown: Collection[object],
        ends: Iterable[object],
        hidden: Collection[object] = (),
    ) -> None:
        self.home = home
        self.own = {name: identity(home[name]) for name in own if name in home}
        self.ends = frozenset(map(identity, [*ends, vars(builtins)]))
        of_names = {*self.own.values()}
        self.shown = {identity(value): value for value in shown if identity(value) not in of_names}
        all_held = [*home.values(), *hidden, *shown, *self.shown.values()]
        self.counts = Counter(map(identity, all_held))


def holders_of(
    home: dict[str, Any], own: Iterable[str], shell: Any, result: object = None
) -> Holders:
    """Return what holds values of the notebook, `result` being what IPython made of the run."""
    hook, last = getattr(shell, "displayhook", None), getattr(shell, "last_execution_result", None)
    runs = [result] if last is result else [last, result]
    results = home.get("_oh")  # `Out` may be a name of the notebook's own
    shown = [
        *(results.values() if type(results) is dict else ()),
        *(getattr(hook, name, None) for name in ("_", "__", "___")),
        *(getattr(run, "result", None) for run in runs),
    ]
    hidden = getattr(shell, "user_ns_hidden", {})
    ends = [home, hidden, results, shell, hook, *runs]
    return Holders(home, own, shown, ends, [*hidden.values()])


def sharing(
    name: str,
    holders: Holders,
    *,
    soon: bool = False,
    by_classes: bool = True,
    most: int = sys.maxsize,
) -> list[str] | None:
    """Return the other names that hold a part of what a name leads to, sorted.

    None where something holds such a part that is neither one of the holders nor a part itself: any
    name may lead to that. With `soon` also where another name is such a holder, which would have to
    be followed, and with `most` where more values than that are at one depth. None as well where it
    leads to a class of a cell that was changed, unless what is shared `by_classes` does not count.
    """
    leads, waiting = _Leads(holders, most, by_classes=by_classes), {name}
    names: set[str] = set()
    left: set[int] = set()
    try:
        while waiting:
            names |= waiting
            if leads.counts_others():  # what they lead to would have to be followed now
                leads, waiting = _Leads(holders, most, by_classes=by_classes), names
            leads.follow([holders.home[each] for each in sorted(waiting)])
            if leads.shows_tables():
                return None  # all tables that share those columns are tied to it
            left, waiting = leads.held_elsewhere(), set()
            for count_more in (leads.count_kin, leads.count_shown):
                if left and not waiting:
                    count_more(left)
                    left = leads.held_elsewhere(left)
                    waiting = leads.held_by_names(left) if left and not soon else set()
    except UnknownError:
        return None
    return None if left else sorted(leads.names() - {name})


class _Leads:
    """What values lead to, by identity, and how often each object was come across.

    Other tables may share what lies in tables that are copied before they are written to, and need
    not know of one another: it is followed last. `_direct` is what it is not in.
    """

    def __init__(self, holders: Holders, most: int, *, by_classes: bool) -> None:
        self._holders = holders
        self._most = most
        self._by_classes = by_classes
        self._kinds_of_classes: set[int] = set()
        self._constant_classes: set[int] = set()
        self._objects: dict[int, Any] = {}
        self._direct: set[int] = set()
        self._inside: set[int] = set()
        self._others: dict[int, Any] = {}
        self._counts: Counter[int] = Counter()
        self._kinds: dict[int, type] = {}
        self._looks: dict[int, Look | None] = {}
        self._lazy: dict[int, tuple[type, bool]] = {}
        self._bases: set[int] = set()
        self._in_tables: list[Any] | None = []

    def follow(self, values: list[Any]) -> None:
        """Take in all that values lead to.

        Raises:
            UnknownError: nobody tells what that is.

        """
        in_tables: list[Any] = []
        self._in_tables = in_tables
        self._counts.subtract(map(identity, values))  # nothing referred to these
        self._walk(values, self._objects)
        self._in_tables = None
        self._walk(in_tables, self._objects)

    def held_by_names(self, wanted: set[int]) -> set[str]:
        """Return the names that were not followed and refer to one of the objects themselves."""
        names, home = self.names(), self._holders.home
        return {n for n in self._holders.own.keys() - names if refers_to(home[n], wanted)}

    def counts_others(self) -> bool:
        """Return whether references of values were counted that are no part of what was asked."""
        return bool(self._others)

    def names(self) -> set[str]:
        """Return the names of the notebook that hold a part of what was followed."""
        objects, direct = self._objects, self._direct
        return {
            name
            for name, key in self._holders.own.items()
            if key in objects
            and (key in direct or not _is_table(objects[key]) or _part_of_table(objects[key]))
        }

    def shows_tables(self) -> bool:
        """Return whether something that is no table shows what lies in one."""
        own = {*self._holders.own.values()}
        shown = (self._inside & self._direct) | (self._inside & own)
        return any(not _is_table(self._objects[key]) for key in shown & self._objects.keys())

    def held_elsewhere(self, among: Collection[int] | None = None) -> set[int]:
        """Return the objects that have other references than those that were come across.

        Only those of `among` are looked at if it is given: of the others all were known before.
        """
        return self._not_told(self._objects, self._objects if among is None else among)

    def _not_told(self, known_objects: Mapping[int, Any], among: Iterable[int]) -> set[int]:
        """Return those of some objects that have other references than those come across."""
        keys = [*among]
        objects = [*map(known_objects.__getitem__, keys)]  # one more reference to each
        known = map((_ALONE + 1).__add__, map(self._counts.__getitem__, keys))
        held = self._holders.counts
        left = {
            key
            for key, one, other in zip(keys, map(sys.getrefcount, objects), known)  # noqa: B905  # of one length
            if one != other and one != other + held[key]
        }
        for key in compress(keys, map(weakref.getweakrefcount, objects)):
            references = weakref.getweakrefs(known_objects[key])
            if not all(identity(each) in self._objects or _is_ours(each) for each in references):
                left.add(key)
        return left

    def _referred_weakly(self, reference: Any) -> list[Any]:
        """Return what a weak reference leads to, which counts for nothing.

        In tables such references tell of others that share columns until they write.
        """
        target = weakref.ref.__call__(reference)
        if self._in_tables is None and self._is_lazy(type(target)):
            return []
        self._counts[identity(target)] -= 1
        return [target]

    def _is_lazy(self, kind: type) -> bool:
        """Return whether values of a class tell who shares columns with them."""
        key = identity(kind)
        if key not in self._lazy:
            self._lazy[key] = kind, hasattr(of_class(kind), "lazy_holders_of")
        return self._lazy[key][1]

    def count_kin(self, _: Collection[int]) -> None:
        """Count the references of classes, and of tables that share columns until they write."""
        bases = {identity(base): base for kind in self._kinds.values() for base in kind.__mro__}
        for key in bases.keys() - self._bases:
            if bases[key].__module__ != "__main__":
                self._counts.update(map(identity, vars(bases[key]).values()))
        self._bases.update(bases)
        lazy = {key for key, kind in self._kinds.items() if self._is_lazy(kind)}
        for value in [*self._objects.values()] if lazy else ():
            if identity(type(value)) in lazy:
                self._count(of_class(type(value)).lazy_holders_of(value))

    def count_shown(self, left: Collection[int]) -> None:
        """Count the references of what IPython keeps because it was shown.

        Raises:
            UnknownError: what refers so to an object that is `left` is held by something else too.

        """
        if self._not_told(self._others, self._leading(left)):
            raise UnknownError

    def _leading(self, left: Collection[int]) -> set[int]:
        """Count the references of what was shown; return what of it refers to these objects."""
        leading: set[int] = set()
        for value in self._holders.shown.values():
            before, count = self._told(left), len(self._others)
            self._count([value])
            if self._told(left) != before:
                leading.update(islice(self._others, count, None))
        return leading

    def _told(self, keys: Iterable[int]) -> int:
        """Return how many references to some objects were come across."""
        return sum(map(self._counts.__getitem__, keys))

    def _count(self, values: Iterable[object]) -> None:
        for value in values:
            if identity(value) not in self._objects and identity(value) not in self._others:
                with contextlib.suppress(UnknownError):
                    self._walk([value], self._others)
                self._counts[identity(value)] -= 1

    def _walk(self, level: list[Any], into: dict[int, Any]) -> None:
        below = self._below(level, into, frozenset())
        while below:
            if len(below) > self._most:
                raise UnknownError
            below = self._below(below, into, _PLAIN)

    def _below(self, level: list[Any], into: dict[int, Any], plain: frozenset[int]) -> list[Any]:
        """Take in a level, and return all that it refers to, each object as often as it is.

        What is of a `plain` class need not be taken in if only the value refers to it by which it
        was come across: nothing else leads to it.
        """
        looks = self._looks
        found = {*_kinds(level)}  # of many values that lead nowhere nothing else is asked
        self._learn(found - looks.keys(), level)
        if self._by_classes and into is self._objects:
            self._beware_of_classes(level, found)
        followed = {key for key in found if looks[key] is not None}
        if not followed:
            return []
        held_once = _ALONE + 1  # the caller's list holds it here
        if followed != found:
            held_once += 1  # and this one
            level = [*compress(level, map(followed.__contains__, _kinds(level)))]
        below: list[Any] = []
        if not followed.isdisjoint(plain):
            is_alone = [*map(held_once.__eq__, map(sys.getrefcount, level))]
            if not followed <= plain:
                is_alone = [*map(and_, is_alone, map(plain.__contains__, _kinds(level)))]
            below = gc.get_referents(*compress(level, is_alone))
            level = [*compress(level, map(not_, is_alone))]
        keys = [*map(identity, level)]
        self._counts.update(keys)
        if into is self._objects:
            (self._inside if self._in_tables is None else self._direct).update(keys)
        fresh = dict(zip(keys, level))  # noqa: B905  # of one length
        for known in (self._objects, self._others, self._holders.ends):
            for key in fresh.keys() & known:
                del fresh[key]
        special = {key for key in followed if looks[key] is not gc.get_referents}
        ordinary = [*fresh.values()]
        if special:
            ordinary = [item for item in fresh.values() if identity(type(item)) not in special]
            for item in [item for item in fresh.values() if identity(type(item)) in special]:
                held = looks[identity(type(item))](item)  # type: ignore[misc]  # it is followed
                if issubclass(type(item), weakref.ref):
                    below += self._referred_weakly(item)
                if held is None:
                    del fresh[identity(item)]
                elif self._in_tables is not None and _is_table(item):
                    self._in_tables += held
                else:
                    below += held
        into.update(fresh)
        return below + gc.get_referents(*ordinary)

    def _learn(self, new: set[int], level: list[Any]) -> None:
        """Learn how to look at classes of which there are values in a level, mostly at its start.

        Raises:
            UnknownError: nobody tells what values of one refer to.

        """
        for part in (level[:_FEW], level) if new else ():
            by_key = dict(zip(_kinds(part), map(type, part)))  # noqa: B905  # of one length
            for key in new & by_key.keys():
                self._kinds[key], self._looks[key] = by_key[key], look_at(by_key[key])
                if issubclass(by_key[key], type):
                    self._kinds_of_classes.add(key)
            new -= by_key.keys()
            if not new:
                return

    def _beware_of_classes(self, level: list[Any], found: set[int]) -> None:
        """Give up where a class of a cell was changed that is in a level, or of an object in it.

        Raises:
            UnknownError: one was.

        """
        keys = found
        if has_noted() and not found.isdisjoint(self._kinds_of_classes):
            are_classes = map(self._kinds_of_classes.__contains__, _kinds(level))
            keys = found.union(map(identity, compress(level, are_classes)))
        keys = keys - self._constant_classes
        if any(map(has_changed, noted(keys))):
            raise UnknownError
        self._constant_classes |= keys


def _kinds(level: list[Any]) -> Iterable[int]:
    """Return the class of each value, by identity."""
    return map(identity, map(type, level))


def _is_ours(reference: Any) -> bool:
    """Return whether it is by a weak reference of the log of learning that a value is known.

    A proxy is asked nothing: what it is asked goes on to the value.
    """
    if not issubclass(type(reference), weakref.ref):
        return False
    return str(getattr(_CALLBACK.__get__(reference), "__module__", "")).startswith(_ISLAND)


def _is_table(value: object) -> bool:
    """Return whether what lies in a value is copied before it is written to."""
    adapter = of_class(type(value))
    if not hasattr(adapter, "lazily_copied") or _part_of_table(value) == "array":
        return False
    return adapter.lazily_copied(value) is not None


def _part_of_table(value: object) -> str:
    """Return which part of a table a value may be, as the adapter of its library tells."""
    adapter = of_class(type(value))
    return adapter.part_of_table(value) if hasattr(adapter, "part_of_table") else ""
