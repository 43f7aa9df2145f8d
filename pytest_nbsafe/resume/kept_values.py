"""Values of runs, kept in files while the notebook goes on, and loaded into another kernel."""

from __future__ import annotations

import stat
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast

from pytest_nbsafe.kernel.checkpoint_contract import (
    CollectQuestion,
    CoVariable,
    KeepQuestion,
    Kept,
    KeptFile,
    RestoreItem,
)
from pytest_nbsafe.kernel.contract import SLOWER, Fingerprint
from pytest_nbsafe.kernel.hashes_contract import hash_at
from pytest_nbsafe.resume.keeping_budget import REST_S, Budget, worth_keeping
from pytest_nbsafe.resume.kept_entries import Moment, Part, as_kept, parts, question
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun
from pytest_nbsafe.resume.state import State
from pytest_nbsafe.runner.executed import Executed
from pytest_nbsafe.runner.kernel import StateDiffers
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.database import VALUES, Store
from pytest_nbsafe.values import dataclass

_LIMIT_S, _LOADED_BYTES_S = 60.0, 5_000_000
"""How long loading may take in any case, and how many bytes are loaded in a second at least where
nothing else is at work: measured, of lists of dictionaries. Who takes longer is stopped."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What a child was asked to keep: values as they were `then`.

    `likely_s` is how much more time it has for those that are likely to be asked for.
    """

    then: Moment
    likely_s: float = 0.0


class Keeper:
    """Keeps values of the runs of one kernel at a time, in the store of one context.

    Their files lie in `folder`.
    """

    def __init__(self, store: Store, context: str, notebook: str) -> None:
        self._store = store
        self._context = context
        self._notebook = notebook
        self.folder = store.folder / VALUES
        self._begun: dict[int, Begun] = {}
        self._budget = Budget()

    def known(self, entry: str, after: State, by_value: Collection[str]) -> tuple[KeptValue, ...]:
        """Return the co-variables that are kept of a run, each name of it once.

        `after` is what is held after it now: what it did not look at may be another value then.
        The runs of the entries that are reused `by_value` made values that are only equal to those.
        """
        known: list[KeptValue] = []
        for entry_kept in self._store.entries(self._context, question(entry)):
            names = {name for each in known for name in each.names}
            for part in cast("list[Part]", entry_kept.content["parts"]):
                kept = as_kept(part, after, by_value)
                if kept is None or not names.isdisjoint(kept.names):
                    continue
                if all(map(self._is_there, kept.covariable["files"])):
                    known.append(kept)
        return tuple(known)

    def note(self, past: Sequence[PastRun]) -> None:
        """Take note of what the last run has made, and how long that took."""
        self._budget.note(past)

    def keep_before(
        self, live: LiveKernel, now: Moment, changes: Collection[str], *, is_last: bool
    ) -> None:
        """Begin to keep what is about to be changed, and what took very long to make.

        While a child is at it, or they have computed for too long, it is left: a child costs the
        kernel time as well, for all memory that it writes to from then on is copied.
        """
        at_stake = self._budget.at_stake(changes, is_last=is_last)
        if at_stake:
            self._collect(live, 0.0)
        if at_stake and not self._begun:
            self._begin(live, now, at_stake, self._budget.left_s(), waits=False)

    def would_keep_before(self, last: Executed, changes: Collection[str]) -> bool:
        """Tell whether `keep_before` would, once the last run is noted that has been made."""
        return self._budget.would_be_at_stake(last, changes)

    def keep_all(self, live: LiveKernel, now: Moment) -> None:
        """Begin to keep what was put off, for the last cell has run.

        Each by what all runs took that it would take again. For what the last has read there is
        time of its own: that one is edited most often.
        """
        self._collect(live, 0.0)
        limit_s, last = self._budget.last_s(), now.runs[-1].reads if now.runs else frozenset()
        self._begin(live, now, self._budget.whole(limit_s), limit_s, waits=True, read=last)

    def keep_rest(self, live: LiveKernel, now: Moment) -> None:
        """Begin to keep all that the kernel holds and is not kept yet; nobody waits for it.

        Whoever asks for it later asks for another state, of which this is a part.
        """
        self._collect(live, 0.0)
        if self._begun:
            return
        self.forget()
        for number, run in enumerate(now.runs, 1):
            self.note(now.runs[:number])
            for kept in run.kept:
                self._budget.leave(kept.names)
        self._begin(live, now, self._budget.whole(), REST_S, waits=False)

    def finish(self, live: LiveKernel) -> None:
        """Wait a little for all that was begun, and note it."""
        likely_s = max((begun.likely_s for begun in self._begun.values()), default=0.0)
        self._collect(live, self._budget.last_s() + likely_s)

    def forget(self) -> None:
        """Forget what a kernel was asked to keep that is no more."""
        self._begun = {}
        self._budget.forget()

    def _begin(
        self,
        live: LiveKernel,
        now: Moment,
        owed: Mapping[str, float],
        limit_s: float,
        *,
        waits: bool,
        read: Collection[str] = (),
    ) -> None:
        """Begin to keep what took its time to make, as it is now.

        What the last cell has `read` is likely to be asked for.
        """
        names = worth_keeping(owed)
        if not names or not live.alive or self._store.silent:
            return
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
        except OSError:  # nothing can be kept there
            return
        likely = [name for name in names if name in read]
        likely_s = self._budget.likely_s(likely)
        asked: KeepQuestion = {
            "names": names,
            "took_s": {name: owed[name] for name in names},
            "folder": str(self.folder),
            "limit_s": limit_s,
            "likely": likely,
            "likely_s": likely_s,
            "waits": waits,
        }
        ticket = live.keep(asked)["ticket"]
        if not ticket:
            self._budget.note_too_short(names, limit_s)
        else:
            self._begun[ticket] = Begun(now, likely_s)
            self._budget.settle(names)

    def load(self, live: LiveKernel, values: Sequence[KeptValue]) -> Mapping[str, Fingerprint]:
        """Load co-variables into a kernel, and return what their names hold there.

        Raises:
            StateDiffers: a file is not as it was written, or its values cannot be loaded.

        """
        items = self.to_load(values)
        whole_bytes = sum(file["whole"] for item in items for file in item["files"])
        limit_s = _LIMIT_S + SLOWER * whole_bytes / _LOADED_BYTES_S
        loaded = live.restore({"folder": str(self.folder), "covariables": items}, limit_s)
        lost = [item for item, done in zip(items, loaded, strict=True) if done["cause"]]
        if lost:
            self._remove(file["name"] for item in lost for file in item["files"])
            raise StateDiffers
        return {name: value for item in loaded for name, value in item["fingerprints"].items()}

    def to_load(self, values: Sequence[KeptValue]) -> list[RestoreItem]:
        """Return how a kernel is asked to load co-variables.

        Raises:
            StateDiffers: a file is not as it was written.

        """
        covariables = [value.covariable for value in values]
        for covariable in covariables:
            names = [file["name"] for file in covariable["files"]]
            wrong = [name for name in names if hash_at(str(self.folder / name)) != name]
            if wrong:
                self._remove(wrong)
                raise StateDiffers
        return [{"names": each["names"], "files": each["files"]} for each in covariables]

    def _remove(self, names: Iterable[str]) -> None:
        """Remove files that cannot be loaded: they would be in the way for ever."""
        for name in names:
            with suppress(OSError):
                (self.folder / name).unlink()

    def _collect(self, live: LiveKernel, wait_s: float) -> None:
        """Take note of what children have kept, of those that are done after so many seconds.

        They are at work at the same time: what was waited for one has gone by for all.
        """
        until = time.monotonic() + wait_s
        for ticket in [*self._begun]:
            question: CollectQuestion = {
                "ticket": ticket,
                "wait_s": max(until - time.monotonic(), 0.0),
                "stop": wait_s > 0,
            }
            kept = live.collect(question)
            if kept["done"] or not live.alive:
                self.note_kept(ticket, kept)

    def note_kept(self, ticket: int, kept: Kept) -> None:
        """Take note of all that a child has kept, the first time that it is told."""
        begun = self._begun.pop(ticket, None)
        if begun is not None:
            self._budget.spend(kept["cost_s"])
            self._add(kept["covariables"], begun.then)

    def _add(self, covariables: Sequence[CoVariable], then: Moment) -> None:
        """Add what was kept at a moment to the store, with the runs that made it."""
        by_run: dict[str, list[Part]] = {}
        for each in covariables:
            for entry, part in parts(each, then) if not each["cause"] else ():
                by_run.setdefault(entry, []).append(part)
        runs = {run.entry: run for run in then.runs}
        for entry in by_run.keys() & runs.keys():
            files = [
                (f["name"], f["size"]) for p in by_run[entry] for f in p["covariable"]["files"]
            ]
            about = self._context, question(entry), self._notebook
            content = {"parts": by_run[entry]}
            self._store.add(*about, content, runs[entry].executed.duration_s, files)

    def _is_there(self, file: KeptFile) -> bool:
        """Return whether there is a file like the one that was written."""
        try:
            about = (self.folder / file["name"]).lstat()
        except OSError:
            return False
        return stat.S_ISREG(about.st_mode) and about.st_size == file["size"]
