"""Which names a run may have changed besides those that it mentions: they share objects."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Mapping
from types import FunctionType
from typing import Any

from ..contract import CHANGED, OPEN_FIGURES, Fingerprint
from ..open_figures import OpenFigures
from .counted_references import holders_of, sharing
from .covariables import tied
from .inner_sharing import leads_twice
from .reachable import Surface

_MOST_S = 0.5
_MANY = 5000
"""To follow so many values takes a millisecond."""
FIXED = frozenset(
    {"module", "function", "type", "builtin_function_or_method", "NoneType", "str", "bytes"}
    | {"int", "float", "complex", "bool"}
)
"""Kinds of values that share nothing that may be changed."""


class Links:
    """Looks after each run; where a look computed for too long, it looks no more.

    `shell` is IPython's, which leads to every name of `home` and ties none together. What is open
    of the `figures` counts as one more name. While it `rests` nobody asks. What the last run
    changed in place may be `held_elsewhere`: by something that is no name.
    """

    def __init__(self, home: dict[str, Any], shell: Any) -> None:
        self._home = home
        self._shell = shell
        self._is_slow = False
        self.figures: OpenFigures | None = None
        self.rests = False
        self.held_elsewhere = False

    def of(
        self,
        before: Mapping[str, Fingerprint],
        after: Mapping[str, Fingerprint],
        own: Collection[str],
        result: object = None,
        unexpected: Mapping[str, Fingerprint] | None = None,
    ) -> dict[str, list[str]] | None:
        """Return for each name whose object a run changed in place the others that share objects.

        None where that is not known. `result` is what IPython holds of the run itself. What is
        `unexpected` of the names after it was not looked at before, and may have changed.
        """
        changed = [name for name in after if name in before and _is_changed(before, after, name)]
        changed += [n for n, held in (unexpected or {}).items() if held["kind"] not in FIXED]
        figures = self.figures.all() if self.figures is not None else []
        if self.figures is not None and self.figures.told() == CHANGED:
            changed.append(OPEN_FIGURES)
        self.held_elsewhere = bool(changed)
        if not changed:
            return {}
        if self._is_slow or self.rests:
            return None
        started = time.thread_time()
        counted = self.counted([n for n in changed if n in self._home], own, result)
        links = {name: others for name, others in counted.items() if others is not None}
        left = [name for name in changed if name not in links]
        self.held_elsewhere = bool(left)
        if left:
            links.update(self._searched(left, own, figures))
        for name in [n for n in links if type(self._home.get(n)) is FunctionType]:
            links[name] = sorted({*links[name], *self._aliases(name, own)})
        self._is_slow = time.thread_time() - started > _MOST_S
        return links

    def shared(
        self,
        names: Iterable[str],
        links: Mapping[str, list[str]] | None,
        own: Collection[str],
        result: object = None,
    ) -> dict[str, list[str]]:
        """Return the others that share objects with each name that a run has bound or changed.

        A name is itself among them where it leads to an object in two ways. What takes long to
        tell is left out, and what counting does not tell. `links` are those of what was changed.
        """
        if self._is_slow or self.rests:
            return {}
        bound = [name for name in names if name in self._home]
        counted = self.counted(bound, own, result, most=_MANY) if bound else {}
        counted.update(links or {})
        figures = (links or {}).get(OPEN_FIGURES, ())
        for name in counted.keys() & figures:  # nobody counts in a figure: they were followed
            counted[name] = [OPEN_FIGURES, *(other for other in figures if other != name)]
        followed = {OPEN_FIGURES, *figures}
        shared = {}
        for name, others in counted.items():
            if others is None or (name not in self._home and name != OPEN_FIGURES):
                continue
            twice = name in followed or leads_twice(self._home[name])
            if twice is not None:
                shared[name] = [*others, name] if twice else others
        return shared

    def counted(
        self,
        names: Collection[str],
        own: Collection[str],
        result: object = None,
        *,
        most: int = sys.maxsize,
    ) -> dict[str, list[str] | None]:
        """Return the links of names, None of those for which counting references is not enough.

        Or for which more than `most` values would have to be looked at.
        """
        holders = holders_of(self._home, own, self._shell, result)
        return {name: sharing(name, holders, most=most) for name in names}

    def _aliases(self, name: str, own: Iterable[str]) -> Iterable[str]:
        """Yield the other names of an object: a walk ends at functions that keep nothing."""
        held = self._home[name]
        return (other for other in own if other != name and self._home.get(other) is held)

    def _searched(
        self, changed: Collection[str], own: Collection[str], figures: list[Any]
    ) -> dict[str, list[str]]:
        """Return the links of names, found by following all names."""
        home = {**self._home, OPEN_FIGURES: figures} if figures else self._home
        surface = Surface(self._home, self._shell, holds=True)
        return tied(home, [*own, OPEN_FIGURES], changed, surface)


def _is_changed(
    before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint], name: str
) -> bool:
    was, now = before[name], after[name]
    if was["identity"] != now["identity"]:
        return False
    return not now["hash"] or was["hash"] != now["hash"]
