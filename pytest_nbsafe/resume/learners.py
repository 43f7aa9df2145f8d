"""Libraries that learn from rows: what is known of who learned what lies in no value."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_nbsafe.kernel.contract import CellRun
from pytest_nbsafe.resume.catching_up import is_code, reached
from pytest_nbsafe.resume.past_runs import PastRun
from pytest_nbsafe.resume.state import State
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.runner.executed import inputs_of
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Learners:
    """What is watched of learning: `libraries` that learn, split or judge, `data` that hold rows.

    `words` are the names of their functions and methods: a text without any calls none.
    """

    libraries: frozenset[str]
    data: frozenset[str]
    words: frozenset[str]

    def were_imported(self, event: CellRun | None) -> bool:
        """Return whether a run was the first to import one of the libraries, or may have been."""
        inputs = inputs_of(event)
        return inputs is None or not self.libraries.isdisjoint(inputs["packages"])

    def took_part(self, event: CellRun | None) -> bool:
        """Return whether a run called what is watched, of what does more than hold rows."""
        inputs = inputs_of(event)
        return inputs is None or not self.data.issuperset(inputs["learning"])


NO_LEARNERS = Learners(frozenset(), frozenset(), frozenset())


def may_learn(learners: Learners, source: str, past: Sequence[PastRun], state: State) -> bool:
    """Return whether a text may learn from rows after some runs, or judge what has."""
    words = {
        word
        for word in words_of(*reached(state, [source], past))
        if word not in state or is_code(state[word])
    }
    is_there = any(learners.were_imported(run.executed.event) for run in past)
    return not words.isdisjoint(learners.words) and (
        is_there or not words.isdisjoint(learners.libraries)
    )
