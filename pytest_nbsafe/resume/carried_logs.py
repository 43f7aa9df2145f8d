"""What a kernel knew of learning, kept, and brought to another kernel in the same state.

A state of it stands under the runs that have learned by then. It is of use where the names of the
session hold what they held after one of the runs that followed: then it is known where to find the
objects that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pytest_nbsafe.kernel.checkpoint_contract import CarryQuestion, KeptFile, LogVersion
from pytest_nbsafe.resume import questions, world
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.positions import CannotMove, moves
from pytest_nbsafe.resume.state import NOBODY, State, is_tied, runs_of
from pytest_nbsafe.runner.live_kernel import LiveKernel
from pytest_nbsafe.store.database import VALUES, Store
from pytest_nbsafe.values import dataclass

_MOST_VERSIONS = 100


@dataclass(frozen=True, slots=True)
class Carried:
    """A state of the log that fits a session: what restores it, and where its objects were found.

    `tracked` gives for each object the names that lead to it, each with the steps from it (None
    where they cannot be told); what else is in the names that are `cut` is not known, but by the
    `state` of the session with whom they may share objects.
    """

    question: CarryQuestion
    tracked: Mapping[str, Mapping[str, list[Any] | None]]
    cut: frozenset[str]
    state: State

    def of(self, held: Collection[str]) -> CarryQuestion | None:
        """Return what restores it in a kernel that holds some of the names.

        None where an object may be there and nobody can tell where.
        """
        found: dict[str, tuple[str, list[Any]]] = {}
        cut = self.cut.intersection(held)
        for key, paths in self.tracked.items():
            here = [(name, path) for name, path in paths.items() if name in held]
            known = next(((name, path) for name, path in here if path is not None), None)
            if known is not None:
                found[key] = known
            elif here or not self._are_apart(cut, paths):
                return None
        return {**self.question, "found": found}

    def _are_apart(self, cut: Collection[str], paths: Mapping[str, list[Any] | None]) -> bool:
        """Return whether an object that is found on these paths is in none of the names."""
        found = [name for name, path in paths.items() if path is not None]
        shares = [self.state.get(name, NOBODY).shares for name in found]
        return not cut or any(each is not None and each.isdisjoint(cut) for each in shares)


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
            if not versions or not last:
                continue
            content = {
                "versions": versions[-_MOST_VERSIONS:],
                "stream": state["stream"],
                "arrays": arrays,
                "shapes": told["shapes"],
                "probe": told["probe"],
                "runs": {
                    run: (past[now - 1].entry, past[now - 1].source)
                    for run in state["runs"]
                    for now in (number_of(run),)
                    if now
                },
            }
            files = [(file["name"], file["size"]) for file in (state["stream"], arrays)]
            about = self._context, _question(past[:last]), self._notebook, content
            self._store.add(*about, past[last - 1].executed.duration_s, files)

    def find(self, past: Sequence[PastRun], state: State) -> Carried | None:
        """Return what a kernel knew of learning in this state, None where none is kept."""
        tied = _tied(state)
        makers = {entry for maker in tied.values() for entry in runs_of(maker)}
        if any(run.by_value and run.entry in makers for run in past):
            return None  # who shares objects with whom may be another matter than it was
        folder = self._store.folder / VALUES
        for entry in self._store.entries(self._context, _question(past)):
            content = entry.content
            version = next((v for v in content["versions"] if v["tied"] == tied), None)
            files: list[KeptFile] = [content["stream"], content["arrays"]]
            if version is None or any(
                world.file_hash(str(folder / file["name"])) != file["name"] for file in files
            ):
                continue
            with suppress(CannotMove):
                question: CarryQuestion = {
                    "do": "restore",
                    "folder": str(folder),
                    "stream": content["stream"],
                    "arrays": content["arrays"],
                    "shapes": content["shapes"],
                    "probe": content["probe"],
                    "runs": _runs_now(content["runs"], past),
                }
                return Carried(question, version["tracked"], frozenset(version["cut"]), state)
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
        tied = _tied(past[number - 1].after)
        kept = {"tied": tied, "tracked": version["tracked"], "cut": version["cut"]}
        if kept != before:
            yield kept
        before = kept


def _runs_now(
    runs: Mapping[str, Sequence[str]], past: Sequence[PastRun]
) -> dict[str, tuple[int, dict[str, int] | None]]:
    """Return for the number of each run of then which one it is, and where its lines are.

    Runs of the session have negative numbers there: the kernel has not made them.

    Raises:
        CannotMove: one is no run of the session, or has another text.

    """
    numbers = {run.entry: number for number, run in enumerate(past, 1)}
    now: dict[str, tuple[int, dict[str, int] | None]] = {}
    for run, (entry, source) in runs.items():
        if entry not in numbers:
            raise CannotMove
        shift = moves(source, past[numbers[entry] - 1].source)
        lines = None if shift is None else {str(was): line for was, line in shift.lines.items()}
        now[run] = -numbers[entry], lines
    return now


def _tied(state: State) -> dict[str, str]:
    return {name: held.maker for name, held in state.items() if is_tied(name, held)}


def _question(past: Sequence[PastRun]) -> str:
    return questions.hashed("learned", *(run.entry for run in past if run.learning))
