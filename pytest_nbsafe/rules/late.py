"""Rules whose modules are imported when they have something to say, or are asked what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.rules.base import Claim, Facts, Needs, Rule


@dataclass(frozen=True, slots=True)
class LateRule:
    """A rule of one kind of leak, or of runs; `place` is its module in this folder and its class.

    `needs` is "either" where a run can see the leak, "run" where it tells of runs alone.

    Most notebooks hold no leak, and importing a score of modules is felt where a check is quick.
    """

    code: str
    place: str
    needs: Needs = "static"

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield what the rule claims, where there is a leak of its kind or something ran."""
        if self.needs == "run" or any(leak.code == self.code for leak, _ in facts.leaks()):
            yield from _rule(self).check(facts)

    @property
    def bad(self) -> str:
        """The rule's own example of what it finds."""
        return _rule(self).bad

    @property
    def good(self) -> str:
        """The rule's own example of what is right."""
        return _rule(self).good

    @property
    def more(self) -> str:
        """What the rule adds to its help."""
        return getattr(_rule(self), "more", "")

    @property
    def __doc__(self) -> str | None:  # type: ignore[override] # the rule's own, not this class's
        """The rule's own docstring."""
        return _rule(self).__doc__


def _rule(late: LateRule) -> Rule:
    from importlib import import_module

    module, _, name = late.place.partition(":")
    found: Rule = getattr(import_module(f"pytest_nbsafe.rules.{module}"), name)()
    return found
