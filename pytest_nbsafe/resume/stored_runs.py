"""What the store holds for the cells of a page: what would be reused now, loaded, or run again."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pytest_nbsafe.resume import following, recalling
from pytest_nbsafe.resume.catching_up import Step, needed, reached, steps
from pytest_nbsafe.resume.kept_values import Keeper
from pytest_nbsafe.resume.memory import Memory
from pytest_nbsafe.resume.past_runs import PastRun, learned
from pytest_nbsafe.resume.state import START, Held
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.store.database import Entry
from pytest_nbsafe.values import dataclass, field

_NOT_RUN_HERE = "nothing is kept of it here"
"""Nor of any other cell: that it is new cannot be told."""


@dataclass(frozen=True, slots=True)
class OtherRun:
    """A run of an earlier page: its text, when it was kept (seconds since 1970), its seconds."""

    source: str
    made: float
    took_s: float


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The run of a cell of the page, as far as the store knows it.

    `reason` says why it has to be made, empty where it is known. Of one that is known, `runs` tells
    that it is made again all the same when a kernel has to come to the state at the end of the
    page, and `loads` are the names that are loaded after it then; `files` gives the bytes of each
    file that is read for them, perhaps for those of another run, too. `others` are the runs in its
    place of earlier pages, the last first.
    """

    reason: str
    took_s: float = 0.0
    runs: bool = False
    loads: tuple[str, ...] = ()
    files: Mapping[str, int] = field(default_factory=dict)
    others: tuple[OtherRun, ...] = ()


def stored_runs(memory: Memory, sources: Sequence[str]) -> tuple[StoredRun, ...]:
    """Return what is known of each text of a page, in the order in which they run.

    What one may change is unknown where it has to run.
    """
    keeper = Keeper(memory.store, memory.context, memory.notebook)
    past: list[PastRun] = []
    reasons: list[str] = []
    state = START
    for source in sources:
        known = recalling.known_run(memory, source, past, state, None)
        if isinstance(known, str):
            token = secrets.token_hex(8)
            changed = memory.changes.get(source, ())
            after = {**state, **{name: Held("", token) for name in changed}}
            run = PastRun(token, source, Executed("ok"), state, after, learned=learned(past))
        else:
            entry, executed = known
            run = following.recalled_run(source, executed, entry, past, state, keeper)
        reasons.append(known if isinstance(known, str) else "")
        past.append(run)
        state = run.after
    wanted = needed(state, reached(state, [*state], past))
    plan, _ = steps(past, wanted, may_load=memory.keeps)
    stored = [*_runs(memory)]
    others = _others(stored, {run.entry for run in past})
    if not stored:
        reasons = [_NOT_RUN_HERE if reason == recalling.NEW else reason for reason in reasons]
    return tuple(
        _stored(run, step, reason, tuple(others.get(number, ())))
        for number, (run, step, reason) in enumerate(zip(past, plan, reasons, strict=True), 1)
    )


def _stored(run: PastRun, step: Step, reason: str, others: tuple[OtherRun, ...]) -> StoredRun:
    if reason:
        return StoredRun(reason, others=others)
    files = {file["name"]: file["size"] for kept in step.loads for file in kept.covariable["files"]}
    loads = sorted({name for kept in step.loads for name in kept.names})
    took_s = run.executed.duration_s
    return StoredRun("", took_s, step.runs, tuple(loads), files, others)


def _others(
    stored: Sequence[tuple[Entry, Mapping[str, Any]]], page: Collection[str]
) -> Mapping[int, Sequence[OtherRun]]:
    """Return the runs that are no more of the page, by their number, the last first."""
    others: dict[int, list[OtherRun]] = {}
    for entry, executed in stored:
        if entry.id not in page:
            run = OtherRun(entry.content["source"], entry.made, entry.cost_s)
            others.setdefault(executed["event"]["run"], []).append(run)
    return others


def _runs(memory: Memory) -> Iterator[tuple[Entry, Mapping[str, Any]]]:
    """Yield the runs of cells that are kept of a notebook, the last first."""
    for entry in memory.store.of_notebook(memory.context, memory.notebook):
        executed = entry.content.get("executed")
        if executed is not None:
            yield entry, executed
