"""Which names a run may have changed besides those that it mentions: they share objects."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping
from typing import Any

from ..contract import Fingerprint
from .covariables import groups
from .reachable import Surface

_MOST_S = 0.5


class Links:
    """Looks after each run; where a look computed for too long, it looks no more.

    `all_names` lead to every name, and tie none together.
    """

    def __init__(self, home: dict[str, Any], *all_names: object) -> None:
        self._home = home
        self._all_names = all_names
        self._surface: Surface | None = None
        self._modules = 0
        self._is_slow = False

    def of(
        self,
        before: Mapping[str, Fingerprint],
        after: Mapping[str, Fingerprint],
        own: Collection[str],
    ) -> dict[str, list[str]] | None:
        """Return for each name whose object a run changed in place the others that share objects.

        None where that is not known.
        """
        changed = [name for name in after if name in before and _is_changed(before, after, name)]
        if not changed:
            return {}
        if self._is_slow:
            return None
        started = time.thread_time()
        if self._surface is None or self._modules != len(sys.modules):
            self._surface, self._modules = Surface(*self._all_names), len(sys.modules)
        links = {}
        for group in groups(self._home, own, changed, self._surface):
            names = group.names
            for name in set(names).intersection(changed):
                links[name] = [other for other in names if other != name]
        self._is_slow = time.thread_time() - started > _MOST_S
        return links


def _is_changed(
    before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint], name: str
) -> bool:
    was, now = before[name], after[name]
    if was["identity"] != now["identity"]:
        return False
    return not now["hash"] or was["hash"] != now["hash"]
