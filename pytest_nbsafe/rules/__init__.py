"""The rules: an explicit table, one file a rule, and the manual that covers every code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pytest_nbsafe.config import is_asked, is_selected
from pytest_nbsafe.findings import Finding, sort_key
from pytest_nbsafe.rules import filters, suppressions
from pytest_nbsafe.rules import nbs501_contract_broken as nbs501
from pytest_nbsafe.rules.base import Claim, Documented, Facts, Rule
from pytest_nbsafe.rules.faults import MissingKernel, UnreadableNotebook
from pytest_nbsafe.rules.late_rule import LeakRule, RunRule
from pytest_nbsafe.rules.nbs101_undefined_name import UndefinedName
from pytest_nbsafe.rules.nbs102_defined_later import DefinedLater
from pytest_nbsafe.rules.nbs103_ran_out_of_order import RanOutOfOrder
from pytest_nbsafe.rules.nbs104_ambiguous_definition import AmbiguousDefinition
from pytest_nbsafe.rules.nbs105_isolated_cell import IsolatedCell
from pytest_nbsafe.rules.nbs106_rerun_unsafe import RerunUnsafe
from pytest_nbsafe.rules.nbs107_never_run import NeverRun
from pytest_nbsafe.rules.nbs108_several_sessions import SeveralSessions
from pytest_nbsafe.rules.nbs109_missing_runs import MissingRuns
from pytest_nbsafe.rules.nbs201_stale_output import StaleOutput
from pytest_nbsafe.rules.nbs203_stale_if_rerun import StaleIfRerun
from pytest_nbsafe.rules.nbs334_duplicate_rows import DuplicateRows
from pytest_nbsafe.rules.nbs401_cell_failed import CellFailed
from pytest_nbsafe.rules.nbs405_unseeded_randomness import UnseededRandomness
from pytest_nbsafe.rules.nbs406_machine_path import MachinePathUsed
from pytest_nbsafe.rules.nbs407_unpinned_install import UnpinnedInstall
from pytest_nbsafe.rules.nbs408_undeclared_dependency import UndeclaredDependency
from pytest_nbsafe.rules.nbs501_contract_broken import ContractBroken
from pytest_nbsafe.rules.nbs902_cell_does_not_parse import CellDoesNotParse
from pytest_nbsafe.rules.nbs903_kernel_died import KernelDied
from pytest_nbsafe.rules.nbs904_timed_out import TimedOut
from pytest_nbsafe.rules.suppressions import UnusedSuppression
from pytest_nbsafe.values import replace

RULES: tuple[Rule, ...] = (
    UndefinedName(),
    DefinedLater(),
    RanOutOfOrder(),
    AmbiguousDefinition(),
    IsolatedCell(),
    RerunUnsafe(),
    NeverRun(),
    SeveralSessions(),
    MissingRuns(),
    StaleOutput(),
    RunRule("NBS202", "StaleReadInReplay"),
    StaleIfRerun(),
    RunRule("NBS205", "InconsistentCell"),
    LeakRule("NBS301", "either"),
    LeakRule("NBS302"),
    LeakRule("NBS303", "either"),
    LeakRule("NBS304", "either"),
    LeakRule("NBS305", "either"),
    LeakRule("NBS306", "either"),
    LeakRule("NBS311", "either"),
    LeakRule("NBS312", "either"),
    LeakRule("NBS313", "either"),
    LeakRule("NBS314"),
    LeakRule("NBS321"),
    LeakRule("NBS322"),
    LeakRule("NBS323"),
    LeakRule("NBS324"),
    LeakRule("NBS331"),
    LeakRule("NBS332"),
    LeakRule("NBS333"),
    DuplicateRows(),
    LeakRule("NBS341"),
    LeakRule("NBS342"),
    CellFailed(),
    UnseededRandomness(),
    MachinePathUsed(),
    UnpinnedInstall(),
    UndeclaredDependency(),
    CellDoesNotParse(),
    KernelDied(),
    TimedOut(),
    RunRule("NBS906", "TracerFault"),
)

FAULTS: tuple[Documented, ...] = (
    ContractBroken(),
    UnreadableNotebook(),
    MissingKernel(),
    UnusedSuppression(),
)
"""Codes that are told before there are facts to ask a rule about, or when all rules have spoken."""

_BY_CODE = {rule.code: rule for rule in RULES}

MANUAL: dict[str, Documented] = {
    entry.code: entry for entry in sorted((*RULES, *FAULTS), key=lambda entry: entry.code)
}


def evaluate(facts: Facts) -> tuple[Finding, ...]:
    """Return every finding of a notebook, notes too, one a fault, as reports print them."""
    silent = dict.fromkeys(suppressions.of(facts.notebook))
    used: set[suppressions.Suppression] = set()

    def is_hidden(found: Finding) -> bool:
        hiding = [suppression for suppression in silent if suppressions.hides(suppression, found)]
        used.update(hiding)
        return bool(hiding) or suppressions.is_left_out(found, facts.notebook)

    found = list(filters.resolve(_claims(facts), is_hidden))
    if facts.config.contracts and is_selected(ContractBroken.code, facts.config):
        others = partial(_for_contracts, facts, silent)
        found += [broken for broken in nbs501.broken(facts, others) if not is_hidden(broken)]
    if is_selected(UnusedSuppression.code, facts.config):
        idle = [suppression for suppression in silent if suppression not in used]
        judged = partial(_is_judged, facts)
        unused = (
            *suppressions.unused(facts, idle, judged),
            *_declarations(facts),
        )
        found += [finding for finding in unused if not is_hidden(finding)]
    return tuple(sorted(found, key=sort_key))


def _declarations(facts: Facts) -> Iterator[Finding]:
    if any("nbsafe:" in cell.source for cell in facts.notebook.code_cells):
        from pytest_nbsafe.rules import declarations  # late: few notebooks hold any

        yield from declarations.faults(facts, UnusedSuppression.code)


def _for_contracts(facts: Facts, silent: Iterable[suppressions.Suppression]) -> tuple[Finding, ...]:
    """Return all that is found, whatever was selected, but not what is ignored or silenced."""

    def is_hidden(found: Finding) -> bool:
        hidden = any(suppressions.hides(suppression, found) for suppression in silent)
        return hidden or suppressions.is_left_out(found, facts.notebook)

    everything = replace(facts, config=replace(facts.config, select=(), notes=True))
    return tuple(sorted(filters.resolve(_claims(everything), is_hidden), key=sort_key))


def _claims(facts: Facts) -> Iterator[Claim]:
    for rule in RULES:
        if is_asked(rule.code, facts.config) and (facts.trial or rule.needs != "run"):
            yield from rule.check(facts)


def _is_judged(facts: Facts, code: str, cell: int) -> bool:
    """Return whether all that this code could say of a cell has been heard."""
    rule = _BY_CODE.get(code)
    if rule is None and code != ContractBroken.code:
        return True  # of the file, the kernel, or a suppression: never at a cell
    if not is_asked(code, facts.config):
        return False
    needs = rule.needs if rule is not None else nbs501.needs(facts.config)
    ran = facts.clean(cell)
    return needs == "static" or (ran is not None and ran.status in {"ok", "raised"})
