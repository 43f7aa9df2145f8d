"""Which object each name holds, by its `id`: nothing is kept alive.

The work for each name is done by functions of the interpreter: a notebook may have thousands.
"""

from __future__ import annotations

import operator
from itertools import compress
from typing import Any


class Identities:
    """What the names of a namespace held at one moment."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._names = list(namespace)
        self._ids = list(map(id, namespace.values()))
        if len(self._ids) != len(self._names):  # a thread of the notebook was in between
            self._ids = list(map(id, map(namespace.get, self._names)))
        self._table: dict[str, int] = {}

    def get(self, name: str) -> int:
        """Return the `id` of what a name held, 0 when it was not bound."""
        return self._by_name().get(name, 0)

    def changes(self, namespace: dict[str, Any]) -> dict[str, int]:
        """Return the names that hold another object in a namespace now, 0 for what is gone."""
        now = Identities(namespace)
        known = len(self._names)
        if now._names[:known] == self._names:
            differ = compress(range(known), map(operator.ne, self._ids, now._ids))
            found = {self._names[place]: now._ids[place] for place in differ}
            found.update(zip(now._names[known:], now._ids[known:]))  # noqa: B905  # not before 3.10
            return found
        old, new = self._by_name(), now._by_name()
        found = {name: new[name] for name in new if new[name] != old.get(name)}
        found.update((name, 0) for name in old.keys() - new.keys())
        return found

    def _by_name(self) -> dict[str, int]:
        if len(self._table) < len(self._names):
            self._table = dict(zip(self._names, self._ids))  # noqa: B905  # not before 3.10
        return self._table
