"""What was noted of the parts of names that one run read and changed, and how it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from ..contract import Access
from ..identity import identity
from .aliases import Aliases, Lost

MOST = 2_000
_PARTS = 48
_VALUES = 6


class AccessLog:
    """The reads and changes of the current run, by the cell's line and the path below a name.

    `fingerprint` gives the hash of a value, empty where it has none.
    """

    def __init__(self, registry: Aliases, fingerprint: Callable[[Any], str]) -> None:
        self.registry = registry
        self.fingerprint = fingerprint
        self.start()

    def start(self) -> None:
        """Forget the last run; what names hold now is what this one finds."""
        self._accesses: dict[tuple[int, tuple[Any, ...], bool], str] = {}
        self._stored: set[tuple[Any, ...]] = set()
        self._entered: set[str] = set()
        self._values: dict[tuple[Any, ...], str] = {}
        self.registry.rebound.clear()

    def read(self, line: int, path: tuple[Any, ...]) -> None:
        """Note a read."""
        if (line, path, False) not in self._accesses:
            self._add((line, path, False), self._values.get(path, ""))

    def change(self, line: int, path: tuple[Any, ...], *, whole: bool) -> None:
        """Note a change; `whole`: nothing that was there at the path is left."""
        self._add((line, path, True), "")
        if whole:
            self._stored.add(path)

    def enter(self, name: str) -> None:
        """Note that the run looks at what a name holds, be it what it held before."""
        if self._is_as_it_was(name):
            self._entered.add(name)

    def value(self, path: tuple[Any, ...], value: Any) -> None:
        """Take the fingerprint of a part that is read for the first time, as the run found it."""
        if path in self._values or len(self._values) >= _VALUES or len(path) < 2:
            return
        is_new = any(path[:end] in self._stored for end in range(1, len(path) + 1))
        if not is_new and self._is_as_it_was(path[0]):
            self._values[path] = self.fingerprint(value)

    def list_all(self, opaque: Collection[str]) -> list[Access]:
        """Return the accesses of the run; of a name of which nothing can be said, the whole."""
        parts_of = Counter((line, path[0], changes) for line, path, changes in self._accesses)
        accesses: dict[tuple[int, tuple[Any, ...], bool], str] = {}
        for (line, path, changes), value in self._accesses.items():
            if parts_of[line, path[0], changes] > _PARTS:
                path, value = path[:1], ""  # noqa: PLW2901  # too many parts to tell
            accesses[line, path, changes] = value
        for line, path, changes in [*accesses]:
            if changes and not self._is_as_it_was(path[0]):
                accesses[line, path[:1], True] = ""  # the name has been bound again, perhaps here
        for name in sorted({*opaque} & self.registry.home.keys()):
            accesses.update({(0, (name,), changes): "" for changes in (False, True)})
        return [self._access(*key, value) for key, value in accesses.items()]

    def _access(self, line: int, path: tuple[Any, ...], changed: bool, value: str) -> Access:  # noqa: FBT001  # a part of the key
        return {
            "line": line,
            "name": path[0],
            "path": [*path[1:]],
            "symbol": self.registry.spelled(path),
            "changed": changed,
            "own": path[0] not in self._entered,
            "hash": value,
        }

    def _add(self, key: tuple[int, tuple[Any, ...], bool], value: str) -> None:
        self._accesses[key] = value
        if len(self._accesses) > MOST:
            raise Lost("too many parts")

    def _is_as_it_was(self, name: str) -> bool:
        """Return whether a name holds what it held when the run began."""
        registry = self.registry
        is_same = registry.roots.get(name) == identity(registry.home.get(name))
        return is_same and name not in registry.rebound
