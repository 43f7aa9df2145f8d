"""Libraries that learn from rows: what is known of who learned what lies in no value."""

from __future__ import annotations

from pytest_nbsafe.kernel.contract import CellRun
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
        inputs = event["inputs"] if event is not None else None
        return inputs is None or not self.libraries.isdisjoint(inputs["packages"])

    def took_part(self, event: CellRun | None) -> bool:
        """Return whether a run called what is watched, of what does more than hold rows."""
        inputs = event["inputs"] if event is not None else None
        return inputs is None or not self.data.issuperset(inputs["learning"])


NO_LEARNERS = Learners(frozenset(), frozenset(), frozenset())
