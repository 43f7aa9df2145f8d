"""Numbers of objects, so that those of one kernel are never taken for those of another."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping

from pytest_nbsafe.kernel.contract import CellRun, Fingerprint, StatementEvent

_BITS = 64  # of an address


class Identities:
    """Tells the objects of one kernel by numbers that no other kernel gives.

    Where a run was made again in it, its objects have the numbers that they had in the first. What
    comes to lie where another was, which no name holds any more, has another number.
    """

    def __init__(self) -> None:
        self._own = secrets.randbits(_BITS) << _BITS
        self._known: dict[int, int] = {}
        self._held: dict[str, int] = {}
        self._seen: frozenset[int] = frozenset()
        self._gone: dict[int, int] = {}

    def of(self, identity: int) -> int:
        """Return the number of an object; 0, which stands for none, stays."""
        fresh = self._own | identity | self._gone.get(identity, 0) << 2 * _BITS
        return self._known.get(identity, fresh) if identity else 0

    def note(self, name: str, identity: int, number: int) -> None:
        """Note the number of what a name holds in this kernel, where it stands for another's."""
        self._known[identity] = number
        self._held[name] = identity
        self._forget()

    def unbound(self, names: Iterable[str]) -> None:
        """Take note that names were removed."""
        for name in names:
            self._held.pop(name, None)
        self._forget()

    def follow(self, event: CellRun) -> None:
        """Take note of what names hold in the kernel after a run of it."""
        self._held.update((name, value["identity"]) for name, value in event["after"].items())
        self._held.update(event["bindings"])
        self._forget()

    def _forget(self) -> None:
        """Forget the objects that no name holds any more."""
        held = frozenset(self._held.values())
        for identity in self._seen - held:
            self._gone[identity] = self._gone.get(identity, 0) + 1
        self._known = {each: number for each, number in self._known.items() if each in held}
        self._seen = held

    def learn(self, again: CellRun, first: CellRun) -> None:
        """Note which objects of a run that was made again are which of the first."""
        for part in ("before", "after"):
            for name, value in again[part].items():
                was = first[part].get(name)
                if was is not None:
                    self._known[value["identity"]] = was["identity"]
        for name, identity in again["bindings"].items():
            if identity and first["bindings"].get(name):
                self._known[identity] = first["bindings"][name]
        self.follow(again)

    def told(self, event: CellRun) -> CellRun:
        """Return what the kernel told of a run, its objects by their numbers here."""
        inputs = event["inputs"]
        if inputs is not None:
            inputs = {**inputs, "unexpected": self._values(inputs["unexpected"])}
        return {
            **event,
            "inputs": inputs,
            "statements": [self._statement(statement) for statement in event["statements"]],
            "before": self._values(event["before"]),
            "after": self._values(event["after"]),
            "bindings": self._bound(event["bindings"]),
        }

    def _statement(self, statement: StatementEvent) -> StatementEvent:
        return {**statement, "bound": self._bound(statement["bound"])}

    def _bound(self, names: Mapping[str, int]) -> dict[str, int]:
        return {name: self.of(identity) for name, identity in names.items()}

    def _values(self, values: Mapping[str, Fingerprint]) -> dict[str, Fingerprint]:
        return {
            name: {**value, "identity": self.of(value["identity"])}
            for name, value in values.items()
        }
