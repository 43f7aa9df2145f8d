"""Which names differ between two states of a notebook's kernel, and how."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from pytest_nbsafe.judge.rerun_evidence import difference
from pytest_nbsafe.trace.results import Holding, Value, compared
from pytest_nbsafe.trace.side_runs import Aspects
from pytest_nbsafe.values import dataclass

_NO_VALUE = frozenset({"module"})


@dataclass(frozen=True, slots=True)
class DescribedState:
    """What the names of a kernel hold, each with a few words on its value where there are any.

    `where` says when that was: "after cell 3".
    """

    where: str
    holding: Holding
    aspects: Mapping[str, Aspects]


@dataclass(frozen=True, slots=True)
class NameDifference:
    """A name that differs between two states.

    `how` says it in words: "`x` shape (2, 3) -> (2, 2)". `kind` is "changed", or "added" or
    "removed" where only the second or the first state has it.
    """

    name: str
    kind: Literal["changed", "added", "removed"]
    how: str


@dataclass(frozen=True, slots=True)
class StateDifferences:
    """The names that differ, in order, and those of which that is not known."""

    differing: tuple[NameDifference, ...]
    unknown: tuple[str, ...]


def differences(
    old: DescribedState, new: DescribedState, touched: Collection[str] | None = None
) -> StateDifferences:
    """Return how the second of two states differs from the first.

    `touched` are the names that the runs between the two accessed, None for states of two kernels.
    """
    was, now = old.holding.comparable, new.holding.comparable
    if touched is not None:
        was, now = old.holding.names, new.holding.names
    differing: list[NameDifference] = []
    unknown: list[str] = []
    for name in sorted(was.keys() | now.keys()):
        if any(value.kind in _NO_VALUE for value in _values(name, was, now)):
            continue
        answer = compared(name, was, now)
        if answer == "gone":
            differing.append(_only_one(name, old, new))
        elif answer == "differs":
            words = difference(name, old.aspects.get(name, {}), new.aspects.get(name, {}))
            words = words or f"`{name}` holds a different value"
            differing.append(NameDifference(name, "changed", words))
        elif answer != "same" and (touched is None or name in touched):
            unknown.append(name)
    return StateDifferences(tuple(differing), tuple(unknown))


def _only_one(name: str, old: DescribedState, new: DescribedState) -> NameDifference:
    """Return what to say of a name that one state alone has."""
    is_new = name in new.holding.names
    state = new if is_new else old
    words = next((_described(*first) for first in state.aspects.get(name, {}).items()), "")
    how = f"`{name}` only {state.where}{words and f': {words}'}"
    return NameDifference(name, "added" if is_new else "removed", how)


def _described(aspect: str, value: str) -> str:
    return value if aspect == "value" else f"{aspect} {value}"


def _values(name: str, *states: Mapping[str, Value]) -> list[Value]:
    return [state[name] for state in states if name in state]
