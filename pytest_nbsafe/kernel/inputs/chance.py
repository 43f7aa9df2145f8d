"""Random numbers of a run that nothing seeded: they come from the system, at once or as a seed."""

from __future__ import annotations

import functools
import os
import random
import sys
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Any

from ..adapters import adapter_of, names
from ..functions.stand_in import exchange
from .callers import Callers, frames, is_import, module_of
from .hindrances import Hindrances
from .setting_uses import SettingUses
from .telling import Told, telling

_KIND = "unseeded"
_WORDS = "it draws random numbers that nothing seeded"
_DEEP = 12
_NAMES = frozenset({"tempfile", "uuid"})
"""Modules of Python that draw numbers to make names of them."""
_SEEDS = frozenset({"setstate", "set_state", "set_rng_state"})


class Chance:
    """Watches what the system is asked for; `seeded` are the sources that cells have seeded."""

    def __init__(self, callers: Callers, hindrances: Hindrances) -> None:
        self._callers = callers
        self._hindrances = hindrances
        self._making = False
        self._made: list[tuple[str, Any, int]] = []
        self._waiting = [*names]
        self._sources: dict[str, None] = {}
        self._asked: set[str] = set()
        self.seeded: set[str] = set()

    def install(self) -> None:
        """Listen from now on."""
        os.urandom = telling(os.urandom, self._drawn)
        random._urandom = os.urandom  # type: ignore[attr-defined]  # noqa: SLF001  # its own name
        exchange(random.Random.seed, lambda original: Told(original, self._seeded))

    def start(self) -> None:
        """Forget the last run."""
        self._made, self._sources, self._asked = [], {}, set()

    def starting(self) -> None:
        """Take note that a statement begins: libraries may have come since the last one."""
        for library in [name for name in self._waiting if name in sys.modules]:
            adapter = adapter_of(library)
            tell = getattr(adapter, "tell_generators", None)
            drawers: Any = adapter.drawers() if hasattr(adapter, "drawers") else {}
            is_told = tell is None or tell(functools.partial(self._make, library))
            if is_told and drawers is not None:
                self._waiting.remove(library)
                for function, place in drawers.items():
                    tells = functools.partial(self._drawn_from, library, place)
                    exchange(function, functools.partial(Told, tell=tells))

    def ask(self, library: str) -> None:
        """Take note that the sources of a library are set, or are asked where they stand.

        Those that stand there already are no others then, but may be when it runs again.
        """
        self._asked.add(library)

    def finish(
        self, drew: Iterable[str], settings: SettingUses, mentioned: Collection[str]
    ) -> list[str]:
        """Note what was unseeded, of generators and of the sources that were drawn from.

        `mentioned` are the names in the code that ran; where it seeds, it may have seeded the
        sources that are new, too. Returns the sources that it drew from, asked or seeded.
        """
        for library, generator, line in self._made:
            if not adapter_of(library).is_seeded(generator):
                self._hindrances.add(_KIND, _WORDS, line)
        self._made = []  # they are the notebook's to keep
        is_seeding = not _SEEDS.isdisjoint(mentioned) or any("seed" in name for name in mentioned)
        used = [*drew, *self._sources, *(settings.new if is_seeding else ())]
        known = {source: source.partition(".")[0] for source in settings.sources()}
        asks_all = not self._asked <= {*known.values(), *used}  # it sets the sources of others
        used += [s for s, lib in known.items() if asks_all or lib in self._asked]
        used = [*dict.fromkeys(used)]
        for source in used:
            if is_seeding:
                self.seeded.add(source)
            elif source not in self.seeded:
                words = f"it draws random numbers from `{source}`, which nothing seeded"
                self._hindrances.add(_KIND, words, 0)
        return used

    def _make(self, library: str, make: Callable[[], Any]) -> Any:
        """Make a generator, which is seeded by chance and may get a seed at once."""
        self._making = True
        try:
            generator = make()
        finally:
            self._making = False
        if self._hindrances.on and not any(map(is_import, frames())):
            self._made.append((library, generator, self._hindrances.line()))
        return generator

    def _drawn_from(self, library: str, place: int, /, *args: Any, **kwargs: Any) -> None:
        """Take note of a draw from a library's own source, unless it is given a seed."""
        seed = args[place] if 0 < place < len(args) else kwargs.get("seed")
        if self._hindrances.on and seed is None and not any(map(is_import, frames())):
            self._sources[library] = None

    def _drawn(self, *_: Any) -> None:
        if not self._hindrances.on or self._making or any(map(is_import, frames())):
            return  # what a library prepares when it is imported is looked at as it is used
        modules = {
            module_of(frame)
            for frame in islice(frames(), _DEEP)
            if not self._callers.library(frame)
        }
        if "tempfile" in modules or self._callers.is_kernels():
            return
        for_name = not _NAMES.isdisjoint(modules)
        if not for_name or self._callers.is_users(self._callers.beyond_python()):
            self._hindrances.add(_KIND, _WORDS)

    def _seeded(self, *args: Any, **kwargs: Any) -> None:
        if self._hindrances.on and args[0] is random._inst:  # noqa: SLF001  # the one of the module
            self.ask("random")
        if (args[1] if len(args) > 1 else kwargs.get("a")) is None:
            self._drawn()
