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
from pytest_nbsafe.resume import questions, world
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.state import NOBODY, State, is_tied, runs_of
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.database import VALUES, Store

_MOST_VERSIONS = 100
_NOTHING = "nothing"


def learned(past: Sequence[PastRun]) -> list[str]:
    """Return what stands for all that the watch of learning has seen in some runs."""
    runs = [run for run in past if run.learning]
    state = runs[-1].log_note["state"] if runs else ""
    return [state] if state else [run.entry for run in runs]


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
            if not versions or not last or not past[last - 1].log_note["state"]:
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
            about = self._context, _question(past[:last]), self._notebook, content
            self._store.add(*about, past[last - 1].executed.duration_s, files)

    def would_miss(self, past: Sequence[PastRun], run: PastRun) -> bool:
        """Return whether a kernel could not be told what a run learns that it does not make.

        That can be where cells before have learned anew, and nothing is kept of what came of both.
        """
        if not run.learning or all(each.executed.reused for each in past if each.learning):
            return False
        now = [*past, run]
        return not any(
            all(_is_as_then(name, version, now, run.after) for name in run.after)
            for entry in self._store.entries(self._context, _question(now))
            for version in entry.content["versions"]
        )

    def find(
        self, past: Sequence[PastRun], state: State, held: Collection[str]
    ) -> CarryQuestion | None:
        """Return what restores, in a kernel that holds some names, what was known in this state.

        None where nothing is kept, or where an object may be in a name and nobody can tell where.
        """
        if any(run.learning and not run.log_note["state"] for run in past):
            return None
        folder = self._store.folder / VALUES
        for entry in self._store.entries(self._context, _question(past)):
            content = entry.content
            files: list[KeptFile] = [content["stream"], content["arrays"]]
            hashes = (world.file_hash(str(folder / file["name"])) for file in files)
            if any(name != file["name"] for name, file in zip(hashes, files, strict=True)):
                continue
            for version in content["versions"]:
                found = _found(version, past, state, held)
                if found is not None:
                    return {
                        "do": "restore",
                        "folder": str(folder),
                        "stream": content["stream"],
                        "numbers": content["numbers"],
                        "arrays": content["arrays"],
                        "shapes": content["shapes"],
                        "probe": content["probe"],
                        "found": found,
                        "places": [*_places(past)],
                    }
        return None


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


def _found(
    version: Mapping[str, Any], past: Sequence[PastRun], state: State, held: Collection[str]
) -> dict[str, tuple[str, list[Any]]] | None:
    """Return where in some names the objects of a version are: for each a name and the steps.

    None where one may be there and nobody can tell where.
    """
    if not all(_is_as_then(name, version, past, state) for name in held):
        return None
    found: dict[str, tuple[str, list[Any]]] = {}
    cut = {*held}.intersection(version["cut"])
    for key, paths in version["tracked"].items():
        here = [(name, path) for name, path in paths.items() if name in held]
        known = next(((name, path) for name, path in here if path is not None), None)
        if known is not None:
            found[key] = known
        elif here or not _are_apart(cut, paths, state):
            return None
    return found


def _is_as_then(
    name: str, version: Mapping[str, Any], past: Sequence[PastRun], state: State
) -> bool:
    """Return whether a name holds the objects of a version, or others of which the same is known.

    Of what a run made that found only equal values it is not known with whom it shares objects.
    """
    value = state.get(name, NOBODY)
    if not is_tied(name, value):
        return True
    makers = runs_of(value.maker)
    if any(run.by_value and run.entry in makers for run in past):
        return False
    if version["tied"].get(name) == value.maker:
        return True
    if len(makers) > 1:
        return False
    notes = [run.log_note for run in past if run.entry == value.maker]
    now = [note["holds"].get(name, _NOTHING) for note in notes if note["state"]]
    return bool(now and now[0]) and version["holds"].get(name, _NOTHING) == now[0]


def _are_apart(cut: Collection[str], paths: Mapping[str, list[Any] | None], state: State) -> bool:
    """Return whether an object that is found on these paths is in none of the names."""
    found = [name for name, path in paths.items() if path is not None]
    shares = [state.get(name, NOBODY).shares for name in found]
    return not cut or any(each is not None and each.isdisjoint(cut) for each in shares)


def _places(past: Sequence[PastRun]) -> Iterator[tuple[str, int, int]]:
    """Yield where it was learned, as all runs have told it.

    Runs of the session have negative numbers there: the kernel has not made them.
    """
    for run in past:
        for what, number, line in run.log_note["places"]:
            yield what, -number, line


def _question(past: Sequence[PastRun]) -> str:
    return questions.hashed("learned", *learned(past))
