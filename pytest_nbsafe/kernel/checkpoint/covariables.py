"""Which names of the notebook share objects, and so are kept and restored together.

Source: Li et al., Kishu, section 4. Departs: tables that are copied before they are written to
(pandas) do not tie names together, and library objects that all share never do.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ..adapters import of_class
from ..functions.reach import fields, is_own
from ..identity import identity
from . import unseen_memory
from .array_memory import CONSTANT_S, has_objects, memory_s
from .counted_references import Holders, sharing
from .reachable import (
    COLUMN_S,
    CONSTANTS,
    CONTAINER_S,
    OBJECT_S,
    TABLE_S,
    Reached,
    Surface,
    keeping_s,
)

_CONTAINERS = frozenset({list, dict, set, tuple, frozenset})
_FEW, _DEEP = 8, 3
"""How many parts of a container are looked at, and how deep, to guess what all of it takes."""
_TEXTS, _CHARACTER_S = frozenset({str, bytes}), 6e-9
"""A part of a text is written, read and compared, each time in pages of its own: measured."""
_PAYS = 0.5
"""How much of what a value took to make keeping it may take: most are never asked for."""
_UNKNOWN_S = 0.02
"""What may be anything comes after what is surely small."""


class Group:
    """A co-variable: its names in order, with what each leads to.

    Of a part of one, `left_out` are the names that share objects with it.
    """

    __slots__ = ("_cost_s", "left_out", "reached")

    def __init__(self, reached: dict[str, Reached], left_out: Iterable[str] = ()) -> None:
        self.reached = reached
        self.left_out = frozenset(left_out)
        self._cost_s: float | None = None

    @property
    def names(self) -> list[str]:
        """The names, sorted."""
        return sorted(self.reached)

    def cost_s(self) -> float:
        """Return about how many seconds it takes to keep the values."""
        if self._cost_s is None:
            self._cost_s = keeping_s(self.reached.values())
        return self._cost_s

    def may_share_unseen(self) -> bool:
        """Return whether objects may have parts in common that nobody sees, nor pickle keeps."""
        values = self.reached.values()
        return any(v.looks() for v in values) and sum(v.count_unseen() for v in values) > 1

    def part(self, name: str) -> Group:
        """Return one of its names, all others left out."""
        others = self.left_out.union(self.reached) - {name}
        return Group({name: self.reached[name]}, others)


def found_one_by_one(
    holders: Holders,
    asked: Iterable[str],
    surface: Surface,
    worth_s: Mapping[str, float],
    left_s: Callable[[], float],
) -> Iterator[Group]:
    """Yield the co-variables of the names: first those that are soon kept, by what it is worth.

    Each is found by counting references, which looks at no other; then those for which others have
    to be followed; what is left at last by following all names. `left_s` tells how long may be
    computed yet: what would take longer is left, and all of the last where following all names
    would. Of a co-variable that would, or that is sooner made again, a name comes alone.
    """
    home = holders.home
    done: set[str] = set()
    left = [name for name in asked if name in holders.own]
    guessed_s = {name: guess_s(home[name]) for name in holders.own}
    follow_s = sum(guess_s(home[name], follows=True) for name in holders.own) / 2
    for soon in (True, False):
        waiting, left = _Waiting({name: guessed_s[name] for name in left}, worth_s), []
        while waiting and (soon or left_s() > follow_s):
            name, cost_s = waiting.next()
            if name in done or cost_s > left_s():
                continue
            others = sharing(name, holders, soon=soon, by_classes=False)
            if others is None:
                left.append(name)
                continue
            fits = sum(guessed_s[each] for each in others) <= left_s()
            found = sorted((name, *others)) if fits else [name]
            reached = {each: Reached(home[each], surface) for each in found}
            group = Group(reached, () if fits else others)
            if others and fits and not pays(group, worth_s, left_s()):
                group = group.part(name)
            if not waiting.put_off(name, group.cost_s()):
                done.update(group.reached)
                yield group
            del group, reached  # what they refer to is counted
    if left and left_s() > follow_s:
        yield from groups(home, holders.own, left, surface)


def pays(group: Group, worth_s: Mapping[str, float], left_s: float) -> bool:
    """Return whether there is time to keep a co-variable, and it would not be sooner made again.

    What it took to make is not known where nothing is said of any name.
    """
    cost_s = group.cost_s()
    most_s = _PAYS * max(worth_s.get(name, 0.0) for name in group.names) if worth_s else cost_s
    return cost_s <= min(most_s, left_s)


class _Waiting:
    """Names that wait for their turn, by what it takes to keep a second of what made them.

    What that takes is guessed until a name has had its turn once.
    """

    def __init__(self, guessed_s: Mapping[str, float], worth_s: Mapping[str, float]) -> None:
        self._worth_s = worth_s
        self._known: set[str] = set()
        self._queue: list[tuple[float, str, float]] = []
        for name, cost_s in guessed_s.items():
            self._put(name, cost_s)

    def __bool__(self) -> bool:
        return bool(self._queue)

    def next(self) -> tuple[str, float]:
        """Return the name whose turn it is, and about how many seconds it takes to keep it."""
        _, name, cost_s = heapq.heappop(self._queue)
        return name, cost_s

    def put_off(self, name: str, cost_s: float) -> bool:
        """Let others go first where they are now worth more; return whether that is so."""
        if name in self._known:
            return False
        self._known.add(name)
        rank = cost_s / (self._worth_s.get(name) or 1.0)
        if not self._queue or rank <= self._queue[0][0]:
            return False
        self._put(name, cost_s)
        return True

    def _put(self, name: str, cost_s: float) -> None:
        heapq.heappush(self._queue, (cost_s / (self._worth_s.get(name) or 1.0), name, cost_s))


def guess_s(value: object, depth: int = _DEEP, *, follows: bool = False) -> float:
    """Return about how many seconds it takes to keep a value, by a few of the parts it has.

    With `follows` only how long it takes to follow it: nothing reads what lies in arrays and texts.
    """
    kind = type(value)
    if kind in CONSTANTS:
        size = len(value) if kind in _TEXTS else 0  # type: ignore[arg-type]  # it has one
        return CONSTANT_S + (0.0 if follows else size * _CHARACTER_S)
    if kind in _CONTAINERS:
        held: Any = value
        parts = held, *([held.values()] if kind is dict else [])
        own_s = OBJECT_S if issubclass(kind, (set, frozenset)) else CONTAINER_S
        return own_s + sum(_guess_of_all_s(each, depth, follows=follows) for each in parts)
    attributes = fields(value) if depth and is_own(kind) else None
    if attributes is not None:
        return OBJECT_S + guess_s(attributes, depth, follows=follows)
    adapter = of_class(kind)
    columns = _columns(value)
    if columns:
        columns_s = (COLUMN_S + guess_s(column, depth, follows=follows) for column in columns)
        return TABLE_S + sum(columns_s)
    held_bytes = getattr(value, "nbytes", None) if adapter is not None else None
    if type(held_bytes) is not int:
        return _UNKNOWN_S
    is_array = hasattr(adapter, "memory_of") and adapter.memory_of(value) is not None
    if follows and not (is_array and has_objects(value)):
        return OBJECT_S
    return OBJECT_S + (memory_s(value, held_bytes) if is_array else held_bytes * _CHARACTER_S)


def _columns(value: object) -> list[Any]:
    """Return what a table is made of, axes and all; of one that is copied at once its columns."""
    adapter = of_class(type(value))
    if not hasattr(adapter, "lazily_copied"):
        return []
    parts: list[Any] | None = adapter.lazily_copied(value)
    table = adapter.table_of(value) if parts is None else None
    found = [*(parts or ()), *(table.columns if table is not None else ())]
    return [column for part in found for column in (_columns(part) or [part])]


def _guess_of_all_s(parts: Collection[object], depth: int, *, follows: bool) -> float:
    few = [
        guess_s(part, depth - 1, follows=follows) for part in islice(parts, _FEW if depth else 0)
    ]
    return len(parts) * (sum(few) / len(few) if few else CONTAINER_S)


def groups(
    home: dict[str, Any], own: Iterable[str], asked: Iterable[str], surface: Surface
) -> list[Group]:
    """Return the co-variables that some of the names belong to, as those names stand in order."""
    reached = {name: Reached(home[name], surface) for name in sorted(own) if name in home}
    leader = _leaders(home, reached)
    parts: dict[str, dict[str, Reached]] = {}
    for name, value in reached.items():
        parts.setdefault(_first(leader, name), {})[name] = value
    order = dict.fromkeys(_first(leader, name) for name in asked if name in reached)
    return [Group(parts[first]) for first in order]


def tied(
    home: dict[str, Any], own: Iterable[str], asked: Collection[str], surface: Surface
) -> dict[str, list[str]]:
    """Return for each name that is asked for the other names of its co-variable, in order.

    What another name leads to is not followed once more: of a figure, each part leads to all.
    """
    reached: dict[str, Reached] = {}
    known: dict[int, str] = {}
    for name in sorted(own):
        if name in home:
            reached[name] = value = Reached(home[name], surface, known)
            if not value.lazy:  # of what lies in a table it hangs on the way whether it is shared
                known.update(dict.fromkeys(value.objects, name))
    leader = _leaders(home, reached)
    for name, value in reached.items():
        for other in set(map(known.__getitem__, value.met)):
            _join(leader, name, other)
    _join_by_classes(leader, reached, surface)
    names: dict[str, list[str]] = {}
    for name in sorted(leader):
        names.setdefault(_first(leader, name), []).append(name)
    return {
        name: [other for other in names[_first(leader, name)] if other != name]
        for name in asked
        if name in leader
    }


def _leaders(home: Mapping[str, Any], reached: Mapping[str, Reached]) -> dict[str, str]:
    """Return for each name another one, or itself, of its co-variable: see `_first`."""
    leader = {name: name for name in reached}
    holders: dict[int, str] = {}
    for name, value in reached.items():
        shared = value.shared()
        for key in shared & holders.keys():
            _join(leader, name, holders[key])
        holders.update(dict.fromkeys(shared, name))
    for name, value in reached.items():
        for key in value.lazily_shared() & holders.keys():
            _join(leader, name, holders[key])
    _join_by_places(leader, reached)
    _join_by_libraries(leader, reached)
    named = {identity(home[name]): name for name in reached}
    for name, value in reached.items():
        for key in value.borrowed & named.keys():
            _join(leader, name, named[key])
    return leader


def _join_by_places(leader: dict[str, str], reached: Mapping[str, Reached]) -> None:
    """Join the names that show memory of arrays with those that lead to these arrays."""
    if not any(value.places for value in reached.values()):
        return
    ends: dict[int, int] = {}
    holders: dict[int, list[str]] = {}
    for name, value in reached.items():
        for memory in value.all_memories():
            start = -memory.place
            if start:
                ends[start] = max(ends.get(start, start), start + memory.size)
                holders.setdefault(start, []).append(name)
    starts = sorted(ends)
    for name, value in reached.items():
        for place, size in value.places:
            at = bisect.bisect_left(starts, place + size) - 1
            while at >= 0 and ends[starts[at]] > place:  # what others own does not overlap
                for other in holders[starts[at]]:
                    _join(leader, name, other)
                at -= 1


def _join_by_libraries(leader: dict[str, str], reached: Mapping[str, Reached]) -> None:
    """Join the names that may look at what a library has to itself with those that lead to it."""
    unseen = {name: libraries for name, value in reached.items() if (libraries := value.unseen())}
    looks = {name: reached[name].looks() for name in unseen}
    for library in set().union(*looks.values()):
        names = [n for n in unseen if library in unseen[n] or library == unseen_memory.ANY]
        for name in names:
            _join(leader, name, names[0])


def _join_by_classes(
    leader: dict[str, str], reached: Mapping[str, Reached], surface: Surface
) -> None:
    """Join the names that share what a class holds that was changed.

    They are not kept together for that: in files a class is its name.
    """
    holders: dict[int, str] = {}
    for name, value in reached.items():
        for key in surface.behind(value.classes.values()):
            _join(leader, name, holders.setdefault(key, name))
    for name, value in reached.items() if holders else ():
        for key in value.shared() & holders.keys():
            _join(leader, name, holders[key])


def _first(leader: dict[str, str], name: str) -> str:
    while leader[name] != name:
        leader[name] = name = leader[leader[name]]
    return name


def _join(leader: dict[str, str], name: str, other: str) -> None:
    leader[_first(leader, other)] = _first(leader, name)
