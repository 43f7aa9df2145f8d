"""Asks every rule of the table of codes; each is a file here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

from pytest_nbsafe.codes import CODES, Needs
from pytest_nbsafe.config import is_asked, is_selected
from pytest_nbsafe.findings import Finding, sort_key
from pytest_nbsafe.rules import filters, suppressions
from pytest_nbsafe.rules import nbs501_contract_broken as nbs501
from pytest_nbsafe.rules import nbs907_unused_suppression as nbs907
from pytest_nbsafe.rules import nbs908_analysis_cut_short as nbs908
from pytest_nbsafe.rules.base import Claim, Facts
from pytest_nbsafe.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; its module is called by its code and its name.

    Most notebooks hold no leak, and importing a score of modules is felt where a check is quick.
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
            yield from self.module.check(facts)
        elif any(leak.code == self.code for leak, _ in facts.leaks()):
            from pytest_nbsafe.rules import leak_claims

            says, remedy = self.module.SAYS, self.module.REMEDY
            yield from leak_claims.claims(facts, self.code, says, remedy)

    @property
    def module(self) -> Any:
        """Its module, imported when the rule has something to say, or is explained."""
        name = f"{self.code}_{CODES[self.code].name}".lower().replace("-", "_")
        return import_module(f"pytest_nbsafe.rules.{name}")


_STEPS_OF_A_CLAIM = 10
"""To weigh it against the others and to show it takes as long."""
RULES = tuple(Rule(code) for code, row in CODES.items() if row.needs != "-")
"""The rules that are asked about facts; the other codes are told before, or after all of these."""


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """Return every finding of a notebook, notes too, one a fault, as reports print them."""
    silent = dict.fromkeys(suppressions.of(facts.notebook))
    used: set[suppressions.Suppression] = set()

    def is_hidden(finding: Finding) -> bool:
        hiding = [suppression for suppression in silent if suppressions.hides(suppression, finding)]
        used.update(hiding)
        return bool(hiding) or suppressions.is_left_out(finding, facts.notebook)

    findings = list(filters.resolve(_claims(facts), is_hidden))
    if facts.config.contracts and is_selected("NBS501", facts.config):
        others = partial(_for_contracts, facts, silent)
        findings += [broken for broken in nbs501.broken(facts, others) if not is_hidden(broken)]
    if is_selected("NBS907", facts.config):
        idle = [suppression for suppression in silent if suppression not in used]
        judged = partial(_is_judged, facts)
        unused = nbs907.unused(facts, idle, judged)
        findings += [finding for finding in unused if not is_hidden(finding)]
    if facts.graph.budget.cut and is_selected("NBS908", facts.config):
        findings += [finding for finding in nbs908.cut_short(facts) if not is_hidden(finding)]
    return tuple(sorted(findings, key=sort_key))


def _for_contracts(facts: Facts, silent: Iterable[suppressions.Suppression]) -> tuple[Finding, ...]:
    """Return all that is found, whatever was selected, but not what is ignored or silenced."""

    def is_hidden(finding: Finding) -> bool:
        hidden = any(suppressions.hides(suppression, finding) for suppression in silent)
        return hidden or suppressions.is_left_out(finding, facts.notebook)

    everything = replace(facts, config=replace(facts.config, select=(), notes=True))
    return tuple(sorted(filters.resolve(_claims(everything), is_hidden), key=sort_key))


def _claims(facts: Facts) -> Iterator[Claim]:
    budget = facts.graph.budget
    for rule in RULES:
        if is_asked(rule.code, facts.config) and (facts.trial.has_run or rule.needs != "run"):
            with budget.share(rule.code):
                for claim in rule.check(facts):
                    budget.spend(_STEPS_OF_A_CLAIM)
                    yield claim


def _is_judged(facts: Facts, code: str, cell: int) -> bool:
    """Return whether all that this code could say of a cell has been heard."""
    needs = nbs501.needs(facts.config) if code == "NBS501" else CODES[code].needs
    if needs == "-":
        return True  # of the file, the kernel, or a suppression: never at a cell
    if not is_asked(code, facts.config) or nbs908.concerns(facts, code):
        return False
    ran = facts.clean(cell)
    return needs == "static" or (ran is not None and ran.status in {"ok", "raised"})
