"""A kernel that front ends use: what they ran in it is followed, and how it comes to a cell."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe import patterns
from pytest_nbsafe.kernel.checkpoint_contract import (
    Moved,
    MoveQuestion,
    RestoreItem,
    VisitorAsks,
)
from pytest_nbsafe.kernel.contract import CellRun, SideRun
from pytest_nbsafe.resume import following, moving
from pytest_nbsafe.resume.moving import CannotMove, Stage
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun, entries_by_value
from pytest_nbsafe.resume.remembering_kernel import RememberingKernel
from pytest_nbsafe.resume.repeated_runs import differs, has_failed
from pytest_nbsafe.resume.state import START, names_of
from pytest_nbsafe.runner.executed import Executed, of_side_run
from pytest_nbsafe.runner.kernel import StateDiffers
from pytest_nbsafe.values import dataclass, replace

_LOOKS = patterns.compile(
    r"%%?(?:capture|cat|hist|history|ls|nbsafe|pinfo2?|prun|psearch|pwd|time|timeit|whos?|who_ls)"
    r"(?:[ \t].*)?|!.*|\?{0,2}[\w.]+\?{0,2}"
)
"""What one asks the shell that changes nothing in it."""
_UNSEEN = "something ran in it that nobody followed"
_THREADS = "threads that a cell has started may still change its values"
_BROKEN = "a move was not made to its end"


@dataclass(frozen=True, slots=True)
class Move:
    """A move that a kernel is asked to make, and its stages: those of a state after `runs` runs."""

    question: MoveQuestion
    stages: Sequence[Stage]
    runs: int


class VisitedKernel:
    """What the kernel holds that `kernel` has let front ends into, as far as they tell.

    `state` is what it holds; `lost` says why that is no longer known, empty where it is.
    """

    def __init__(self, kernel: RememberingKernel) -> None:
        self._kernel = kernel
        self.state = kernel.state
        self.lost = ""
        self._visits: list[PastRun] = []
        self._at = len(kernel.past)

    def note(self, asked: VisitorAsks) -> None:
        """Take note of what front ends have run since, and of what was kept meanwhile."""
        keeper = self._kernel.keeper
        if keeper is not None:
            for ticket, kept in asked["kept"].items():
                keeper.note_kept(int(ticket), kept)
        if not asked["is_complete"]:
            self.lost = _UNSEEN
        for source, told in asked["runs"]:
            event = _without_the_shell(told) if _only_looks(source) else told
            executed, before = Executed("ok", event=event), self.state
            past = [*self._kernel.past[: self._at], *self._visits]
            entry = f"visit{len(self._visits) + 1}"
            links = following.links_told(executed)
            # the kernel counts runs as it likes: any function may have been called
            texts = "\n".join([source, *(run.source for run in past)])
            self.state = following.after_run([texts], executed, entry, past, before, links)
            self._visits.append(PastRun(entry, source, executed, before, self.state))
            if event["inputs"] is None:
                self.lost = _UNSEEN

    def move(self, sources: Sequence[str]) -> Move:
        """Return how the kernel comes to the state after cells, the first of the page.

        Raises:
            CannotMove: a new kernel has to.

        """
        past = self._kernel.past
        for place, source in enumerate(sources[len(past) :], len(past)):
            if not self._kernel.knows_next(source):
                raise CannotMove("has not run yet as it is now", place)
        if any(_starts_threads(run.executed) for run in (*past, *self._visits)):
            raise CannotMove(_THREADS)
        if self.lost:
            raise CannotMove(self.lost)
        since = [*past[len(sources) : self._at], *self._visits]
        stages = moving.stages(self._with_kept(past[: len(sources)]), since, self.state)
        target = past[len(sources) - 1].after if sources else START
        question: MoveQuestion = {
            "stages": [
                {
                    "source": stage.run.source if stage.runs else "",
                    "takes": sorted(stage.stays),
                    "loads": self._to_load(stage.loads),
                }
                for stage in stages
            ],
            "folder": str(self._kernel.keeper.folder) if self._kernel.keeper is not None else "",
            "names": sorted(names_of(target)),
        }
        return Move(question, stages, len(sources))

    def _with_kept(self, past: Sequence[PastRun]) -> list[PastRun]:
        """Return runs with all that is kept of them by now."""
        keeper = self._kernel.keeper
        if keeper is None:
            return [*past]
        others = entries_by_value(past)
        return [replace(run, kept=keeper.known(run.entry, run.after, others)) for run in past]

    def _to_load(self, values: Sequence[KeptValue]) -> list[RestoreItem]:
        keeper = self._kernel.keeper
        if keeper is None or not values:
            return []
        try:
            return keeper.to_load(values)
        except StateDiffers:
            raise CannotMove("a value that was kept cannot be read") from None

    def note_moved(self, move: Move, moved: Moved) -> None:
        """Take note that a move was made.

        Raises:
            CannotMove: it has not led to that state; nothing is known of the kernel now.

        """
        past = self._kernel.past[: move.runs]
        self._visits, self._at = [], move.runs
        self.state = past[-1].after if past else START
        self.lost = _BROKEN
        if moved["cause"]:
            raise CannotMove(f"it was broken off ({moved['cause']})")
        _compare(move, moved)
        self.lost = ""


def _only_looks(source: str) -> bool:
    """Return whether the magics and commands of a text leave the shell that runs them as it is."""
    lines = [line.strip() for line in source.splitlines()]
    asking = [line for line in lines if line[:1] in {"%", "!", "?"} or line[-1:] == "?"]
    return "get_ipython" not in source and all(map(_LOOKS.fullmatch, asking))


def _without_the_shell(event: CellRun) -> CellRun:
    """Return a run without what is told of each that asks the shell for anything."""
    inputs = event["inputs"]
    if inputs is None:
        return event
    settings = [setting for setting in inputs["settings"] if setting != "shell"]
    return {**event, "inputs": {**inputs, "settings": settings}}


def _starts_threads(executed: Executed) -> bool:
    inputs = executed.inputs
    return inputs is not None and any(h["kind"] == "threads" for h in inputs["hindrances"])


def _compare(move: Move, moved: Moved) -> None:
    """Refuse a move of which something came that should not have."""
    made = [stage for stage in move.stages if stage.runs]
    for stage, again in zip(made, moved["runs"], strict=True):
        if _is_other(stage.run, again):
            raise CannotMove("gave something else when it ran again", stage.place)
    for stage, fingerprints in zip(move.stages, moved["loaded"], strict=True):
        for name in (name for kept in stage.loads for name in kept.names):
            held, loaded = stage.run.after.get(name), fingerprints.get(name)
            if held is None or loaded is None or held.hash not in {"", loaded["hash"]}:
                raise CannotMove(f"`{name}` was loaded, and is another value")


def _is_other(run: PastRun, side_run: SideRun) -> bool:
    again, first = of_side_run(side_run, ""), run.executed
    as_first = replace(again, status=first.status)
    return has_failed(again) != has_failed(first) or differs(first, as_first)
