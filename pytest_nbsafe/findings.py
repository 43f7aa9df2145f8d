"""What the tool has to say: findings with their verdict and their path of causes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pytest_nbsafe.codes import CODES, Severity
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.locations import Location
from pytest_nbsafe.pages import Page
from pytest_nbsafe.values import dataclass

Verdict = Literal["suspected", "observed", "confirmed", "refuted", "proved"]
Status = Literal["passed", "failed", "skipped", "not-analysed"]
_CONTRACT = "NBS501"
"""Its messages begin with the contract's name and a colon."""


@dataclass(frozen=True, slots=True)
class Step:
    """One link of a finding's path: at this line of this cell, `cause` happened.

    `cause` is a fragment of an English sentence, read after "cell N (line L)".
    """

    cell: int
    line: int
    cause: str


@dataclass(frozen=True, slots=True)
class Joined:
    """What is told along with a finding: the code and the fingerprint that it would have alone."""

    code: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a notebook, complete: where, what, why (steps), and what to do (remedy).

    `verdict` says how sure it is; severity `error` needs observed, confirmed or proved.
    `file_line` is the physical line in the .ipynb file, `anchor` the text the finding hangs on
    (the source line), which keys it across moves of the cell. `symbols` are the parts of names that
    it is about, where a run has shown which: `df['price']`. `fails_too` are the other cells that
    an error stood at which this one accounts for. `step_lines` are the physical lines of `steps`,
    0 for a step at no cell; they are there once the finding is complete. `joined` is what it tells
    along: the same fault at other places, and what it accounts for. `patch` are the lines of an
    edit that may mend it, cell by cell: what goes begins with "-", what comes with "+".
    """

    code: str
    severity: Severity
    verdict: Verdict
    path: str
    location: Location
    message: str
    steps: tuple[Step, ...] = ()
    remedy: str = ""
    cell_id: str | None = None
    count: int | None = None
    file_line: int | None = None
    anchor: str = ""
    symbols: tuple[str, ...] = ()
    fails_too: tuple[int, ...] = ()
    step_lines: tuple[int, ...] = ()
    joined: tuple[Joined, ...] = ()
    patch: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The code's readable name, such as `stale-output`."""
        return CODES[self.code].name

    @property
    def fingerprint(self) -> str:
        """A key of the finding's content that survives moving the cell or editing others.

        It is made of the code, the source line and what is marked in it. Cell ids are left out,
        for some tools number them again. What stands at no line is keyed by its message, and a
        contract's by the contract's name, for many contracts may speak of one place.
        """
        line = self.anchor.strip()
        parts = [self.code, line, self._marked if line else self.message]
        if line and self.code == _CONTRACT:
            parts.append(self.message.partition(": ")[0])
        text = "\0".join(parts)
        import hashlib

        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def _marked(self) -> str:
        """What is marked in the source line, to its end where the mark goes on below."""
        where = self.location
        ends_here = where.end_line in {None, where.line} and where.end_column
        end = where.end_column - 1 if ends_here and where.end_column else None
        return self.anchor[where.column - 1 : end].strip()


def sort_key(finding: Finding) -> tuple[str, int, int, int, str]:
    """Order findings by path, cell, line, column and code, as every report prints them."""
    where = finding.location
    return (finding.path, where.cell, where.line, where.column, finding.code)


def fails(finding: Finding, *, strict: bool) -> bool:
    """Return whether a finding fails what it stands at: an error, under strict a warning too."""
    return finding.severity == "error" or (strict and finding.severity == "warning")


@dataclass(frozen=True, slots=True)
class Cost:
    """What running one order took: seconds by the clock, and CPU seconds of its kernel."""

    order: str
    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Resumed:
    """How many `runs` of a notebook there were, and how many of them were `reused`.

    It saved seconds; in others such runs were made `again` after all, for values that others need.
    `told` are sentences: why nothing is reused, or what came out otherwise.
    """

    runs: int
    reused: int
    saved_s: float
    told: tuple[str, ...] = ()
    again_s: float = 0.0


@dataclass(frozen=True, slots=True)
class OrderOutcome:
    """What one order gave: `given` of the `of` cells with saved text showed it, `failed` raised.

    All of it is None where the order was not run, since it has too many runs.
    """

    order: str
    runs: int
    given: int | None
    of: int | None
    failed: int | None


@dataclass(frozen=True, slots=True)
class NotebookReport:
    """What became of one notebook.

    `orders` names the orders that were run (empty when nothing was executed); `note` says in a
    sentence why a notebook was skipped or not analysed; `known` counts the findings that are left
    out because the baseline holds them; `environment` is what its clean run took place in;
    `verdict` says in a word what the notebook is once all of it has run, `reasons` why;
    `remarks` are sentences that are told quietly: what it left behind, what was not looked for;
    under `strict` warnings fail too. `fixed` are the fingerprints that the baseline holds though
    there is nothing like them any more. `compared` is what each order gave, where all were asked
    for, the best first. `page` is what the notebook looks like, where a report shows it. `updated`
    is a diff of the outputs that were saved, as lines. `resumed` is what was reused of earlier
    runs, None where nothing was to be.
    """

    path: str
    cells: int
    orders: tuple[str, ...]
    status: Status
    duration_s: float
    note: str = ""
    costs: tuple[Cost, ...] = ()
    known: int = 0
    environment: Environment | None = None
    remarks: tuple[str, ...] = ()
    strict: bool = False
    fixed: tuple[str, ...] = ()
    verdict: str = ""
    reasons: tuple[str, ...] = ()
    compared: tuple[OrderOutcome, ...] = ()
    page: Page | None = None
    updated: tuple[str, ...] = ()
    resumed: Resumed | None = None

    @property
    def word(self) -> str:
        """The verdict as people read it, or the status where nothing was run.

        Where something else than its order fails a notebook, its order alone is clean.
        """
        if self.verdict == "clean" and self.status == "failed":
            return "clean order"
        return self.verdict or self.status


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one invocation found, findings sorted by `sort_key`.

    `root` is the folder that the paths are relative to, empty for the working folder.
    """

    findings: tuple[Finding, ...]
    notebooks: tuple[NotebookReport, ...]
    root: str = ""


def merged(reports: Iterable[Report]) -> Report:
    """Return one report of all, its findings sorted, the notebooks as they come."""
    reports = tuple(reports)
    findings = sorted((f for report in reports for f in report.findings), key=sort_key)
    return Report(tuple(findings), tuple(n for report in reports for n in report.notebooks))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one test item says: of a cell, or of the notebook as a whole (cell 0).

    `reason` completes "skipped: ..." or names why it failed in one line; `findings` are all that
    stand at this cell, whatever their severity; `traceback` is the plain text traceback of the
    cell when it raised, `output` what it printed and showed in the clean run, `errors` what it
    wrote to stderr there. `duration_s` is how long that run took. `opens` is the command that
    opens the state before it, empty where that is not kept.
    """

    cell: int
    status: Literal["passed", "failed", "skipped"]
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    traceback: str = ""
    output: str = ""
    errors: str = ""
    duration_s: float = 0.0
    opens: str = ""
