"""Rules whose modules are imported when they have something to say, or are asked what they say.

Most notebooks hold no leak, and importing a score of modules is felt where a check is quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.rules.base import Claim, Facts, Needs, Rule


@dataclass(frozen=True, slots=True)
class LeakRule:
    """A rule of one kind of leak, whose module holds data alone.

    That is its docstring, a BAD and a GOOD example, what a finding `says` of a leak, and a REMEDY
    or a function that makes one. `needs` is "either" where a run can see the leak.
    """

    code: str
    needs: Needs = "static"

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each leak of this kind, with what it adds to another's path."""
        if any(leak.code == self.code for leak, _ in facts.leaks()):
            from pytest_nbsafe.rules import leak_claims

            told = _module(self.code)
            remedy = getattr(told, "remedy", lambda _: told.REMEDY)
            yield from leak_claims.claims(facts, self.code, told.says, remedy)

    @property
    def bad(self) -> str:
        """The rule's own example of what it finds."""
        return str(_module(self.code).BAD)

    @property
    def good(self) -> str:
        """The rule's own example of what is right."""
        return str(_module(self.code).GOOD)

    @property
    def more(self) -> str:
        """What the rule adds to its help."""
        return str(getattr(_module(self.code), "more", str)())

    @property
    def __doc__(self) -> str | None:  # type: ignore[override] # the rule's own, not this class's
        """The rule's own docstring."""
        doc: str | None = _module(self.code).__doc__
        return doc


@dataclass(frozen=True, slots=True)
class RunRule:
    """A rule that tells of runs alone; `title` is its class in its module."""

    code: str
    title: str

    @property
    def needs(self) -> Needs:
        """Only a run tells it."""
        return "run"

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield what the rule claims of a run."""
        yield from self._rule.check(facts)

    @property
    def bad(self) -> str:
        """The rule's own example of what it finds."""
        return self._rule.bad

    @property
    def good(self) -> str:
        """The rule's own example of what is right."""
        return self._rule.good

    @property
    def __doc__(self) -> str | None:  # type: ignore[override] # the rule's own, not this class's
        """The rule's own docstring."""
        return self._rule.__doc__

    @property
    def _rule(self) -> Rule:
        rule: Rule = getattr(_module(self.code), self.title)()
        return rule


def _module(code: str) -> Any:
    """Return the module of a rule, which is called by its code and its name."""
    from importlib import import_module

    name = f"{code}_{CODES[code].name}".lower().replace("-", "_")
    return import_module(f"pytest_nbsafe.rules.{name}")
