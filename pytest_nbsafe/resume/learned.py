"""What is known of learning after some runs: of the log as a whole, and of the objects in names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_nbsafe.kernel.learning_contract import NOTHING, LogNote
from pytest_nbsafe.resume.positions import Place
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Learned:
    """What stands for all that was learned, and for what is known of the objects in each name.

    `state` is what a kernel told, followed by what stands for the runs that learned since of which
    none can tell; `places` are all those where it was, None where nobody can tell. `others` holds
    for all names that are not among the `names`. Empty texts stand for what nobody can tell.
    """

    state: tuple[str, ...]
    places: tuple[Place, ...] | None
    names: Mapping[str, str]
    others: str = NOTHING

    def of(self, name: str) -> str:
        """Return what stands for that which is known of the objects in a name."""
        return self.names.get(name, self.others)


NOTHING_LEARNED = Learned((), (), {})
"""What is known in a fresh kernel."""


def told(before: Learned, note: LogNote) -> Learned:
    """Return what is known after a run that told it."""
    places = before.places
    if places is not None:
        places += tuple((what, number, line) for what, number, line in note["places"])
    return Learned((note["state"],), places, {**before.names, **note["holds"]}, before.others)


def untold(before: Learned, mark: str, changed: Iterable[str]) -> Learned:
    """Return what is known after a run of which nobody told it.

    `mark` stands for the run if it has learned, else it is empty; it has `changed` some names.
    """
    if mark:
        return Learned((*before.state, mark), None, {}, "")
    names = dict.fromkeys(changed, "" if before.state else NOTHING)
    return Learned(before.state, before.places, {**before.names, **names}, before.others)


def is_as_then(content: Mapping[str, Any], now: Learned, anew: Iterable[str]) -> bool:
    """Return whether the same is known now as was when an entry with this content was made.

    Of the names that hold other objects than then, of equal value, it has to be known.
    """
    then = content["known"]
    return now.state == tuple(content["learned"]) and all(
        then[name] == now.of(name) != "" for name in anew
    )
