"""A rule by its code: its module is imported when it has something to say, or is explained.

Most notebooks hold no leak, and importing a score of modules is felt where a check is quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.codes import CODES, Needs
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.rules.base import Claim, Facts


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; its module is called by its code and its name.

    The module's docstring explains the rule, and BAD and GOOD are examples, tests and help at
    once: notebooks in percent text, where in BAD a line that ends in `#! NBS101` must carry that
    finding. Its `check` yields complete findings of facts, each with what it accounts for. The
    module of a rule `of_leaks` has two texts instead: what a finding SAYS of a leak, and a REMEDY.
    """

    code: str

    @property
    def needs(self) -> Needs:
        """What it needs to speak, from the table of codes."""
        return CODES[self.code].needs

    @property
    def of_leaks(self) -> bool:
        """Whether it tells leaks of one kind, as all of the family do that a text can show."""
        return self.code.startswith("NBS3") and self.needs != "run"

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield what the rule claims; of leaks only where there is one of this kind."""
        if not self.of_leaks:
            yield from self._module.check(facts)
        elif any(leak.code == self.code for leak, _ in facts.leaks()):
            from pytest_nbsafe.rules import leak_claims

            says, remedy = self._module.SAYS, self._module.REMEDY
            yield from leak_claims.claims(facts, self.code, says, remedy)

    @property
    def bad(self) -> str:
        """The rule's own example of what it finds."""
        return str(self._module.BAD)

    @property
    def good(self) -> str:
        """The rule's own example of what is right."""
        return str(self._module.GOOD)

    @property
    def more(self) -> str:
        """What the rule adds to its help."""
        return str(getattr(self._module, "more", str)())

    @property
    def __doc__(self) -> str | None:  # type: ignore[override] # the rule's own, not this class's
        """The rule's own docstring."""
        doc: str | None = self._module.__doc__
        return doc

    @property
    def _module(self) -> Any:
        name = f"{self.code}_{CODES[self.code].name}".lower().replace("-", "_")
        return import_module(f"pytest_nbsafe.rules.{name}")
