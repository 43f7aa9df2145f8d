"""How much work the analyses of one notebook may do: counted in steps, the same on every machine.

A step is a piece of work of some microseconds: a call followed to one function, an edge between two
cells, a few characters of text. A notebook of a person takes some thousands.
"""

from __future__ import annotations

import sys

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.values import dataclass

MOST_STEPS = 600_000
"""What all analyses of a notebook may take together; the one of 203 real ones that
takes most takes 6,000."""
_SHARES = 4
"""One analysis may take such a part of the whole, so that no other one goes without."""
_LEAST = 100
"""And such a part it has though the others took all: enough for what a person has written."""
_ITEMS = 20
"""So many items of a list are looked at in one step."""
LEAKS = "data leakage"
"""What is noted where the abstract run came to its own limits."""


class CutShort(NbsafeError):
    """An analysis has taken all the steps that it may; what it gave until then holds."""

    def __init__(self) -> None:
        super().__init__("too-much", "the notebook is too much to be analysed", "split it")


class Budget:
    """The steps that are left for one notebook, and the analyses that were `cut` short."""

    def __init__(self) -> None:
        self._whole = self._left = MOST_STEPS
        self._beyond = 0  # what other analyses may still take, while one has its share
        self.cut: dict[str, None] = {}

    def scan(self, items: int) -> None:
        """Take the steps for a look at each of so many items: names, statements, letters.

        Raises:
            CutShort: there are fewer left.

        """
        self.spend(1 + items // _ITEMS)

    @property
    def suffices(self) -> bool:
        """Whether all was looked at that has to do with what cells read from one another."""
        return not self.cut.keys() - {LEAKS}

    @property
    def spent(self) -> int:
        """How many steps were taken."""
        return self._whole - self._left - self._beyond

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            CutShort: there are fewer left; then none are.

        """
        if steps > self._left:
            self._left = 0
            raise CutShort
        self._left -= steps

    def lift(self) -> None:
        """Let what is asked from now on take what it takes: a run takes longer anyway."""
        self._whole = self._left = sys.maxsize

    def share(self, analysis: str) -> Share:
        """Return a context in which an analysis has its part of the whole.

        It ends where the part is spent, and `cut` says so.
        """
        return Share(self, analysis)

    def set_aside(self) -> None:
        """Leave the others' part of the whole alone."""
        left = max(min(self._left, self._whole // _SHARES), self._whole // _LEAST)
        self._left, self._beyond = left, self._left - left

    def take_back(self) -> None:
        """Put what was set aside to what is left."""
        self._left, self._beyond = self._left + self._beyond, 0


@dataclass(frozen=True, slots=True)
class Share:
    """What one analysis may take of a budget."""

    budget: Budget
    analysis: str

    def __enter__(self) -> None:
        """Set the other part of the budget aside."""
        self.budget.set_aside()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """Put what is left together again; that the part was spent is noted, and passed over."""
        self.budget.take_back()
        is_spent = kind is not None and issubclass(kind, CutShort)
        if is_spent:
            self.budget.cut[self.analysis] = None
        return is_spent
