"""What a cell has to say, decided from evidence: what was found, and how its run ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pytest_nbsafe.findings import Finding, Outcome, fails
from pytest_nbsafe.notebook import markers
from pytest_nbsafe.notebook.model import SKIP_TAGS, Cell, Notebook, may_raise
from pytest_nbsafe.rules import suppressions
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.results import CellResult, exception, printed_failures, why
from pytest_nbsafe.values import replace

_LEAKS = "NBS3"
_NOT_RUN = frozenset({"skipped", "not-reached"})


def outcome(
    cell: Cell | None,
    result: CellResult | None,
    findings: Iterable[Finding],
    late: Collection[Finding] = (),
    opens: str = "",
    *,
    strict: bool,
) -> Outcome:
    """Return what is to be said of a cell, or of the notebook as a whole where it is None.

    `result` is that of its run in page order, None where nothing ran. `late` are findings of other
    cells that are to be said here. `opens` is the command that opens the state before it.
    """
    number = cell.number if cell else 0
    findings = tuple(findings)
    own = tuple(f for f in findings if f.location.cell == number or f in late)
    failing = [finding for finding in findings if fails(finding, strict=strict)]
    told_here = next((f.message for f in failing if f in own), "")
    reason = told_here or _told_elsewhere(number, result, failing)
    not_passed = "" if reason or cell is None else _not_passed(cell, result)
    return Outcome(
        number,
        "failed" if reason else "skipped" if not_passed else "passed",
        reason or not_passed,
        own,
        traceback=result.failure.traceback if result and result.failure else "",
        output=_shown(result),
        errors=_complained(result),
        duration_s=result.duration_s if result else 0.0,
        opens=opens if reason else "",
    )


def late_findings(
    reported: Mapping[int, Outcome], findings: Iterable[Finding]
) -> tuple[Finding, ...]:
    """Return the findings of cells that were reported without them, by code and place.

    A later run has shown them, or shown them to be errors.
    """
    known = {(f.code, f.location, f.severity) for each in reported.values() for f in each.findings}
    return tuple(
        finding
        for finding in findings
        if finding.location.cell in reported
        and (finding.code, finding.location, finding.severity) not in known
    )


def completed(
    findings: Iterable[Finding], notebook: Notebook | None, facts: Facts | None
) -> Iterator[Finding]:
    """Yield findings with the lines of their steps in the file, and edits that may mend a leak."""
    for finding in findings:
        if notebook is None:
            yield finding
            continue
        lines = tuple(notebook.file_line(s.cell, s.line) or 0 for s in finding.steps)
        patch = _patch(facts, finding) if facts is not None else ()
        yield replace(finding, step_lines=lines, patch=patch)


def _patch(facts: Facts, finding: Finding) -> tuple[str, ...]:
    """Return the lines of the edit that may mend a leak, none for any other finding."""
    if not finding.code.startswith(_LEAKS) or finding.severity == "note":
        return ()
    from pytest_nbsafe.fix import cell_diff, leak_patches

    remedy = leak_patches.patch(facts.graph, finding)
    return tuple(cell_diff.patch(facts.notebook, remedy.edits)) if remedy is not None else ()


def may_change_findings(cell: Cell, result: CellResult, findings: Iterable[Finding]) -> bool:
    """Return whether the rules may say something else, now that this cell of the page has run."""
    return bool(
        result.status != "ok"
        or result.incidents
        or result.evaluations
        or result.copies
        or may_raise(cell)
        or suppressions.silences(cell)
        or printed_failures(result)
        or any(finding.location.cell == cell.number for finding in findings)
    )


def _told_elsewhere(cell: int, result: CellResult | None, failing: Iterable[Finding]) -> str:
    """Return what a finding at another cell says of this cell's failure, empty if none does."""
    has_failed = result is not None and result.status not in {"ok", *_NOT_RUN}
    for finding in failing:
        if not has_failed and cell not in finding.fails_too:
            continue
        causes = [step.cause for step in finding.steps if step.cell == cell]
        if causes or cell in finding.fails_too:
            cause = causes[-1] if causes else "is wrong for the same reason"
            return f"this cell {cause} ({finding.code}, reported at cell {finding.location.cell})"
    return ""


def _not_passed(cell: Cell, result: CellResult | None) -> str:
    """Return why a cell did not pass though nothing fails it, empty when it passed.

    Either it has not run, or the finding that tells of its failure is switched off.
    """
    if result is None:
        tag = next((tag for tag in cell.tags if tag in SKIP_TAGS), "")
        return markers.written_as(cell, tag) if tag else ""
    if result.status in _NOT_RUN:
        return result.reason
    raised = exception(result)
    if raised is None and result.status == "ok":
        return ""
    if raised is not None and may_raise(cell, raised.ename):
        return ""
    failure = f"{raised.ename}: {raised.evalue}".rstrip(": ") if raised else why(result)
    return f"{failure} (the finding about it is switched off, or in the baseline)"


def _shown(result: CellResult | None) -> str:
    """Return what a run printed, and the texts of what it showed, in their order."""
    outputs = result.outputs if result else ()
    results = ("display_data", "execute_result")
    return "".join(
        f"{o.text}\n" if o.kind in results and o.text else o.text
        for o in outputs
        if o.kind in results or (o.kind == "stream" and o.name == "stdout")
    )


def _complained(result: CellResult | None) -> str:
    """Return what a run wrote to stderr."""
    outputs = result.outputs if result else ()
    return "".join(o.text for o in outputs if o.kind == "stream" and o.name == "stderr")
