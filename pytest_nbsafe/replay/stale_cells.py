"""Which cells of a session are stale, fresh, refreshers or cannot run, by the judge."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.replay.session_runs import (
    SessionEvidence,
    SessionRun,
    StepAnswer,
    contributions,
    status_of,
    step_answer,
)
from pytest_nbsafe.replay.stale_names import StaleNames
from pytest_nbsafe.trace.outputs.text_alone import text_lines
from pytest_nbsafe.trace.results import CellResult, Value, compared, entry_reads
from pytest_nbsafe.values import dataclass, replace

_UNBOUND = patterns.compile(r"name '(\w+)' is not defined.*")
_PICTURES = ("image/png", "image/jpeg")
_WRITTEN = patterns.compile(r"^(?:Overwriting|Appending to) ")  # %%writefile, the second time


@dataclass(frozen=True, slots=True)
class StaleCells:
    """What the names alone say of the cells; `wrong` have a result that a clean run does not give.

    `reads` are the stale names that each cell read when it last ran.
    """

    reads: Mapping[str, frozenset[str]]
    unrunnable: frozenset[str]
    wrong: frozenset[str]

    @property
    def stale(self) -> frozenset[str]:
        """The cells that read a stale name and can run."""
        return frozenset(cell for cell, names in self.reads.items() if names) - self.unrunnable


def cells(session: SessionEvidence, names: StaleNames) -> StaleCells:
    """Return what can be said of the cells before any is run again.

    Source: Macke et al. 2021, Def. 7. Departs: a cell reads what it really read when it last ran,
    not what some path of its text might; and where it reads certain parts of a name (`d["a"]`) that
    holds what it held then, and has the result of the clean run, what is stale are other parts.
    """
    last = session.last
    stale = frozenset(names.stale)
    wrong = frozenset(cell for cell, p in last.items() if _is_wrong(session, p.result, cell))
    reads = {cell: stale & entry_reads(p.result.records).keys() for cell, p in last.items()}
    for cell in reads.keys() - wrong:
        run = last[cell]
        if _is_comparable(session, run, cell):
            parts = session.text(cell).partly
            before, now = run.result.reads, session.now.names
            reads[cell] -= {name for name in parts if compared(name, before, now) == "same"}
    unrunnable = frozenset(cell for cell, p in last.items() if _lacks(session, p.result))
    return StaleCells(reads, unrunnable, wrong)


def to_rerun(known: StaleCells) -> frozenset[str]:
    """Return the cells of which it matters what they would do if they ran now."""
    wanted = frozenset[str]().union(*known.reads.values())
    return (known.wrong | known.stale if wanted else known.wrong) - known.unrunnable


def differ(session: SessionEvidence) -> bool:
    """Return whether any cell's result is not that of the first clean run."""
    return any(_is_wrong(session, p.result, cell) for cell, p in session.last.items())


def answer(
    session: SessionEvidence,
    names: StaleNames,
    known: StaleCells,
    reruns: Mapping[str, CellResult],
) -> StepAnswer:
    """Return what is said of the last step; `reruns` are results of cells if they ran now.

    Source: Macke et al. 2021, Def. 7-10. Departs: a cell is stale too when its result is wrong and
    running it again would not mend it; fresh when it would. A cell whose result is right is not
    fresh, whatever was made again. A refresher may be a stale cell, when running it gives what the
    clean run gives.
    """
    right = frozenset(cell for cell in reruns if not _is_wrong(session, reruns[cell], cell))
    unsure = known.wrong - known.unrunnable - reruns.keys()
    right |= frozenset(cell for cell in unsure if _has_clean_inputs(session, cell))
    stale = known.stale | frozenset(
        cell
        for cell in known.wrong - known.unrunnable - right
        if cell not in reruns or not session.is_chance(cell)  # else it may be chance again
    )
    fresh = (known.wrong & right) | _renewed(session, names, known)
    by_step = step_answer(
        session.page,
        session.runs[-1],
        names.stale,
        stale=stale,
        fresh=fresh - stale - known.unrunnable,
        refreshers=_refreshers(session, known, stale, right),
        unrunnable=known.unrunnable,
    )
    return replace(by_step, unknown=names.unknown, judged=True)


# ------------------------------------------------------------------ one cell


def _lacks(session: SessionEvidence, result: CellResult) -> bool:
    """Return whether a run needed a name that is bound no more."""
    failure = result.failure
    is_name_error = failure is not None and failure.ename in {"NameError", "UnboundLocalError"}
    missing = failure.evalue if failure is not None and is_name_error else ""
    unbound = _UNBOUND.fullmatch(missing)  # `del x` has read no value
    return any(
        name not in session.now.names
        and not is_known(name)
        and (name in result.reads or f"'{name}'" in missing)
        for name in result.entry_names | ({unbound[1]} - result.bound if unbound else frozenset())
    )


def _is_wrong(session: SessionEvidence, result: CellResult, cell: str) -> bool:
    """Return whether a cell's result is another than that of the clean runs.

    What counts are its outcome, its output and its values.
    """
    clean, repeated = session.clean.last(cell), session.repeated(cell)
    if clean is None:
        return False
    if _outcome(result) != _outcome(clean):
        return repeated is None or _outcome(repeated) == _outcome(clean)
    if shown(result) != shown(clean) and (repeated is None or shown(repeated) == shown(clean)):
        return True
    names = result.made | clean.made
    return any(_value_differs(session, result, clean, repeated, name) for name in names)


def _outcome(result: CellResult) -> str:
    failure = result.failure
    return f"{failure.ename}: {failure.evalue}" if failure is not None else status_of(result)


def shown(result: CellResult) -> tuple[str, ...]:
    """Return what a run showed, as far as it can be compared: text and pictures."""
    pictures = (
        str(output.data[mime])
        for output in result.outputs
        for mime in _PICTURES
        if mime in output.data
    )
    lines = (_WRITTEN.sub("Writing ", line) for line in text_lines(result.outputs))
    return (*lines, *pictures)


def _value_differs(
    session: SessionEvidence,
    result: CellResult,
    clean: CellResult,
    second_run: CellResult | None,
    name: str,
) -> bool:
    """Return whether a name has another value after a run than after the clean one.

    Where a run did not touch the name, it holds what it holds in the end. What a run leaves as the
    whole page does, and as it still is, is right: cells below have changed it before (`df =
    df.fillna(0)` again).
    """
    now, end = session.now.names, session.clean.holding.names
    ours = result.after if name in result.after else now
    if name in end and compared(name, now, end) == compared(name, ours, end) == "same":
        return False
    others, repeated = clean.after if name in clean.after else end, None
    if second_run is not None and session.second is not None:
        repeated = second_run.after if name in second_run.after else session.second.holding.names
    return compared(name, ours, others, repeated) in {"differs", "gone"}


def _has_clean_inputs(session: SessionEvidence, cell: str) -> bool:
    """Return whether a cell would read now what it reads in the clean run.

    One that read just that and has another result still lacks what has no name: it would raise
    again, and it may find other files.
    """
    clean, mine = session.clean.last(cell), session.last[cell].result
    if clean is None:
        return False
    names = mine.entry_names | clean.entry_names
    if not _same(names, session.now.names, clean.reads):
        return False
    if not _same(names, session.now.names, mine.reads):
        return True
    return mine.status == "ok" and _finds_clean_files(session, cell)


def _finds_clean_files(session: SessionEvidence, cell: str) -> bool:
    """Return whether a cell would find the files now that it finds in the clean run.

    Files that the page makes later may be there too.
    """
    now, wanted = session.now.beside, session.clean.before(cell)
    repeated = session.second.before(cell) if session.second is not None else wanted
    files = {place for place in wanted if place.startswith("file:")}
    more = {place for place in now if place.startswith("file:")} - files
    same = all(
        now.get(place) == wanted[place] or wanted[place] != repeated.get(place) for place in files
    )
    return same and more <= session.clean.holding.beside.keys()


def _same(
    names: AbstractSet[str], values: Mapping[str, Value], others: Mapping[str, Value]
) -> bool:
    """Return whether names hold what they hold elsewhere, or are missing in both."""
    return all(compared(name, values, others) not in {"differs", "gone"} for name in names)


# ------------------------------------------------------------------ sets of cells


def _renewed(session: SessionEvidence, names: StaleNames, known: StaleCells) -> frozenset[str]:
    """Return the cells whose results cannot be compared, and that would read a value made again."""
    return frozenset(
        cell
        for cell, run in session.last.items()
        if cell not in known.wrong and not _is_comparable(session, run, cell)
        if any(
            compared(name, run.result.after, session.now.names) == "differs"
            for name in entry_reads(run.result.records).keys() - names.stale.keys()
        )
    )


def _is_comparable(session: SessionEvidence, run: SessionRun, cell: str) -> bool:
    """Return whether all that a cell made, and one thing at least, could be compared."""
    clean = session.clean.last(cell)
    if clean is None:
        return False
    second_run = session.repeated(cell)
    if second_run is not None and shown(second_run) != shown(clean):
        return False
    repeated = second_run.after if second_run is not None else clean.after
    names = run.result.made | clean.made
    return all(compared(name, clean.after, repeated) in {"same", "gone"} for name in names)


def _refreshers(
    session: SessionEvidence,
    known: StaleCells,
    stale: AbstractSet[str],
    right: AbstractSet[str],
) -> frozenset[str]:
    """Return the cells that would make again a stale name which a stale cell reads.

    One that made what the name holds now, and would make it again, is none.
    """
    wanted = frozenset[str]().union(*(known.reads.get(cell, frozenset()) for cell in stale))
    makers = {name: contributions(session.runs, name)[-1:] for name in wanted}

    def would(cell: str, run: SessionRun) -> bool:
        if cell in right:
            return not wanted.isdisjoint(run.result.made)
        renewed = wanted & session.text(cell).dead
        return cell not in stale and any(
            all(maker.run.cell != cell for maker in makers[name]) for name in renewed
        )

    return frozenset(
        cell
        for cell, run in session.last.items()
        if cell not in known.unrunnable and would(cell, run)
    )
