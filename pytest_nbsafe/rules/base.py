"""What a rule is, and the facts that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from pytest_nbsafe.analysis.graph import Graph
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Finding, Step, Verdict
from pytest_nbsafe.locations import Location
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.notebook.plan import Plan
from pytest_nbsafe.trace.model import Suspicions, Trial


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything known of one notebook when the rules are asked.

    `plan` is the recorded or inferred plan, `suspicions` what its static lineage suspects, `trial`
    what was seen when it ran, None when nothing was executed.
    """

    notebook: Notebook
    config: Config
    graph: Graph
    plan: Plan
    suspicions: Suspicions
    trial: Trial | None = None


class Rule(Protocol):
    """One rule: the docstring explains it, `bad` and `good` are examples, tests and help at once.

    `needs` is "static" when the rule speaks without a run (it may still use one), "run" when it
    can only speak after one. `bad` and `good` are notebooks in percent text; in `bad`, a line
    that ends in `#! NBS101` must carry that finding.
    """

    code: str
    needs: Literal["static", "run"]
    bad: str
    good: str

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield complete findings."""
        ...


def finding(
    facts: Facts,
    code: str,
    cell: int,
    span: Span | int,
    verdict: Verdict,
    message: str,
    *,
    steps: tuple[Step, ...] = (),
    remedy: str = "",
    severity: Severity | None = None,
) -> Finding:
    """Return a finding at a place in a cell (a span or a line), with what the notebook knows of it.

    Without `severity` it is the code's own, lowered to a warning while only suspected.
    """
    notebook = facts.notebook
    where = Location(cell, span) if isinstance(span, int) else Location(
        cell, span.line, span.column, span.end_line, span.end_column
    )
    page = notebook.cell(cell) if cell else None
    if severity is None:
        severity = CODES[code].severity
        if severity == "error" and verdict == "suspected":
            severity = "warning"
    return Finding(
        code=code,
        severity=severity,
        verdict=verdict,
        path=notebook.path,
        location=where,
        message=message,
        steps=steps,
        remedy=remedy,
        cell_id=str(page.id) if page else None,
        count=page.count if page else None,
        file_line=page.file_line(where.line) if page else None,
        anchor=page.line(where.line) if page else "",
    )
