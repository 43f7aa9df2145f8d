"""What is known of learning after some runs: of the log as a whole, and of the objects in names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_nbsafe.kernel.learning_contract import NOTHING
from pytest_nbsafe.resume.learners import Learners
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.positions import Place
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Learned:
    """What stands for all that was learned, and for what is known of the objects in each name.

    `state` is what a kernel told, followed by what stands for the runs that learned since of which
    none can tell; `places` are all those where it was, None where nobody can tell. `others` holds
    for all names that are not among the `names`. Empty texts stand for what nobody can tell.
    """

    state: tuple[str, ...]
    places: tuple[Place, ...] | None
    names: Mapping[str, str]
    others: str = NOTHING

    def of(self, name: str) -> str:
        """Return what stands for that which is known of the objects in a name."""
        return self.names.get(name, self.others)


def learned(past: Sequence[PastRun], learners: Learners) -> Learned:
    """Return what is known of learning after some runs.

    What a run told that is recalled holds if it found then what was known now: of those that learn
    or judge that has been compared, see `recalling`.
    """
    state, names, others = tuple[str, ...](), dict[str, str](), NOTHING
    places: tuple[Place, ...] | None = ()
    for run in past:
        note = run.log_note
        before = (note["before"],) if note["before"] else ()
        is_as_told = (
            not run.executed.reused
            or learners.took_part(run.executed.event)
            or (before == state and not run.by_value)
        )
        if note["state"] and is_as_told:
            state = (note["state"],)
            if places is not None:
                places += tuple((what, number, line) for what, number, line in note["places"])
            names.update(note["holds"])
        elif run.learning:
            state = (*state, f"{run.entry} {run.by_value}")
            places, names, others = None, {}, ""
        else:
            names.update(dict.fromkeys(run.changed, "" if state else NOTHING))
    return Learned(state, places, names, others)
