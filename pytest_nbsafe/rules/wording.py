"""The words that messages are made of: names, counts, saved text in quotes, what a cell did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pytest_nbsafe import sentences
from pytest_nbsafe.analysis import dependencies
from pytest_nbsafe.analysis.state import is_random, is_state, outlives_kernel
from pytest_nbsafe.environment import LOCK
from pytest_nbsafe.findings import Step
from pytest_nbsafe.judge.trial import PICTURE, Rerun
from pytest_nbsafe.order.plan import Plan, Run
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.side_runs import is_limit
from pytest_nbsafe.values import dataclass

_WIDTH = 60
_CHANGES = 5
_LEAD, _TAIL = 20, 15
"""Of two long lines: what is shown before the first place that differs, and at least after it."""
QUOTES = ("'", '"')
RUN_ALL = "restart the kernel, run all cells from the top, and save"
"""The remedy for a page whose cells are not known to have run in its own order."""


def called(symbol: str) -> str:
    """Return what a sentence calls a symbol: in backticks, a file by its path alone."""
    if is_random(symbol):
        return symbol
    return f"`{symbol[1:-1] if symbol[:1] in QUOTES else symbol}`"


def names(items: Iterable[str]) -> str:
    """Return symbols as a sentence calls them, listed in the order given."""
    return sentences.listed(map(called, items))


def few(items: Sequence[str], most: int = 4) -> str:
    """Return names in backticks, and of a long list how many more there are."""
    return sentences.few([called(item) for item in items], most)


def work_with_what_is_made_now(definer: int) -> str:
    """Return what to do where a cell fails with what another one makes by now."""
    now = f"make this cell work with what cell {definer} makes now"
    return f"{now}, or bring back what it made before"


def since_lock(facts: Facts) -> str:
    """Return what has changed since the notebook was locked, as the end of a message, or ""."""
    changes = facts.changes
    if not changes:
        return ""
    more = f"; {len(changes) - _CHANGES} more" if len(changes) > _CHANGES else ""
    return f"; since {LOCK} was written: {'; '.join(changes[:_CHANGES])}{more}"


def one_line(text: str, width: int = 200) -> str:
    """Return the text on one line, cut to what fits."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 3]}..."


def quoted(text: str) -> str:
    """Return the text in quotes, cut to what fits into a sentence."""
    return f'"{one_line(text, _WIDTH)}"'


def shown(text: str) -> str:
    """Return a line of output as a sentence names it: quoted, or "nothing" when empty."""
    return quoted(text) if text.strip() else "nothing"


def against_clean(saved: str, clean: str) -> str:
    """Return how a cell's saved text and that of a clean run differ; of long lines the part."""
    if saved == clean == PICTURE:
        return "shows a picture, a clean run shows a different one"
    pairs = enumerate(zip(saved, clean, strict=False))
    first = next((i for i, (old, new) in pairs if old != new), min(len(saved), len(clean)))
    if first > _WIDTH - _TAIL and saved.strip() and clean.strip():
        saved, clean = (f"...{text[first - _LEAD :]}" for text in (saved, clean))
    return f"shows {shown(saved)}, a clean run gives {shown(clean)}"


def ran_as(plan: Plan, step: int) -> str:
    """Return a phrase for one step of a plan: "as [4]", or how it came to be there."""
    run: Run | None = plan.runs[step - 1] if 0 < step <= len(plan.runs) else None
    if run is None:
        return "in its last run"
    if run.recorded and run.count is not None:
        return f"as [{run.count}]"
    return "in an earlier run, which the counts imply"


def refreshed_difference(rerun: Rerun | None) -> str:
    """Return what differs, as the end of a message; empty when nothing is known to."""
    if rerun is None or rerun.result != "differs" or not rerun.differences:
        return ""
    return f" ({rerun.differences[0]} when refreshed)"


def rerun_steps(rerun: Rerun | None, line: int) -> tuple[Step, ...]:
    """Return what came of running the cell again as a step of a path."""
    if rerun is None or rerun.result != "differs":
        return ()
    first = f", after {sentences.cells(rerun.after)}" if rerun.after else ""
    shows = sentences.listed(rerun.differences)
    return (Step(rerun.cell, line, f"run again in a copy of the kernel{first}: {shows}"),)


def not_run_again(rerun: Rerun | None, line: int) -> tuple[Step, ...]:
    """Return as a step of a path that a limit kept a cell from running again, if one did."""
    if rerun is None or not is_limit(rerun.cause):
        return ()
    cause = f"what it makes when it runs again is not known: {rerun.cause}"
    return (Step(rerun.cell, line, cause),)


# -- what a cell did to names ----------------------------------------------------------------------

_Kind = Literal["made", "changed", "drew from", "seeded", "wrote", "set"]
_DONE = {"drew from": "drawn from", "wrote": "written"}
_AGAIN = frozenset({"made", "wrote", "set"})


@dataclass(frozen=True, slots=True)
class Action:
    """What a cell did, and to what: names as a sentence calls them."""

    kind: _Kind
    names: str

    @property
    def once(self) -> str:
        """Return "made `a`", "drew from numpy's random state", without a word of before."""
        return f"{self.kind} {self.names}"

    @property
    def again(self) -> str:
        """Return "made `a` again", and without "again" what only changes: it keeps the old."""
        return f"{self.once} again" if self.kind in _AGAIN else self.once

    @property
    def done_again(self) -> str:
        """Return what stands behind "had": "made `a` again", "written `a.csv` again"."""
        done = f"{_DONE.get(self.kind, self.kind)} {self.names}"
        return f"{done} again" if self.kind in _AGAIN else done


def action(facts: Facts, cell: int, symbols: Sequence[str], shown: Sequence[str] = ()) -> Action:
    """Return what a cell did to names; `shown` are the parts of them that it is about."""
    return Action(_kind(facts, cell, symbols, shown), few(shown or symbols))


def _kind(facts: Facts, cell: int, symbols: Sequence[str], shown: Sequence[str]) -> _Kind:
    if only_changes(facts, cell, symbols) or {*shown}.difference(symbols):
        return "drew from" if is_random(symbols[0]) else "changed"
    if not is_state(symbols[0]):
        return "made"
    if is_random(symbols[0]):
        return "seeded"
    return "wrote" if outlives_kernel(symbols[0]) else "set"


def only_changes(facts: Facts, cell: int, symbols: Sequence[str]) -> bool:
    """Return whether a cell makes none of the symbols: what it does to them is to change them."""
    own = facts.graph.cells[cell].definitions
    through_calls = dependencies.changed_by_calls(facts.graph, cell)
    kinds = {d.kind for d in (*own, *through_calls) if d.name in symbols}
    return kinds == {"mutation"}
