"""The rules: an explicit table, one file a rule, and the manual that covers every code."""

from __future__ import annotations

from pytest_nbsafe.findings import Finding
from pytest_nbsafe.rules import filters
from pytest_nbsafe.rules.base import Documented, Facts, Rule
from pytest_nbsafe.rules.faults import NoSuchKernel, UnreadableNotebook
from pytest_nbsafe.rules.nbs101_undefined_name import UndefinedName
from pytest_nbsafe.rules.nbs102_defined_later import DefinedLater
from pytest_nbsafe.rules.nbs103_ran_out_of_order import RanOutOfOrder
from pytest_nbsafe.rules.nbs107_never_run import NeverRun
from pytest_nbsafe.rules.nbs201_stale_output import StaleOutput
from pytest_nbsafe.rules.nbs202_stale_read import StaleReadInReplay
from pytest_nbsafe.rules.nbs401_cell_failed import CellFailed
from pytest_nbsafe.rules.nbs902_cell_does_not_parse import CellDoesNotParse
from pytest_nbsafe.rules.nbs903_kernel_died import KernelDied
from pytest_nbsafe.rules.nbs904_timed_out import TimedOut

RULES: tuple[Rule, ...] = (
    UndefinedName(),
    DefinedLater(),
    RanOutOfOrder(),
    NeverRun(),
    StaleOutput(),
    StaleReadInReplay(),
    CellFailed(),
    CellDoesNotParse(),
    KernelDied(),
    TimedOut(),
)

FAULTS: tuple[Documented, ...] = (UnreadableNotebook(), NoSuchKernel())
"""Codes that are told before there are facts to ask a rule about."""

MANUAL: dict[str, Documented] = {
    entry.code: entry for entry in sorted((*RULES, *FAULTS), key=lambda entry: entry.code)
}


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """Return every finding of a notebook, notes too, one a fault, as reports print them."""
    claims = [
        claim
        for rule in RULES
        if filters.is_asked(rule.code, facts.config) and (facts.trial or rule.needs == "static")
        for claim in rule.check(facts)
    ]
    return filters.told(claims, facts.notebook)
