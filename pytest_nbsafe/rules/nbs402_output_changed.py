"""The saved output is not what the cell gives.

Why it matters: the page shows what its code, its modules and its data do not give. A cell was
edited and not run again, a file or a module has changed since, an output was removed or written by
hand: who reads the page is told something that is not so.

Limits: outputs are compared as a person would: numbers within a tolerance, tables cell by cell,
pictures pixel by pixel, without what chance, the clock or the machine decides. It is an error when
two clean runs agree on what the page does not show. Where other versions of libraries may give it
(numbers in their last digits, rows in another order, exceptions that the page does not show), it is
one warning for the notebook. What the recorded order gives is told by NBS201 and NBS103; what
unseeded draws give, by NBS405; cells that look at the clock, the machine or which files there are,
or that start threads, are not judged. What may have changed is named, the likelier first: what
other cells show of it as it was saved speaks against it; of what is made from a cell that has
changed, that cell. `nbsafe:output=off` on a cell leaves it out, `nbsafe:output=exact` is strict.

Source: the test that nbval makes, which compares text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from pytest_nbsafe.analysis import syntax
from pytest_nbsafe.analysis.dependencies import downstream, page_edges, upstream
from pytest_nbsafe.environment import LOCK
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.makers import makes_values
from pytest_nbsafe.judge.trial import ChangedOutput
from pytest_nbsafe.notebook.model import minor_version, saved_python
from pytest_nbsafe.rules import output_causes
from pytest_nbsafe.rules.base import Claim, Facts, claim
from pytest_nbsafe.rules.wording import RUN_ALL, one_line, since_lock
from pytest_nbsafe.sentences import listed

_MOST_STEPS = 4
_WIDTH = 400

BAD = """\
# %% [1]
share = 0.71
# %% [2]
print("accuracy", share) #! NBS402
#> accuracy 0.99
"""
GOOD = """\
# %% [1]
share = 0.71
# %% [2]
print("accuracy", share)
#> accuracy 0.71
"""


def check(facts: Facts) -> Iterator[Claim]:
    """Yield a claim for each cell whose saved output is not what it gives; one for libraries."""
    changed = facts.trial.changed
    suspected = facts.suspicions.cells
    by_order = {*suspected, *downstream(facts.graph, *suspected)}
    by_libraries = [c for c in changed.values() if c.why == "libraries" and c.cell not in by_order]
    if by_libraries:
        yield _of_libraries(facts, by_libraries)
    for each in changed.values():
        if each.why in {"", "unrepeated"}:
            yield _claim(facts, each)


def _claim(facts: Facts, changed: ChangedOutput) -> Claim:
    causes = output_causes.causes(facts, changed.cell)
    message = _says(facts, changed) + since_lock(facts)
    if changed.why:
        message += "; whether chance did it is not known, for no second run came to this cell"
    return claim(
        facts,
        "NBS402",
        changed.cell,
        _line(facts, changed),
        "suspected" if changed.why else "confirmed",
        message,
        steps=causes.steps,
        remedy=_locked(facts) or f"{RUN_ALL}{_otherwise(facts, changed.cell, causes.begins_at)}",
        explains={("stale", changed.cell, 0)},
        also=f"shows another output than a clean run: {changed.difference.detail}",
    )


def _otherwise(facts: Facts, cell: int, first: int | None) -> str:
    """Return what to do where it is the new output that is wrong, as the end of a remedy."""
    if output_causes.never_ran(facts, cell):
        return ""
    look = "see what has changed there" if first is None else f"begin with cell {first}"
    return f"; if the new output is the wrong one, {look}"


def _says(facts: Facts, changed: ChangedOutput) -> str:
    difference, page = changed.difference, facts.notebook.cell(changed.cell)
    detail = one_line(difference.detail, _WIDTH).removeprefix("line 1: ")
    gives = f"gives {one_line(difference.new)}" if difference.new else f"gives a {difference.form}"
    if difference.kind == "new" and not page.outputs:
        if page.count is None:
            what = "did not run, or was cleared"
            return f"this cell has no count and no output: it {what}; it {gives}"
        return f"no output is saved here, though the cell ran as [{page.count}]; it {gives}"
    if difference.kind == "missing":
        return f"the {difference.place} saved here is not what this cell gives: {detail}"
    if difference.kind == "new":
        return f"this cell gives {difference.place} that is not saved: {detail}"
    if difference.kind == "other kind":
        return f"the output is of another kind (saved -> now): {detail}"
    return f"the output has changed (saved -> now): {detail}"


def _line(facts: Facts, changed: ChangedOutput) -> int:
    """Return the line that shows what differs, as far as the text tells: the last, or a `print`."""
    analysis = facts.graph.cells.get(changed.cell)
    shows = [s for s in analysis.statements if not s.kind] if analysis else []
    printing = syntax.of(facts.graph, changed.cell).invocations
    lines = [call.span.line for call in printing if call.callee == "print" and not call.function]
    if changed.difference.place == "printed text" and lines:
        return lines[0]
    return shows[-1].span.line if shows else 1


# -- other versions --------------------------------------------------------------------------------


def _of_libraries(facts: Facts, changed: Sequence[ChangedOutput]) -> Claim:
    first, others = changed[0], len(changed) - 1
    libraries = _libraries(facts, first.cell)
    message = f"{_says(facts, first)}; other versions of {libraries} may give that"
    if others:
        message += f", here and in {others} other {'cells' if others > 1 else 'cell'}"
    message += since_lock(facts)
    return claim(
        facts,
        "NBS402",
        first.cell,
        _line(facts, first),
        "suspected",
        message,
        steps=[
            Step(each.cell, _line(facts, each), one_line(each.difference.detail))
            for each in changed[1:_MOST_STEPS]
        ],
        remedy=_locked(facts)
        or f"{RUN_ALL}, with the versions of today; or pin those that it was written for",
        explains={("stale", each.cell, 0) for each in changed},
    )


def _locked(facts: Facts) -> str:
    """Return what to do where it is known what has changed since the notebook was locked."""
    if not facts.changes:
        return ""
    return f"bring back what {LOCK} names; or {RUN_ALL}, and lock it again"


def _libraries(facts: Facts, cell: int) -> str:
    """Return the libraries that have a part in what a cell shows, and a Python that is not ours."""
    above = (*upstream(page_edges(facts.graph), cell), cell)
    imports = (each for number in above for each in syntax.imports(facts.graph, number))
    modules = {each.module for each in imports if not each.level}
    making = filter(partial(makes_values, libraries=facts.notebook.libraries), modules)
    libraries = sorted({each.partition(".")[0] for each in making})[:_MOST_STEPS]
    saved = saved_python(facts.notebook)
    if saved is None or saved == minor_version(facts.trial.clean.python):
        return listed(libraries) or "Python"
    return listed([f"Python (it was {saved[0]}.{saved[1]} when this was saved)", *libraries])
