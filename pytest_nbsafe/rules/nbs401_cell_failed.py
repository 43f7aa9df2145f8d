"""NBS401: a cell raised, or something in it failed though the run reported success."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_nbsafe.codes import Severity
from pytest_nbsafe.findings import Step
from pytest_nbsafe.rules.base import Claim, Facts, Needs, finding
from pytest_nbsafe.rules.page import is_skipped, may_raise, saved_error, shows_failure
from pytest_nbsafe.rules.runs import ended, ended_in_replay, exception, why
from pytest_nbsafe.rules.words import one_line
from pytest_nbsafe.trace.model import CellResult, Incident

_INCIDENTS: dict[str, tuple[Severity, str]] = {
    "shell": ("warning", "a shell command failed"),
    "thread": ("error", "a thread raised while this cell ran"),
    "captured": ("error", "this cell raised, and its magic swallowed the exception"),
    "magic": ("error", "this magic does not exist"),
}
"""What each kind of incident weighs and says; a fault of our own tracer is not among them."""


class CellFailed:
    """The cell raised when the notebook was run from top to bottom.

    Why it matters: the notebook does not run. So does an exception in a thread or under
    `%%capture`, and a magic that does not exist: IPython reports success for all three. A failing
    shell command is a warning.

    Limits: a cell that raises just what its saved output shows is a note (an error when strict);
    one that is tagged `raises-exception` must raise. A failure that only the recorded order shows
    is a warning, in a reconstructed order a note. A NameError is told as NBS101 or NBS102 where
    these know the cause.
    """

    code: ClassVar[str] = "NBS401"
    needs: ClassVar[Needs] = "run"
    bad: ClassVar[str] = """\
# %% [1]
shares = [3, 0]
# %% [2]
print(shares[0] / shares[1]) #! NBS401
"""
    good: ClassVar[str] = """\
# %% [1]
shares = [3, 2]
# %% [2]
print(shares[0] / shares[1])
#> 1.5
# %% [3] tags=raises-exception
shares[0] / 0
"""

    def check(self, facts: Facts) -> Iterator[Claim]:
        """Yield a claim for each cell that failed."""
        for result in ended(facts, "raised"):
            if not may_raise(facts.notebook.cell(result.cell)):
                yield _raised(facts, result)
        for result in ended(facts, "ok"):
            page = facts.notebook.cell(result.cell)
            if may_raise(page) and not is_skipped(page) and exception(result) is None:
                yield _did_not_raise(facts, result)
            for incident in dict.fromkeys(result.incidents):
                if incident.kind in _INCIDENTS and not may_raise(page):
                    yield _incident(facts, result, incident)
        for result in ended_in_replay(facts, "raised"):
            page = facts.notebook.cell(result.cell)
            if not may_raise(page) and saved_error(page) is None:
                yield _raised_in_replay(facts, result)


def _raised(facts: Facts, result: CellResult) -> Claim:
    page = facts.notebook.cell(result.cell)
    shown = result.failure is not None and shows_failure(page, result.failure)
    message = f"this cell raised {_one_line(result)}"
    replay = facts.replay(result.cell)
    if shown:
        message += ", just as its saved output shows"
    elif replay is not None and replay.status == "ok":
        message += f"; in the {facts.plan.order} order it does not"
    remedy = "tag the cell raises-exception if it is meant to raise" if shown else _remedy(result)
    severity: Severity | None = "note" if shown and not facts.config.strict else None
    line = result.failing_line
    return Claim(
        finding(
            facts,
            "NBS401",
            result.cell,
            line,
            "observed",
            message,
            steps=_frames(result),
            remedy=remedy,
            severity=severity,
        ),
        explains=frozenset({("raise", result.cell, 0)}),
        also=Step(result.cell, line, f"raised {_one_line(result)}"),
    )


def _frames(result: CellResult) -> tuple[Step, ...]:
    """Return the way of the exception through the functions of other cells, outermost first."""
    frames = result.failure.frames if result.failure else ()
    if all(cell == result.cell for cell, _ in frames):
        return ()
    way = list(dict.fromkeys(frames))
    steps = [
        Step(cell, line, f"calls into cell {way[i + 1][0]}")
        for i, (cell, line) in enumerate(way[:-1])
    ]
    return (*steps, Step(*way[-1], f"raised {_one_line(result)}"))


def _remedy(result: CellResult) -> str:
    ename = result.failure.ename if result.failure else ""
    if ename == "StdinNotImplementedError":
        return "nobody can type an answer in a test run: set the value, or tag it skip-execution"
    if ename in {"ModuleNotFoundError", "ImportError"}:
        return "install what is imported into the environment of the notebook's kernel"
    if ename == "UsageError":
        return "load the extension that the magic comes with, or drop it"
    return ""


def _did_not_raise(facts: Facts, result: CellResult) -> Claim:
    message = "this cell is tagged raises-exception, but it did not raise"
    remedy = "remove the tag, or bring the exception back"
    return Claim(finding(facts, "NBS401", result.cell, 1, "observed", message, remedy=remedy))


def _incident(facts: Facts, result: CellResult, incident: Incident) -> Claim:
    cell = result.cell
    severity, says = _INCIDENTS[incident.kind]
    message = f"{says}: {one_line(incident.message)}" if incident.message else says
    failure = exception(result) if incident.kind == "captured" else None
    if failure is not None and shows_failure(facts.notebook.cell(cell), failure):
        message += ", just as its saved output shows"
        severity = severity if facts.config.strict else "note"
    line = max(incident.line, 1)
    raised = {("raise", cell, 0)} if incident.kind == "captured" else ()
    return Claim(
        finding(facts, "NBS401", cell, line, "observed", message, severity=severity),
        explains=frozenset(raised),
        also=Step(cell, line, message),
    )


def _raised_in_replay(facts: Facts, result: CellResult) -> Claim:
    recorded = facts.plan.order == "recorded"
    message = f"this cell raised {_one_line(result)} in the {facts.plan.order} order; "
    message += "from top to bottom it passes"
    return Claim(
        finding(
            facts,
            "NBS401",
            result.cell,
            result.failing_line,
            "observed",
            message,
            steps=_frames(result),
            remedy="restart the kernel, run all cells from the top, and save",
            severity="warning" if recorded else "note",
        ),
        explains=frozenset({("replay", result.cell, 0)}),
    )


def _one_line(result: CellResult) -> str:
    return one_line(why(result))
