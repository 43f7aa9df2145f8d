"""From what the rules claim to what is told: selection, one fault one finding, suppressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from pytest_nbsafe.codes import CODES
from pytest_nbsafe.config import Config, matching
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Finding, sort_key
from pytest_nbsafe.notebook.model import Cell, Notebook
from pytest_nbsafe.rules.base import Claim, Mark

_SEVERITIES = ("error", "warning", "note")
_VERDICTS = ("observed", "proved", "confirmed", "suspected", "refuted")
_CAUSES_FIRST = ("NBS902", "NBS101", "NBS102", "NBS201", "NBS202", "NBS103", "NBS401")
"""Of two findings that weigh the same, the one that names the cause stands over the symptom."""

_COMMENT = re.compile(r"#\s*nbsafe:\s*ignore\b(?:\s*\[([^\]]*)\])?", re.IGNORECASE)
_TAG = "nbsafe:ignore"


def told(claims: Iterable[Claim], notebook: Notebook) -> tuple[Finding, ...]:
    """Return the findings that claims come to, one a fault, sorted as reports print them."""
    found = resolve(claims, lambda finding: is_suppressed(finding, notebook))
    return tuple(sorted(found, key=sort_key))


def is_selected(code: str, config: Config) -> bool:
    """Return whether the user wants to hear of this code."""
    return (not config.select or code in config.select) and code not in config.ignore


def is_asked(code: str, config: Config) -> bool:
    """Return whether a rule's answer can show: a mere note only where notes are wanted."""
    noted = CODES[code].severity != "note" or config.notes or code in config.named
    return noted and is_selected(code, config)


# -- One fault, one finding --------------------------------------------------------------------


def resolve(
    claims: Iterable[Claim], hidden: Callable[[Finding], bool] = lambda _: False
) -> tuple[Finding, ...]:
    """Return one finding a fault: the strongest claim stands, the others become its steps.

    A claim falls to stronger ones when these account for all that it explains, or to one of the
    same fault; of equals the first on the page stands. A `hidden` claim is not told, nor is what
    it accounts for; the same fault at another place is.
    """
    faults: list[list[Claim]] = []
    explained: set[Mark] = set()
    for claim in sorted(claims, key=_strength):
        absorbed = bool(claim.explains) and claim.explains <= explained
        explained |= claim.explains
        if hidden(claim.finding):
            continue
        home = next((group for group in faults if _belongs(claim, group, absorbed=absorbed)), None)
        if home is not None:
            home.append(claim)
        elif not absorbed:
            faults.append([claim])
    return tuple(_with_steps(group[0], group[1:]) for group in faults)


def _belongs(claim: Claim, group: list[Claim], *, absorbed: bool) -> bool:
    if absorbed:
        return any(not claim.explains.isdisjoint(other.explains) for other in group)
    return claim.fault is not None and claim.fault == group[0].fault


def _strength(claim: Claim) -> tuple[int, int, int, int, int, int]:
    found, where = claim.finding, claim.finding.location
    cause = _CAUSES_FIRST.index(found.code) if found.code in _CAUSES_FIRST else len(_CAUSES_FIRST)
    return (
        _SEVERITIES.index(found.severity),
        cause,
        _VERDICTS.index(found.verdict),
        where.cell,
        where.line,
        where.column,
    )


def _with_steps(head: Claim, others: Iterable[Claim]) -> Finding:
    """Return the head's finding with what the others add to its path.

    Of a claim that it accounts for, only a place in another cell that is not named yet is new.
    """
    steps = list(head.finding.steps)
    for claim in others:
        step = claim.also
        if step is None or step in steps:
            continue
        same_fault = head.fault is not None and claim.fault == head.fault
        places = {(s.cell, s.line) for s in steps}
        elsewhere = step.cell != head.finding.location.cell and (step.cell, step.line) not in places
        if same_fault or elsewhere:
            steps.append(step)
    return replace(head.finding, steps=tuple(steps))


# -- Suppressions ------------------------------------------------------------------------------


def is_suppressed(found: Finding, notebook: Notebook) -> bool:
    """Return whether a tag of the cell, or a comment on top of it or on the line, silences this."""
    if not found.location.cell:
        return False
    cell = notebook.cell(found.location.cell)
    if "nbsafe:skip" in cell.tags:
        return True
    first, last = found.location.line, found.location.end_line or found.location.line
    lines = [*_head(cell), *(cell.line(number) for number in range(first, last + 1))]
    return any(found.code in codes for codes in (*_tagged(cell), *_commented(lines)))


def _head(cell: Cell) -> Iterator[str]:
    """Yield the comment lines on top of a cell."""
    for line in cell.source.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return
        yield line


def _tagged(cell: Cell) -> Iterator[Collection[str]]:
    for tag in cell.tags:
        name, _, codes = tag.partition("=")
        if name.strip() == _TAG:
            yield _codes(codes)


def _commented(lines: Iterable[str]) -> Iterator[Collection[str]]:
    for line in lines:
        for comment in _COMMENT.finditer(line):
            yield _codes(comment[1] or "")


def _codes(text: str) -> Collection[str]:
    """Return the codes that a suppression names; all of them when it names none.

    A word that is no code suppresses nothing.
    """
    words = [word for word in text.split(",") if word.strip()]
    if not words:
        return CODES
    found: list[str] = []
    for word in words:
        try:
            found.extend(matching(word))
        except NbsafeError:
            continue
    return found
