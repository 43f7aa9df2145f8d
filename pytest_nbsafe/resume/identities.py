"""Numbers of objects, so that those of one kernel are never taken for those of another."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from pytest_nbsafe.kernel.contract import CellRun, Fingerprint, StatementEvent

_BITS = 64  # of an address


class Identities:
    """Tells the objects of one kernel by numbers that no other kernel gives.

    Where a run was made again in it, its objects have the numbers that they had in the first.
    """

    def __init__(self) -> None:
        self._own = secrets.randbits(_BITS) << _BITS
        self._known: dict[int, int] = {}

    def of(self, identity: int) -> int:
        """Return the number of an object; 0, which stands for none, stays."""
        return self._known.get(identity, self._own | identity) if identity else 0

    def note(self, identity: int, number: int) -> None:
        """Note the number of an object of this kernel, which stands for one of another."""
        self._known[identity] = number

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
