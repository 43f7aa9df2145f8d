"""How a kernel in which a front end ran what it liked comes to a state that it had, or passed.

Of each name it is known which run made what it holds. A name that holds what the other state has
of it stays. Looked at from the end, as in `catching_up`: what else that state has is loaded where
it is kept, else made again from what stays, or from what is made again before it. What names share
they must go on sharing: where something is made anew, so is all that may share objects with it.

Source: Kishu (Fang et al. 2025), 5: only what differs is loaded, loads before re-runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pytest_nbsafe.resume.lineage import Lineage, Loads
from pytest_nbsafe.resume.past_runs import KeptValue, PastRun, unnamed
from pytest_nbsafe.resume.state import (
    LOOKUPS,
    START,
    State,
    is_tied,
    names_of,
    sources,
)
from pytest_nbsafe.resume.text_patterns import has_commands
from pytest_nbsafe.values import dataclass


class CannotMove(Exception):  # noqa: N818  # it is an answer
    """Only a new kernel comes to the state; the message says what stands in the way.

    Where it is a run, `place` is its place among the past ones, and the message goes on after it.
    """

    def __init__(self, why: str, place: int | None = None) -> None:
        super().__init__(why)
        self.place = place


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done at the place of a run: it is made again or not, then names stay, or are loaded.

    Those that stay take what they hold, as it is of that moment.
    """

    place: int
    run: PastRun
    runs: bool
    stays: frozenset[str] = frozenset()
    loads: tuple[KeptValue, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is done."""
        return not (self.runs or self.stays or self.loads)


def stages(past: Sequence[PastRun], since: Sequence[PastRun], state: State) -> list[Stage]:
    """Return how a kernel in a state comes to the one after the past runs, which made some of it.

    `since` are the runs between the two.

    Raises:
        CannotMove: a new kernel has to.

    """
    target = past[-1].after if past else START
    _compare_beside(since, state, target)
    held = {name: state[name].maker for name in names_of(state)}
    lineage = Lineage(past)
    while True:
        planned = _planned(past, held, lineage)
        torn = _torn(planned, lineage, _made_anew(target, held))
        if not torn:
            break
        for name in torn:
            del held[name]
    for stage in planned:
        if stage.runs:
            _compare_run(stage)
    return [stage for stage in planned if not stage.is_empty]


def _compare_beside(since: Sequence[PastRun], state: State, target: State) -> None:
    """Refuse where what no name holds is not as it was."""
    for name in sorted(state.keys() | target.keys()):
        here, there = state.get(name), target.get(name)
        is_beside = name.startswith("<") and name != LOOKUPS
        if is_beside and (here and here.maker) != (there and there.maker):
            raise CannotMove(f"{unnamed(name, since)} may have changed")


def _compare_run(stage: Stage) -> None:
    """Refuse to run again, in this kernel, what did more than to make values."""
    event, inputs = stage.run.executed.event, stage.run.inputs
    if event is None or inputs is None or sources(event) or inputs["written"]:
        raise CannotMove("did more than to make values, and would run again", stage.place)
    if has_commands(stage.run.source):
        raise CannotMove("holds a magic or a command, and would run again", stage.place)


def _planned(past: Sequence[PastRun], held: Mapping[str, str], lineage: Lineage) -> list[Stage]:
    """Return what is done at the place of each run, where names hold what these runs made."""
    wanted = names_of(past[-1].after) if past else set[str]()
    planned, staying = list[Stage](), set[str]()
    loading = Loads(lineage)
    for place, run in reversed([*enumerate(past)]):
        stays = _that_stay(wanted, held, run.after)
        staying |= stays
        loads = loading.at(place, run, wanted - stays, wanted | staying)
        wanted -= stays
        for kept in loads:
            wanted.difference_update(kept.names)
        for kept in loads:
            wanted.update(kept.covariable["needs"])
        needs = _that_stay(wanted, held, run.after)
        wanted -= needs
        runs = bool(wanted & run.changed & run.after.keys())
        if runs:
            loading.note_run(place, run)
            wanted = (wanted - run.bound) | {n for n in run.reads if not n.startswith("<")}
        planned.append(Stage(place, run, runs, stays | needs, loads))
    return planned[::-1]


def _that_stay(wanted: set[str], held: Mapping[str, str], after: State) -> frozenset[str]:
    """Return the names that hold already what they held after a run."""
    return frozenset(n for n in wanted if n in held and n in after and after[n].maker == held[n])


def _made_anew(target: State, held: Mapping[str, str]) -> list[str]:
    """Return the names that come to hold another object than they do, and may share it."""
    names = sorted(names_of(target))
    return [n for n in names if is_tied(n, target[n]) and held.get(n) != target[n].maker]


def _torn(planned: Sequence[Stage], lineage: Lineage, made_anew: Collection[str]) -> set[str]:
    """Return the names that may not stay: what they hold came of values that are made anew.

    The two would no longer share what they shared. What a run has made of a value that it left as
    it was may have been seen to share nothing with it. A name may stay as well where nothing that
    lasts was `made_anew` of what it shares, and no run reads both it and such a value.
    """

    def may_share(place: int, name: str, others: Iterable[str]) -> bool:
        return not all(lineage.are_apart(place, name, other) for other in others)

    anew, torn, mixed = set[str](), set[str](), set[str]()
    for stage in planned:
        place, run = stage.place, stage.run
        made = {n for n in run.changed if n in run.after and is_tied(n, run.after[n])}
        read = anew.intersection(run.reads)
        if stage.runs:
            mixed |= {n for n in torn.intersection(run.reads) if may_share(place - 1, n, read)}
        left = {name for name in read if name not in run.changed}
        came_of_it = {
            name for name in made if stage.runs or read - left or may_share(place, name, left)
        }
        anew -= run.bound | (run.changed - run.after.keys())
        anew |= came_of_it
        for kept in stage.loads:
            anew.update(kept.names)
        torn |= stage.stays & anew
        anew -= stage.stays
    last = lineage.runs - 1
    return {name for name in torn if name in mixed or may_share(last, name, made_anew)}
