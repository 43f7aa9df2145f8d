"""Values of runs, kept in files while the notebook goes on, and loaded into another kernel."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import cast

from pytest_nbsafe.kernel.checkpoint_contract import CoVariable, RestoreItem
from pytest_nbsafe.kernel.contract import Fingerprint
from pytest_nbsafe.resume import questions, world
from pytest_nbsafe.resume.catching_up import PastRun
from pytest_nbsafe.runner.live_kernel import LiveKernel, StateDiffers
from pytest_nbsafe.store.database import VALUES, Store

LEAST_S = 0.05
"""What was made more quickly is made again."""
MOST_SHARE = 0.1
"""How much the children that keep values may compute, of what the notebook itself takes."""
_PAUSE_S = 0.3
_MOST_AT_ONCE = 2
_LIMIT_S = 60.0
_WAIT_S = 20.0
_NO_VALUES = frozenset({"module", "function", "type", "builtin_function_or_method", "abc.ABCMeta"})


class Keeper:
    """Keeps values of the runs of one kernel at a time, in the store of one context."""

    def __init__(self, store: Store, context: str, notebook: str) -> None:
        self._store = store
        self._context = context
        self._notebook = notebook
        self._tickets: list[tuple[int, PastRun]] = []
        self._looked = 0.0
        self._owed: dict[str, float] = {}
        self._ran_s = 0.0
        self._spent_s = 0.0

    def known(self, entry: str) -> tuple[CoVariable, ...]:
        """Return the co-variables that are kept of a run."""
        known = self._store.entries(self._context, _question(entry))
        return tuple(cast("list[CoVariable]", known[0].content["covariables"])) if known else ()

    def keep(self, live: LiveKernel, run: PastRun) -> None:
        """Begin to keep what a run has made, where that took its time; note what is done.

        While others are at it, or have computed for too long, it is put off: what is kept later
        holds it as well, if nothing has changed it by then.
        """
        if time.monotonic() - self._looked > _PAUSE_S:
            self._collect(live, 0.0)
        self._ran_s += run.executed.duration_s
        for name in run.changed:
            if name in run.after and _has_value(name, run):
                self._owed[name] = self._owed.get(name, 0.0) + run.executed.duration_s
        is_costly = self._spent_s > MOST_SHARE * self._ran_s
        if len(self._tickets) < _MOST_AT_ONCE and not is_costly:
            self._begin(live, run)

    def finish(self, live: LiveKernel, past: Sequence[PastRun]) -> None:
        """Keep what was put off, wait for all that is being kept, and note it."""
        if past:
            self._begin(live, past[-1])
        self._collect(live, _WAIT_S)

    def _begin(self, live: LiveKernel, run: PastRun) -> None:
        """Begin to keep what took its time to make, as it is after a run."""
        names = sorted(
            name for name, owed_s in self._owed.items() if owed_s >= LEAST_S and name in run.after
        )
        if not names or not live.alive or self._store.silent:
            return
        folder = self._store.folder / VALUES
        folder.mkdir(mode=0o700, exist_ok=True)
        ticket = live.keep(
            {"names": names, "folder": str(folder), "limit_s": _LIMIT_S, "here": False}
        )["ticket"]
        if ticket:
            self._tickets.append((ticket, run))
            for name in names:
                del self._owed[name]

    def load(
        self, live: LiveKernel, covariables: Sequence[CoVariable]
    ) -> Mapping[str, Fingerprint]:
        """Load co-variables into a kernel, and return what their names hold there.

        Raises:
            StateDiffers: a file is not as it was written, or its values cannot be loaded.

        """
        folder = self._store.folder / VALUES
        items: list[RestoreItem] = []
        for covariable in covariables:
            names = [file["name"] for file in covariable["files"]]
            if any(world.file_hash(str(folder / name)) != name for name in names):
                raise StateDiffers
            items.append({"names": covariable["names"], "files": covariable["files"]})
        loaded = live.restore({"folder": str(folder), "covariables": items}, _LIMIT_S)
        if any(item["cause"] for item in loaded):
            raise StateDiffers
        return {name: value for item in loaded for name, value in item["fingerprints"].items()}

    def _collect(self, live: LiveKernel, wait_s: float) -> None:
        self._looked = time.monotonic()
        for ticket, run in [*self._tickets]:
            kept = live.collect({"ticket": ticket, "wait_s": wait_s, "stop": wait_s > 0})
            if not kept["done"] and live.alive and not wait_s:
                continue
            self._tickets.remove((ticket, run))
            self._spent_s += kept["cost_s"]
            usable = [each for each in kept["covariables"] if not each["cause"]]
            if usable:
                files = [(f["name"], f["size"]) for each in usable for f in each["files"]]
                content = {"covariables": usable}
                about = self._context, _question(run.entry), self._notebook, content
                self._store.add(*about, run.executed.duration_s, files)


def _has_value(name: str, run: PastRun) -> bool:
    return run.after[name].kind not in _NO_VALUES and not name.startswith("<")


def _question(entry: str) -> str:
    return questions.hashed("values", entry)
