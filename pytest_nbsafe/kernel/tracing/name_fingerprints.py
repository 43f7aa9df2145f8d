"""What names held before a run and after it, with no second look where one cannot tell more."""

from __future__ import annotations

import ast
import threading
from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

from ..adapters import of_class, says
from ..contract import HOME, Fingerprint
from ..hashing.hasher import TOO_LARGE
from ..hashing.snapshot import Snapshot
from .lambda_changes import LambdaChanges
from .names import names_of
from .read_only_uses import goes_side_ways, is_alone, only_looked_at

_HEAVY = 75_000  # see `hasher.NODE_WORK`: what takes about 0.3 ms on a machine of today


class NameFingerprints:
    """Fingerprints of the names that a run could access.

    What the last run left is known at the start of the next. A value that was much work to read
    and that nothing else refers to stays known (`kept`) until a cell does more than look at it:
    `heavy` is how much. The work is counted, so that no busy machine is told anything else. Of a
    value that is too large to compare it may be known all the same that the last run has left it
    `unchanged`.
    """

    def __init__(self, shell: Any, snapshot: Snapshot, heavy: int = _HEAVY) -> None:
        self.heavy = heavy
        self.home: dict[str, Any] = shell.user_ns
        self.hidden: Mapping[str, Any] = shell.user_ns_hidden
        self.snapshot = snapshot
        self.names: set[str] = set()
        self.before: dict[str, Fingerprint] = {}
        self.unchanged: set[str] = set()
        self._idle: set[str] = set()
        self._texts = 0
        self._last: dict[str, Fingerprint] = {}
        self._kept: dict[str, Fingerprint] = {}
        self._heavy: dict[str, bool] = {}
        self._deferred: set[str] = set()
        self._threads = 0
        self._lambdas = LambdaChanges(self.home)

    def start_run(self) -> None:
        """Forget what was asked of the last run."""
        self.names, self.before, self._idle, self.unchanged = set(), {}, set(), set()
        self._texts = 0

    def read(self, tree: ast.Module, raw: str) -> None:
        """Take the fingerprints of what a text, about to run, could access."""
        names = names_of(tree, self.home, self._deferred) - self.names
        if "lambda" in raw:
            self._lambdas.read(tree)
        open_text = bool(self._heavy) and goes_side_ways(raw)
        if open_text or threading.active_count() > self._threads:
            self._kept = {}
        known = self.known()
        self.names |= names
        self.before.update(self._fingerprints(names, known))
        self._last = {}  # from here on cells change things
        self._texts += 1
        plain = self._texts == 1 and not open_text and bool(self._heavy)
        self._idle = self._only_looked_at(tree) if plain else set()

    def finish(self, wanted: set[str], bound: set[str]) -> dict[str, Fingerprint]:
        """Return the fingerprints after the run; `bound` are the names that were bound in it."""
        known = {name: self.before[name] for name in self._idle & self.before.keys() - bound}
        after = self._fingerprints(wanted, known)
        self.unchanged = {n for n, old in known.items() if not old["hash"] and after.get(n) is old}
        if self._kept:
            for name in bound | wanted | self._deferred:
                self._kept.pop(name, None)
        for name in self._heavy.keys() & after.keys():
            if self._heavy[name] and name not in self._deferred and is_alone(self.home, name):
                self._kept[name] = after[name]
        self._last, self._threads = after, threading.active_count()
        return after

    def compared(self) -> dict[str, Fingerprint]:
        """Return what names held before the run, without those that it has left unchanged."""
        return {name: was for name, was in self.before.items() if name not in self.unchanged}

    def unexpected(self, called: Collection[str], own: Collection[str]) -> dict[str, Fingerprint]:
        """Return the fingerprints after the run of `own` names that it accessed unexpectedly.

        `called` are the words of the functions that it has called. What lambdas have changed is
        among them.
        """
        names = {*own}.intersection(called) - self.names - self._last.keys()
        found = self._fingerprints(names, {})
        told = {**self._last, **found}
        small = {*own} - self._heavy.keys()
        by_lambdas = self._lambdas.changed(
            small, told, self._fingerprint, lambda: self.snapshot.work
        )
        found.update(by_lambdas)
        self._last = {**self._last, **found}
        return found

    def known(self) -> dict[str, Fingerprint]:
        """Return the fingerprints that still hold for names, as long as no cell runs."""
        joined = threading.active_count() > self._threads
        return {} if joined else {**self._kept, **self._last}

    def forget(self, names: Collection[str]) -> None:
        """Take no more for known what names hold that were bound outside of a run."""
        for name in names:
            self._last.pop(name, None)
            self._kept.pop(name, None)

    def _fingerprints(
        self, names: set[str], known: dict[str, Fingerprint]
    ) -> dict[str, Fingerprint]:
        fingerprints = {}
        for name in sorted(names):
            if name not in self.home or self.hidden.get(name, self) is self.home[name]:
                continue
            old = known.get(name)
            if old is not None and old["identity"] == id(self.home[name]):
                fingerprints[name] = old
            else:
                fingerprints[name] = self._fingerprint(name)
        return fingerprints

    def _fingerprint(self, name: str) -> Fingerprint:
        value = self.home[name]
        kind = type(value)
        if value is self.home or (kind is ModuleType and vars(value) is self.home):
            return {**self.snapshot.look(value)[0], "kind": HOME}
        if kind is int or kind is float or kind is bool or value is None:
            self._heavy.pop(name, None)
            return self.snapshot.look(value)[0]
        fingerprint, flat = self.snapshot.look(value)
        if self.snapshot.work > self.heavy or fingerprint["cause"] == TOO_LARGE:
            self._heavy[name] = flat or says("is_flat", value)
        else:
            self._heavy.pop(name, None)
        return fingerprint

    def _only_looked_at(self, tree: ast.Module) -> set[str]:
        """Return the heavy names that a text surely does not change."""
        heavy = self.names & self._heavy.keys() & self.home.keys() - self._deferred
        flat = {name for name in heavy if self._heavy[name] and is_alone(self.home, name)}
        unchanged: set[str] = set()
        for adapter, names in self._by_adapter(flat):
            if hasattr(adapter, "only_looked_at"):
                unchanged |= adapter.only_looked_at(tree, names, self.home, self._deferred)
            else:
                unchanged |= only_looked_at(tree, names, self.home)
        for adapter, names in self._by_adapter(heavy - flat):
            if hasattr(adapter, "changed_names"):
                changed = adapter.changed_names(tree, names, self.home)
                unchanged |= self._others(names, changed) if changed is not None else set()
        return unchanged

    def _by_adapter(self, names: set[str]) -> list[tuple[Any, set[str]]]:
        """Return names with what knows the library of their values, those of one together."""
        found: dict[int, tuple[Any, set[str]]] = {}
        for name in names:
            adapter = of_class(type(self.home[name]))
            found.setdefault(id(adapter), (adapter, set()))[1].add(name)
        return [*found.values()]

    def _others(self, names: set[str], changed: set[str]) -> set[str]:
        """Return the names that hold none of the objects that are changed."""
        objects = {id(self.home[name]) for name in changed if name in self.home}
        return {name for name in names - changed if id(self.home[name]) not in objects}
