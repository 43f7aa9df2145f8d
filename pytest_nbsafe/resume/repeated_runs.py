"""What a run gives when it is made again in another kernel, compared with what it gave first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from pytest_nbsafe.kernel.contract import OPEN_FIGURES, Fingerprint
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.state import asks_figures, bound_again, unexpected
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.trace.outputs.comparison import Settings, compare
from pytest_nbsafe.trace.results import undefined_name

_FUTURE = "__future__._Feature"
"""What `from __future__` binds, which is no statement to the kernel."""


def is_other(first: Executed, again: Executed, left_out: Collection[str] = ()) -> bool:
    """Return whether a run that was made again gave, or showed, something else than is known of it.

    It was made without what binds the names that are `left_out`.
    """
    return differs(first, again, left_out) or shows_other(first, again, is_whole=not left_out)


def shows_other(first: Executed, again: Executed, *, is_whole: bool = True) -> bool:
    """Return whether a run that was made again shows something else than what was reused of it.

    It is compared as the saved page is: clocks, addresses, last digits and standard error are no
    difference. What was not reused has just been shown. One that is not `is_whole` was made without
    some of its imports, and may show less: what differs below a line that is missing is not told.
    """
    if not first.reused or first.outputs == again.outputs:
        return False
    settings = Settings(now=datetime.now())  # noqa: DTZ005 - outputs show the time of this place
    other = compare(first.outputs, again.outputs, settings)
    return other is not None and other.kind != "unknown" and (is_whole or bool(other.new))


def differs(first: Executed, again: Executed, left_out: Collection[str] = ()) -> bool:
    """Return whether a run that was made again gave something else, as far as that is known.

    It was made without what binds the names that are `left_out`.
    """
    if first.status != again.status or first.event is None or again.event is None:
        return True
    was, now = first.event["after"], again.event["after"]
    bound = bound_again(first.event) | bound_again(again.event)  # to what one found there
    bound |= {*left_out}
    bound |= {name for name, held in {**was, **now}.items() if held["kind"] == _FUTURE}
    return (
        bool((was.keys() ^ now.keys()) - bound)
        or _differ(was, now)
        or _differ(unexpected(first.event), unexpected(again.event))
    )


def _differ(was: Mapping[str, Fingerprint], now: Mapping[str, Fingerprint]) -> bool:
    """Return whether a name that is in both is known to have held something else."""
    both = ((was[name]["hash"], now[name]["hash"]) for name in was.keys() & now.keys())
    return any(one != other for one, other in both if one and other)


def verify(
    memory: Memory, number: int, entry: Entry, expected: Executed, executed: Executed
) -> None:
    """Tell where a run that would have been reused comes out otherwise, and forget it."""
    if memory.verifier is None or not is_other(expected, executed):
        return
    what = "gives" if differs(expected, executed) else "shows"
    memory.verifier(f"run {number} would have been reused, but {what} something else")
    memory.store.forget([entry.id])


def has_failed(executed: Executed) -> bool:
    """Return whether a run did not come to its end."""
    reply = executed.reply
    return executed.status != "ok" or reply is None or reply["status"] != "ok"


def missed_names(executed: Executed) -> set[str]:
    """Return the names that a run did not find, those that it may have looked for by a text too.

    And what stands for the open figures, where it asked for them.
    """
    reply, event = executed.reply or {}, executed.event
    inputs = executed.inputs
    sought = inputs["sought"] if inputs is not None else ()
    figures = {OPEN_FIGURES} if event is not None and asks_figures(event) else set()
    missing = undefined_name(str(reply.get("ename")), str(reply.get("evalue")))
    return {missing or "", *sought, *figures}
