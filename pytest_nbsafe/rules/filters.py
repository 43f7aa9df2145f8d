"""From what the rules claim to what is told: selection, and one fault, one finding."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from pytest_nbsafe.findings import Finding, Joined
from pytest_nbsafe.rules.base import Claim, Mark
from pytest_nbsafe.values import replace

_SEVERITIES = ("error", "warning", "note")
_VERDICTS = ("observed", "proved", "confirmed", "suspected", "refuted")
_CAUSES_FIRST = (
    *("NBS902", "NBS101", "NBS102", "NBS201", "NBS202", "NBS103", "NBS104", "NBS106"),
    "NBS401",
)
"""Of two findings that weigh the same, the one that names the cause stands over the symptom."""


_MOST_JOINED = 100
"""Of a fault with more places than that no more are known by themselves."""


# -- One fault, one finding --------------------------------------------------------------------


def resolve(
    claims: Iterable[Claim], hidden: Callable[[Finding], bool] = lambda _: False
) -> tuple[Finding, ...]:
    """Return one finding a fault: the strongest claim stands, the others become its steps.

    A claim falls to stronger ones when these account for all that it explains, or to one of the
    same fault; of equals the first on the page stands. A `hidden` claim is not told, nor is what
    it accounts for; the same fault at another place is.
    """
    faults = _Faults()
    explained: set[Mark] = set()
    for claim in sorted(_needed([*claims]), key=_strength):
        absorbed = bool(claim.explains) and claim.explains <= explained
        explained |= claim.explains
        if hidden(claim.finding):
            continue
        home = faults.explaining(claim) if absorbed else faults.same(claim)
        if home is not None or not absorbed:
            faults.add(claim, home)
    return tuple(_with_steps(group[0], group[1:]) for group in faults.groups)


def _needed(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the claims but those that are told only where no other says why."""
    errors = {claim.finding.code for claim in claims if claim.finding.severity == "error"}
    at_cell: dict[int, set[str]] = {}
    for claim in claims:
        at_cell.setdefault(claim.finding.location.cell, set()).add(claim.finding.code)
    for claim in claims:
        sure = claim.finding.severity == "error"
        here = set[str]() if sure else at_cell[claim.finding.location.cell]
        if not claim.unless or claim.unless.isdisjoint(errors | here):
            yield claim


class _Faults:
    """Claims in groups of one fault each; the first of a group is told, and names the fault."""

    def __init__(self) -> None:
        self.groups: list[list[Claim]] = []
        self._by_fault: dict[Hashable, int] = {}
        self._by_mark: dict[Mark, int] = {}

    def explaining(self, claim: Claim) -> int | None:
        """Return the first group with a claim that explains a part of what this one does."""
        known = self._by_mark.keys() & claim.explains
        return min((self._by_mark[mark] for mark in known), default=None)

    def same(self, claim: Claim) -> int | None:
        """Return the group of the same fault."""
        return None if claim.fault is None else self._by_fault.get(claim.fault)

    def add(self, claim: Claim, home: int | None) -> None:
        """Put a claim into a group, or into one of its own."""
        if home is None:
            home = len(self.groups)
            self.groups.append([])
            self._by_fault.setdefault(claim.fault, home)
        self.groups[home].append(claim)
        for mark in claim.explains:
            self._by_mark[mark] = min(home, self._by_mark.get(mark, home))


def _strength(claim: Claim) -> tuple[int, int, int, int, int, int]:
    finding, where = claim.finding, claim.finding.location
    cause = (*_CAUSES_FIRST, finding.code).index(finding.code)  # what names no cause comes last
    return (
        _SEVERITIES.index(finding.severity),
        cause,
        _VERDICTS.index(finding.verdict),
        where.cell,
        where.line,
        where.column,
    )


def _with_steps(head: Claim, others: Sequence[Claim]) -> Finding:
    """Return the head's finding with what the others add to its path.

    Of a claim that it accounts for, only a place in another cell that is not named yet is new.
    """
    steps = dict.fromkeys(head.finding.steps)
    places = {(step.cell, step.line) for step in steps}
    for claim in others:
        step = claim.also
        if step is None or step in steps:
            continue
        same_fault = head.fault is not None and claim.fault == head.fault
        elsewhere = step.cell != head.finding.location.cell and (step.cell, step.line) not in places
        if same_fault or elsewhere:
            steps[step] = None
            places.add((step.cell, step.line))
    joined = (Joined(c.finding.code, c.finding.fingerprint) for c in others[:_MOST_JOINED])
    own = head.finding.location.cell
    errors = {c.finding.location.cell for c in others if c.finding.severity == "error"}
    return replace(
        head.finding,
        steps=tuple(steps),
        fails_too=tuple(sorted(errors - {own, 0})),
        joined=tuple(dict.fromkeys(joined)),
    )
