"""The facts that rules read, the claims that they make, and the runs that went wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from pytest_nbsafe import environment
from pytest_nbsafe.analysis.model import Graph, Span
from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.config import Config
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.findings import Finding, Step, Verdict
from pytest_nbsafe.judge.trial import NOTHING_RAN, Trial
from pytest_nbsafe.locations import Location
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.results import CellResult, RunStatus
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.leak import Leak
    from pytest_nbsafe.module_files import ModuleFiles
    from pytest_nbsafe.project import Project

Mark = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything known of one notebook when the rules are asked.

    `plan` is the recorded or inferred plan, `suspicions` what its static lineage suspects, `trial`
    what was seen when it ran, `NOTHING_RAN` before that. `project` is what declares its
    dependencies, None where no rule asks for it or the notebook is no file. `locked` is the
    environment that was written down for the notebook. `module_files` remembers which modules of
    the repository were looked for, None where none were. `leaks` returns the leaks of data, each
    with words for the order of cells in which it holds, and looks for them when it is first asked.
    """

    notebook: Notebook
    config: Config
    graph: Graph
    plan: Plan
    suspicions: Suspicions
    trial: Trial = NOTHING_RAN
    project: Project | None = None
    locked: Environment | None = None
    leaks: Callable[[], tuple[tuple[Leak, str], ...]] = tuple
    module_files: ModuleFiles | None = None

    def clean(self, cell: int) -> CellResult | None:
        """Return what the clean run in page order made of a cell, None when it did not run."""
        return self.trial.clean.last(cell)

    def line_of(self, cell: int, name: str) -> int:
        """Return the line where a cell first defines a name, 1 where it does not."""
        definitions = self.graph.cells[cell].definitions
        return next((d.span.line for d in definitions if d.name == name), 1)

    @property
    def changes(self) -> tuple[str, ...]:
        """What has changed in the environment since it was locked, nothing where it was not."""
        now = self.trial.clean.environment
        return environment.changes(self.locked, now) if self.locked and now else ()

    def replay(self, cell: int) -> CellResult | None:
        """Return what the replayed plan made of a cell's last run, None when it did not run."""
        return self.trial.replay.last(cell) if self.trial.replay else None


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding, and the trouble that it accounts for, so that one fault ends as one finding.

    `explains` are marks of that trouble: ("raise", cell, 0) for a failing run, ("replay", cell, 0)
    for one that fails in the replayed plan alone, ("edge", definer, reader) for a contradicted
    dependency, ("stale", cell, 0) for an old result. A claim whose marks are all accounted for by
    stronger ones becomes a step of theirs; claims of one `fault` are told together, at the
    strongest and first of them. `also` is the step that stands for this claim in another's path.
    No error of a code in `unless` may stand if it is told, nor such a claim beside it if it warns.
    """

    finding: Finding
    explains: frozenset[Mark] = frozenset()
    fault: Hashable = None
    also: Step | None = None
    unless: frozenset[str] = frozenset()


def claim(
    facts: Facts,
    code: str,
    cell: int,
    span: Span | int,
    verdict: Verdict,
    message: str,
    *,
    steps: Iterable[Step] = (),
    remedy: str = "",
    severity: Severity | None = None,
    symbols: tuple[str, ...] = (),
    explains: Iterable[Mark] = (),
    fault: Hashable = None,
    also: str = "",
    unless: Iterable[str] = (),
) -> Claim:
    """Return a claim at a place in a cell (a span or a line), with what the notebook knows of it.

    Without `severity` it is the code's own, lowered to a warning while only suspected. `also` is
    what a step at this place says in another's path, empty for no step.
    """
    notebook = facts.notebook
    where = (
        Location(cell, span)
        if isinstance(span, int)
        else Location(cell, span.line, span.column, span.end_line, span.end_column)
    )
    page = notebook.cell(cell) if cell else None
    if severity is None:
        severity = CODES[code].severity
        if severity == "error" and verdict == "suspected":
            severity = "warning"
    finding = Finding(
        code=code,
        severity=severity,
        verdict=verdict,
        path=notebook.path,
        location=where,
        message=message,
        steps=tuple(steps),
        remedy=remedy,
        cell_id=str(page.id) if page else None,
        count=page.count if page else None,
        file_line=page.file_line(where.line) if page else None,
        anchor=page.line(where.line) if page else "",
        symbols=symbols,
    )
    step = Step(cell, where.line, also) if also else None
    return Claim(finding, frozenset(explains), fault, step, frozenset(unless))


def is_wrong(facts: Facts, cell: int) -> bool:
    """Return whether two clean runs agree on an output of the cell that the page does not show."""
    changed = facts.trial.changed.get(cell)
    return changed is not None and changed.why in {"", "order"}


# -- runs that went wrong --------------------------------------------------------------------------


def ended(facts: Facts, status: RunStatus) -> Iterator[CellResult]:
    """Return the results of the clean run that ended so."""
    return (result for result in facts.trial.clean.results if result.status == status)


def ended_in_replay(facts: Facts, status: RunStatus) -> Iterator[CellResult]:
    """Return the replayed runs that ended so, of cells that pass in page order; one a cell."""
    first: dict[int, CellResult] = {}
    for result in facts.trial.replay.results if facts.trial.replay else ():
        clean = facts.clean(result.cell)
        if result.status == status and clean is not None and clean.status == "ok":
            first.setdefault(result.cell, result)
    return iter(first.values())


def cut_short(facts: Facts, status: RunStatus) -> Iterator[tuple[CellResult, str, Severity | None]]:
    """Yield the runs that ended so, in which order if not in page order, and what that weighs."""
    for result in ended(facts, status):
        yield result, "", None
    for result in ended_in_replay(facts, status):
        yield result, f" in the {facts.plan.order} order; from top to bottom it passes", "warning"
