"""The cell raised when the notebook was run from top to bottom.

Why it matters: the notebook does not run. So does an exception in a thread or under
`%%capture`, a magic that does not exist, and a shell command that fails, as a step of a pipeline
does: IPython reports success for all of these. So it does for `%%script` with a program that is
not there, and for a `breakpoint()` that nobody answers.

Limits: a cell that is tagged `raises-exception` must raise, or run a command that fails; with
`raises-exception=KeyError` it must raise that. That a cell raised when it was saved, too, makes it
no better. A command that may fail ends with `|| true`. A failure that only the recorded order shows
is a warning, in a reconstructed order a note. A NameError is told as NBS101 or NBS102 where
these know the cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.codes import Severity
from pytest_nbsafe.environment import LOCK
from pytest_nbsafe.findings import Step
from pytest_nbsafe.notebook.model import Cell, is_skipped, may_raise, must_raise, saved_error
from pytest_nbsafe.rules import failure_remedies
from pytest_nbsafe.rules.base import Claim, Facts, Mark, claim, ended, ended_in_replay
from pytest_nbsafe.rules.wording import (
    RUN_ALL,
    action,
    one_line,
    ran_as,
    since_lock,
    work_with_what_is_made_now,
)
from pytest_nbsafe.sentences import listed
from pytest_nbsafe.trace.results import (
    CellResult,
    Incident,
    exception,
    printed_failures,
    shows_failure,
    undefined_name,
    why,
)
from pytest_nbsafe.trace.suspicions import OutdatedResult

_INCIDENTS: dict[str, tuple[Severity, str]] = {
    "shell": ("error", "a shell command failed"),
    "thread": ("error", "a thread raised while this cell ran"),
    "captured": ("error", "this cell raised, and its magic swallowed the exception"),
    "magic": ("error", "this magic does not exist"),
    "debugger": ("error", "nobody answers a debugger here"),
}
"""What each kind of incident weighs and says; a fault of our own tracer is not among them."""
_MEND = "mend the cell, or tag it raises-exception if it is meant to raise"
_REMEDIES = {
    "shell": "mend the command, or end it with `|| true` where it may fail",
    "thread": "mend what the thread runs, or catch the exception in it",
    "captured": _MEND,
    "magic": failure_remedies.MAGIC,
    "debugger": failure_remedies.DEBUGGER,
}
_FEW_GONE = 2
_PASSED = (
    "mend the cell: it passed when it was saved, so a library or a file has changed since, or the "
    "cell (after `nbsafe run --lock`, where it still passes, the next run says what)"
)

BAD = """\
# %% [1]
shares = [3, 0]
# %% [2]
print(shares[0] / shares[1]) #! NBS401
"""
GOOD = """\
# %% [1]
shares = [3, 2]
# %% [2]
print(shares[0] / shares[1])
#> 1.5
# %% [3] tags=raises-exception
shares[0] / 0
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell that failed."""
    for result in ended(facts, "raised"):
        ename = result.failure.ename if result.failure else ""
        if not may_raise(facts.notebook.cell(result.cell), ename):
            yield _raised(facts, result)
    for result in ended(facts, "ok"):
        page = facts.notebook.cell(result.cell)
        incidents = dict.fromkeys((*result.incidents, *_failed_magics(facts, result)))
        failed = exception(result) is not None or any(i.kind == "shell" for i in incidents)
        if must_raise(page) and not is_skipped(page) and not failed:
            yield _did_not_raise(facts, result)
        for incident in incidents:
            if incident.kind in _INCIDENTS and not may_raise(page):
                yield _incident(facts, result, incident)
    for result in ended_in_replay(facts, "raised"):
        page = facts.notebook.cell(result.cell)
        if not may_raise(page) and saved_error(page) is None:
            yield _raised_in_replay(facts, result)


def _raised(facts: Facts, result: CellResult) -> Claim:
    page = facts.notebook.cell(result.cell)
    shown = result.failure is not None and shows_failure(page, result.failure)
    message = f"this cell raised {_one_line(result)}{_held(result)}"
    replay = facts.replay(result.cell)
    if may_raise(page):
        message += ", which is not what its tag says"
    elif shown:
        message += ", just as its saved output shows"
    elif replay is not None and replay.status == "ok":
        message += f"; in the {facts.plan.order} order it does not"
    missing = failure_remedies.remedy(facts, result)
    since = () if shown or missing else _since(facts, result)
    if shown:
        remedy = missing or _MEND
    elif since:
        message += f"; cell {since[0].definer} was run again after it"
        remedy = work_with_what_is_made_now(since[0].definer)
    elif facts.changes:
        message += since_lock(facts)
        remedy = missing or f"bring back what {LOCK} names, or mend the cell and lock it again"
    else:
        remedy = missing or _outside(facts, page)
    return claim(
        facts,
        "NBS401",
        result.cell,
        result.failing_line,
        "observed",
        message,
        steps=(*_frames(result), *_made_since(facts, since)),
        remedy=remedy,
        explains=_marks(facts, result.cell, since),
        also=f"raised {_one_line(result)}",
    )


def _since(facts: Facts, result: CellResult) -> tuple[OutdatedResult, ...]:
    """Return what was made again after a cell had passed: of that it may fail now.

    An undefined name is missing whatever was run.
    """
    page = facts.notebook.cell(result.cell)
    ename, evalue = (result.failure.ename, result.failure.evalue) if result.failure else ("", "")
    if page.count is None or saved_error(page) is not None or undefined_name(ename, evalue):
        return ()
    return tuple(
        old for old in facts.suspicions.outdated if old.cell == result.cell and not old.through
    )


def _marks(facts: Facts, cell: int, since: Sequence[OutdatedResult]) -> frozenset[Mark]:
    marks: set[Mark] = {("raise", cell, 0), *(("edge", old.definer, cell) for old in since)}
    replayed = facts.replay(cell)
    if since and replayed is not None and replayed.status == "raised":
        marks.add(("replay", cell, 0))
    return frozenset(marks)


def _made_since(facts: Facts, since: Sequence[OutdatedResult]) -> Iterator[Step]:
    for definer in dict.fromkeys(old.definer for old in since):
        olds = [old for old in since if old.definer == definer]
        does = action(facts, definer, [old.name for old in olds]).again
        when = ran_as(facts.plan, olds[0].definer_at[0])
        after = f"after this cell had passed {ran_as(facts.plan, olds[0].step)}"
        yield Step(definer, olds[0].definer_line, f"{does} {when}, {after}")


def _outside(facts: Facts, page: Cell) -> str:
    """Return what to do about a cell, and what may have changed where it is known to have passed.

    A count or two that are missing just before its own are those of cells that ran, and are gone.
    """
    if may_raise(page):
        return "mend the cell, or name in its tag what it is meant to raise"
    if page.count is None or saved_error(page) is not None:
        return _MEND
    counts = {cell.count for cell in facts.notebook.code_cells}
    above = [count for count in counts if count is not None and count < page.count]
    gone = sorted({*range(min(above, default=page.count), page.count)} - counts)
    if 0 < len(gone) <= _FEW_GONE:
        ran = listed(f"[{count}]" for count in gone)
        return f"bring back what ran as {ran} and is gone from the page, or mend the cell"
    return _PASSED


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


def _did_not_raise(facts: Facts, result: CellResult) -> Claim:
    message = "this cell is tagged raises-exception, but it did not raise"
    remedy = "remove the tag, or bring the exception back"
    return claim(facts, "NBS401", result.cell, 1, "observed", message, remedy=remedy)


def _incident(facts: Facts, result: CellResult, incident: Incident) -> Claim:
    cell = result.cell
    severity, says = _INCIDENTS[incident.kind]
    message = f"{says}: {one_line(incident.message)}" if incident.message else says
    failure = exception(result) if incident.kind == "captured" else None
    if failure is not None and shows_failure(facts.notebook.cell(cell), failure):
        message += ", just as its saved output shows"
    raised = {("raise", cell, 0)} if incident.kind == "captured" else ()
    return claim(
        facts,
        "NBS401",
        cell,
        max(incident.line, 1),
        "observed",
        message,
        remedy=_REMEDIES[incident.kind],
        severity=severity,
        explains=raised,
        also=message,
    )


def _failed_magics(facts: Facts, result: CellResult) -> Iterator[Incident]:
    """Yield each magic of which IPython only printed that it failed."""
    printed = printed_failures(result)
    if not printed:
        return
    for escape in trees.python_of(facts.graph, result.cell).escapes:
        folder = escape.text.strip().strip("\"'") if escape.name == "cd" else ""
        end = f"{folder.removeprefix('~')}'"
        if folder and any(line.startswith("[Errno ") and line.endswith(end) for line in printed):
            yield Incident("shell", escape.line, f"`%cd {folder}`: the folder cannot be entered")
        if escape.name == "debug" and any("StdinNotImplementedError" in line for line in printed):
            yield Incident("debugger", escape.line, "`%debug`")
    lines = facts.notebook.cell(result.cell).source.split("\n")
    number = next((number for number, line in enumerate(lines, 1) if line.strip()), 1)
    first = lines[number - 1].strip()
    if first.startswith("%%") and any(line.startswith("Couldn't find") for line in printed):
        yield Incident("shell", number, f"`{first}`: there is no such program")


def _raised_in_replay(facts: Facts, result: CellResult) -> Claim:
    recorded = facts.plan.order == "recorded"
    message = f"this cell raised {_one_line(result)}{_held(result)}"
    message += f" in the {facts.plan.order} order; "
    message += "from top to bottom it passes"
    return claim(
        facts,
        "NBS401",
        result.cell,
        result.failing_line,
        "observed",
        message,
        steps=_frames(result),
        remedy=RUN_ALL,
        severity="warning" if recorded else "note",
        explains={("replay", result.cell, 0)},
    )


def _one_line(result: CellResult) -> str:
    return one_line(why(result))


def _held(result: CellResult) -> str:
    """Return what the operands of an assert held that failed, in brackets, "" where none did."""
    values = result.failure.held if result.failure else ()
    held = ", ".join(f"`{expression}` was {one_line(value)}" for expression, value in values)
    return f" ({held})" if held else ""
