"""What a kernel knew of learning, kept, and brought to another kernel in the same state.

A state of it stands under what the kernel told that stands for it: where a cell was edited and has
learned from the same rows, all comes to the same state. It is of use where the names of the session
hold what they held after one of the runs that followed, or what the same was known of: then it is
known where to find the objects that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_nbsafe.kernel.checkpoint_contract import CarryQuestion, KeptFile, LogVersion
from pytest_nbsafe.kernel.contract import OPEN_FIGURES
from pytest_nbsafe.kernel.hashes_contract import hash_at
from pytest_nbsafe.resume.past_runs import PastRun, entries_by_value, learned
from pytest_nbsafe.resume.state import NOBODY, State, is_tied, made_by_value
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.database import VALUES, Entry, Store
from pytest_nbsafe.store.list_hash import hashed

_MOST_VERSIONS = 100


class CarriedLogs:
    """The logs of the kernels of one context."""

    def __init__(self, store: Store, context: str, notebook: str) -> None:
        self._store, self._context, self._notebook = store, context, notebook

    def keep(
        self, live: LiveKernel, past: Sequence[PastRun], number_of: Callable[[int], int]
    ) -> None:
        """Keep what a kernel knew of learning; `number_of` gives the number of each of its runs."""
        if not any(run.learning for run in past) or self._store.silent:
            return
        folder = self._store.folder / VALUES
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
        told = live.carry({"do": "keep", "folder": str(folder)})
        arrays = told["arrays"]
        if told["cause"] or arrays is None:
            return
        for number, state in enumerate(told["states"]):
            last = number_of(state["run"])
            mine = [version for version in told["versions"] if version["state"] == number]
            versions = list(_versions(mine, past, number_of))
            question = _question(past[:last])
            if not versions or not question:
                continue
            content = {
                "versions": versions[-_MOST_VERSIONS:],
                "stream": state["stream"],
                "numbers": state["numbers"],
                "arrays": arrays,
                "shapes": told["shapes"],
                "probe": told["probe"],
            }
            files = [(file["name"], file["size"]) for file in (state["stream"], arrays)]
            about = self._context, question, self._notebook, content
            self._store.add(*about, past[last - 1].executed.duration_s, files)

    def would_miss(self, past: Sequence[PastRun], run: PastRun) -> bool:
        """Return whether a kernel could not be told what a run learns that it does not make.

        That can be where cells before have learned anew, and nothing is kept of what came of both.
        """
        if not run.learning or all(each.executed.reused for each in past if each.learning):
            return False
        known = _Known([*past, run], run.after)
        return not any(
            all(known.is_as_then(name, version) for name in run.after)
            for entry in self._entries(known.past)
            for version in entry.content["versions"]
        )

    def find(
        self, past: Sequence[PastRun], state: State, held: Collection[str]
    ) -> CarryQuestion | None:
        """Return what restores, in a kernel that holds some names, what was known in this state.

        None where nothing is kept, or where an object may be in a name and nobody can tell where.
        Runs of the session have negative numbers there: the kernel has not made them.
        """
        known = _Known(past, state)
        if known.places is None:
            return None
        folder = self._store.folder / VALUES
        for entry in self._entries(past):
            content = entry.content
            files: list[KeptFile] = [content["stream"], content["arrays"]]
            hashes = (hash_at(str(folder / file["name"])) for file in files)
            if any(name != file["name"] for name, file in zip(hashes, files, strict=True)):
                continue
            for version in content["versions"]:
                found = known.found(version, held)
                if found is not None:
                    return {
                        "do": "restore",
                        "folder": str(folder),
                        "stream": content["stream"],
                        "numbers": content["numbers"],
                        "arrays": content["arrays"],
                        "shapes": content["shapes"],
                        "probe": content["probe"],
                        "run": -max(n for n, run in enumerate(past, 1) if run.learning),
                        "found": found,
                        "places": [(what, -run, line) for what, run, line in known.places],
                    }
        return None

    def _entries(self, past: Sequence[PastRun]) -> Sequence[Entry]:
        question = _question(past)
        return self._store.entries(self._context, question) if question else ()


def _versions(
    versions: Sequence[LogVersion], past: Sequence[PastRun], number_of: Callable[[int], int]
) -> Iterator[Mapping[str, Any]]:
    """Yield what is kept of versions, with who made what the names held; equal ones once."""
    before: Mapping[str, Any] = {}
    for version in versions:
        number = number_of(version["run"])
        if version["lost"] or not number:
            continue
        after = past[number - 1].after
        makers = {name: held.maker for name, held in after.items() if is_tied(name, held)}
        same = {key: version[key] for key in ("tracked", "cut", "holds")}
        kept = {**same, "tied": makers}
        if kept != before:
            yield kept
        before = kept


class _Known:
    """A moment of a session: what it holds, and what is known of the objects there."""

    def __init__(self, past: Sequence[PastRun], state: State) -> None:
        self.past, self._state = past, state
        self._learned, self._by_value = learned(past), entries_by_value(past)
        self.places = self._learned.places

    def found(
        self, version: Mapping[str, Any], held: Collection[str]
    ) -> dict[str, list[tuple[str, list[Any]]]] | None:
        """Return where in some names the objects of a version are: names and the steps from each.

        None where one may be there and nobody can tell where.
        """
        if not all(self.is_as_then(name, version) for name in held):
            return None
        found: dict[str, list[tuple[str, list[Any]]]] = {}
        cut = {*held}.intersection(version["cut"])
        for key, paths in version["tracked"].items():
            here = {name: path for name, path in paths.items() if name in held}
            known = [(name, path) for name, path in here.items() if path is not None]
            is_one = all(self._is_same(name, version) for name in here)
            if known and (is_one or len(known) == len(here)):
                found[key] = known
            elif here or not self._are_apart(cut, paths):
                return None
        return found

    def is_as_then(self, name: str, version: Mapping[str, Any]) -> bool:
        """Return whether a name holds the objects of a version, or others known for the same."""
        if not is_tied(name, self._state.get(name, NOBODY)):
            return True
        is_same = self._is_same(name, version)
        if name == OPEN_FIGURES:
            return is_same
        then, now = version["holds"].get(name), self._learned.of(name)
        return then is not None and (is_same or then == now != "")

    def _is_same(self, name: str, version: Mapping[str, Any]) -> bool:
        """Return whether a name holds the very objects of a version.

        Of what a run made that found only equal values it is not known with whom it shares them.
        """
        maker = self._state.get(name, NOBODY).maker
        return version["tied"].get(name) == maker and not made_by_value(maker, self._by_value)

    def _are_apart(self, cut: Collection[str], paths: Mapping[str, list[Any] | None]) -> bool:
        """Return whether an object that is found on these paths is in none of the names."""
        found = [name for name, path in paths.items() if path is not None]
        shares = [self._state.get(name, NOBODY).shares for name in found]
        return not cut or any(each is not None and each.isdisjoint(cut) for each in shares)


def _question(past: Sequence[PastRun]) -> str:
    """Return what stands for a log of which all is known, empty for any other."""
    known = learned(past)
    return hashed("learned", *known.state) if known.state and known.places is not None else ""
