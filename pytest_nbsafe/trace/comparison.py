"""How what one run gave compares with what another gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pytest_nbsafe.trace.results import Value

Comparison = Literal["same", "differs", "gone", "nothing-to-compare", "nondeterministic", "drift"]
"""The answers of every comparison of two runs.

"same": both are known, and equal. "differs": both are known, and not equal. "gone": one of the two
runs has no such name; who asks decides what that proves, since a run that failed has made no names
either. "nothing-to-compare": one of the two cannot be fingerprinted, or shows no text.
"nondeterministic": they are not the same, but neither are the second run and its repetition.
"drift" (of outputs alone): they differ, but so do those of cells that nobody suspects.
"""


def compared(
    name: str,
    held: Mapping[str, Value | None],
    other: Mapping[str, Value | None],
    repeated: Mapping[str, Value | None] | None = None,
    *,
    in_one_kernel: bool = False,
) -> Comparison:
    """Return how what a name holds in one run compares with what it holds in another.

    `repeated` is the other run again, where it was repeated: what the two do not agree on is
    chance. A name that neither run has is the same. Of two moments `in_one_kernel` a value that
    cannot be fingerprinted is compared by its object.
    """
    value, now = held.get(name), other.get(name)
    if value is None or now is None:
        if value is now:
            return "same"
        by_chance = repeated is not None and (repeated.get(name) is None) != (now is None)
        return "nondeterministic" if by_chance else "gone"
    if not value.hash or not now.hash:
        return _by_object(value, now) if in_one_kernel else "nothing-to-compare"
    if value.hash == now.hash:
        return "same"
    again = now if repeated is None else repeated.get(name)
    return "differs" if again is not None and again.hash == now.hash else "nondeterministic"


def _by_object(value: Value, now: Value) -> Comparison:
    """Return how two values of one kernel compare, of which one at least has no fingerprint.

    One object that had a fingerprint and has none any more may have changed, or not.
    """
    if value.identity != now.identity:
        return "differs"
    return "nothing-to-compare" if value.hash or now.hash else "same"
