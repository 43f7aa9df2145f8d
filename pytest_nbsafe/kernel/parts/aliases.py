"""Which objects the notebook's names lead to, and by which symbols: `df`, `d['a']`, `model.coef_`.

An object may have several symbols: these are aliases. No object is kept alive, nor even referred to
weakly: what is known of one goes by its number (`id`) and counts only while a path from a name
still leads to it. So an entry goes with its object, also where that takes no weak reference (dicts
and lists). No code of the user runs.

Source: Macke et al. 2021, section 3.1 (symbols, aliases). Departs: an attribute and a text key of
the same name are one symbol (`df.a`, `df['a']`).
"""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection
from typing import Any

from ..adapters import of_module
from ..functions.reach import fields, is_own
from ..identity import identity

DICTS = frozenset({dict, OrderedDict, defaultdict, Counter})
LISTS = frozenset({list, tuple})
GONE: Any = object()
MOST = 5_000
_WIDE = 200
_DEEP = 24
_MANY = 64
_KEYS = frozenset({str, int})
_BUILT_IN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range, slice)
_CODE = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
    types.MethodWrapperType, types.WrapperDescriptorType,
)  # fmt: skip
ATOMS = frozenset({*_BUILT_IN, *_CODE, type(NotImplemented), type})
scalars: set[type] = {int, float, complex, bool, str, bytes, type(None)}
"""Classes of what cannot change; those of the numbers of libraries come to it as they are met."""


class Lost(Exception):  # noqa: N818  # an answer, not an error
    """There is too much to follow, or too little to go by."""


class Aliases:
    """The objects below the names of one namespace, but those of `hidden` names.

    A path is a name, and the keys and attributes (texts, numbers from 0) below it. No more than
    `most` objects are known at a time. `dull` is for those who have seen all there is to an object:
    it is emptied when there is more. `rebound` takes the names that are met with another object
    than before: the next one may lie where the first one did.
    """

    def __init__(
        self, home: dict[str, Any], hidden: Collection[str] = (), most: int = MOST
    ) -> None:
        self.most = most
        self.home = home
        self.hidden = hidden
        self.roots: dict[str, int] = {}
        self.rebound: set[str] = set()
        self._above: dict[int, dict[tuple[int, Any], None]] = {}
        self._inside: set[int] = set()
        self._changed: list[tuple[Any, ...]] = []
        self.dull: dict[int, int] = {}

    def __len__(self) -> int:
        """Return how many objects are known."""
        return len(self._above)

    def renew(self, names: Collection[str] | None = None) -> None:
        """Look at the names, or all, that hold another object than when they were looked at."""
        for name in list(self.home) if names is None else names:
            if name in self.home and self.roots.get(name) != identity(self.home[name]):
                self.look(name)

    def look(self, name: str) -> None:
        """Learn what a name leads to now."""
        value = self.home.get(name, GONE)
        if value is GONE or name in self.hidden or type(name) is not str:
            return
        if self.roots.get(name) != identity(value):
            self.roots[name] = identity(value)
            self.rebound.add(name)
        self._learn(value, (0, name))

    def changed(self, path: tuple[Any, ...]) -> None:
        """Take note that something else may be at a path, or below it, once this is done."""
        if len(self._changed) >= _MANY:
            self._settle()
        self._changed.append(path)

    def doubt(self, path: tuple[Any, ...]) -> None:
        """Take note that what a path leads to may soon hold what is not known."""
        self._inside.discard(identity(self.at(path)))

    def is_calm(self) -> bool:
        """Return whether nothing is to be looked at again."""
        return not self._changed

    def symbols(self, value: object) -> list[tuple[Any, ...]]:
        """Return all paths that lead to an object now, none where it is not known.

        Raises:
            Lost: there are too many.

        """
        self._settle()
        if identity(value) not in self._above:
            return []
        paths = [path for path in self._up(identity(value)) if self.at(path) is value]
        if not paths:
            self._forget(identity(value))
        return paths

    def is_seen_through(self, value: object) -> bool:
        """Return whether all that an object holds is known, too."""
        return identity(value) in self._inside

    def at(self, path: tuple[Any, ...]) -> Any:
        """Return what a path leads to, `GONE` where it leads nowhere."""
        value = self.home.get(path[0], GONE)
        for key in path[1:]:
            if value is GONE:
                break
            value = below(value, key)
        return value

    def spelled(self, path: tuple[Any, ...]) -> str:
        """Return a path as a text would have it: `d['a'].x`."""
        text, value = str(path[0]), self.at(path[:1])
        for key in path[1:]:
            kind = type(value)
            field = value is not GONE and kind not in DICTS and kind.__name__ != "DataFrame"
            text += f".{key}" if field and type(key) is str else f"[{key!r}]"
            value = below(value, key) if value is not GONE else GONE
        return text

    # ------------------------------------------------------------ how it learns

    def _settle(self) -> None:
        while self._changed:
            path = self._changed.pop()
            value = self.at(path)
            if value is GONE:
                continue
            if len(path) == 1:
                self.look(path[0])
            else:
                self._learn(value, (identity(self.at(path[:-1])), path[-1]))

    def _learn(self, value: object, edge: tuple[int, Any]) -> None:
        """Note an object and all that it holds, breadth first."""
        if is_atom(value):
            return
        met = {identity(value)}
        waiting = deque([value])
        self._note(value, edge)
        while waiting:
            holder = waiting.popleft()
            held = contents(holder)
            room = self.most - len(self._above)
            if held is None or len(held) > min(_WIDE, room):
                self._inside.discard(identity(holder))
                continue
            if expands(holder):
                self._inside.add(identity(holder))
            for key, inner in held:
                if is_atom(inner):
                    continue
                self._note(inner, (identity(holder), key))
                if identity(inner) not in met:
                    met.add(identity(inner))
                    if expands(holder):
                        waiting.append(inner)

    def _note(self, value: object, edge: tuple[int, Any]) -> None:
        if len(self._above) >= self.most and identity(value) not in self._above:
            self._purge()
            if len(self._above) >= self.most:
                self._inside.discard(edge[0])
                return
        edges = self._above.setdefault(identity(value), {})
        if edge not in edges:
            edges[edge] = None
            self.dull.clear()

    def _purge(self) -> None:
        """Forget what no path leads to any more."""
        for number in list(self._above):
            if not any(identity(self.at(path)) == number for path in self._up(number)):
                self._forget(number)

    def _forget(self, number: int) -> None:
        self._above.pop(number, None)
        self._inside.discard(number)

    def _up(self, number: int) -> list[tuple[Any, ...]]:
        """Return the paths that once led to an object; a cycle is gone through once."""
        paths: list[tuple[Any, ...]] = []
        waiting: list[tuple[int, tuple[Any, ...], frozenset[int]]] = [(number, (), frozenset())]
        while waiting:
            inner, path, passed = waiting.pop()
            if len(path) > _DEEP:
                raise Lost
            for above, key in self._above.get(inner, ()):
                if above == 0:
                    paths.append((key, *path))
                elif above not in passed and above != inner:
                    waiting.append((above, (key, *path), passed | {inner}))
            if len(paths) + len(waiting) > _MANY:
                raise Lost
        return paths


# ------------------------------------------------------------------ what an object holds


def is_atom(value: object) -> bool:
    """Return whether an object cannot change, or says nothing by being the same as another."""
    kind = type(value)
    if kind in ATOMS or kind in scalars:
        return True
    if issubclass(kind, type) or (kind in (tuple, frozenset) and not value):
        return True
    adapter = of_module(type.__getattribute__(kind, "__module__"))
    if not hasattr(adapter, "is_constant") or not adapter.is_constant(kind):
        return False
    scalars.add(kind)
    return True


def expands(value: object) -> bool:
    """Return whether what an object holds is looked into as well: it is plain, or of a cell."""
    kind = type(value)
    return kind in DICTS or kind in LISTS or is_own(kind)


def contents(value: Any) -> list[tuple[Any, Any]] | None:
    """Return (key, object) for all that an object holds; None where that cannot be told."""
    kind = type(value)
    if kind in LISTS:
        return list(enumerate(value)) if len(value) <= _WIDE else None
    held: Any = value if kind in DICTS else fields(value)
    if type(held) not in DICTS or len(held) > _WIDE:
        return None
    items: list[tuple[Any, Any]] = list(dict.items(held))
    return items if all(type(key) in _KEYS for key, _ in items) else None


def below(value: Any, key: Any) -> Any:
    """Return what an object holds at a key or in an attribute, `GONE` where it holds nothing."""
    kind = type(value)
    if kind in LISTS:
        inside = type(key) is int and 0 <= key < len(value)
        return value[key] if inside else GONE
    held: Any = value if kind in DICTS else fields(value)
    return dict.get(held, key, GONE) if type(held) in DICTS else GONE
