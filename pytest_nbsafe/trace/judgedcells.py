"""Which cells of a session are stale, fresh, refreshers or cannot run, by the judge."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.trace.judge import Bench, Names, compared, is_chance
from pytest_nbsafe.trace.model import CellResult, Value
from pytest_nbsafe.trace.outputs import text_lines
from pytest_nbsafe.trace.sessions import (
    Passed,
    StepAnswer,
    bound,
    contributions,
    entry_reads,
    in_page_order,
    last_runs,
    made,
    values_read,
)
from pytest_nbsafe.values import dataclass

_UNBOUND = patterns.compile(r"name '(\w+)' is not defined.*")
_PICTURES = ("image/png", "image/jpeg")
_WRITTEN = patterns.compile(r"^(?:Overwriting|Appending to) ")  # %%writefile, the second time


@dataclass(frozen=True, slots=True)
class Cells:
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


def cells(bench: Bench, names: Names) -> Cells:
    """Return what can be said of the cells before any is run once more.

    Source: Macke et al. 2021, Def. 7. Departs: a cell reads what it really read when it last ran,
    not what some path of its text might.
    """
    last = _last(bench)
    stale = names.stale.keys()
    return Cells(
        reads={cell: values_read(p.result) & stale for cell, p in last.items()},
        unrunnable=frozenset(cell for cell, p in last.items() if _lacks(bench, p.result)),
        wrong=frozenset(cell for cell, p in last.items() if _is_wrong(bench, p.result, cell)),
    )


def _last(bench: Bench) -> Mapping[str, Passed]:
    """Return the last run of each cell that is still on the page."""
    return {cell: run for cell, run in last_runs(bench.runs).items() if cell in bench.page}


def to_rerun(found: Cells) -> frozenset[str]:
    """Return the cells of which it matters what they would do if they ran now."""
    wanted = frozenset[str]().union(*found.reads.values())
    return (found.wrong | found.stale if wanted else found.wrong) - found.unrunnable


def differ(bench: Bench) -> bool:
    """Return whether any cell's result is not that of the first clean run."""
    return any(_is_wrong(bench, p.result, cell) for cell, p in _last(bench).items())


def answer(
    bench: Bench,
    names: Names,
    found: Cells,
    reruns: Mapping[str, CellResult],
    dead: Mapping[int, AbstractSet[str]],
) -> StepAnswer:
    """Return what is said of the last step; `reruns` are results of cells if they ran now.

    `dead` are the names that a text surely binds anew (Def. 6).

    Source: Macke et al. 2021, Def. 7-10. Departs: a cell is stale too when its result is wrong and
    running it again would not mend it; fresh when it would. A cell whose result is right is not
    fresh, whatever was made anew. A refresher may be a stale cell, when running it gives what the
    clean run gives.
    """
    right = frozenset(cell for cell in reruns if _mends(bench, reruns[cell], cell))
    unsure = found.wrong - found.unrunnable - reruns.keys()
    right |= frozenset(cell for cell in unsure if _has_clean_inputs(bench, cell))
    stale = found.stale | frozenset(
        cell for cell in found.wrong - found.unrunnable - right if _is_told(bench, cell, reruns)
    )
    fresh = (found.wrong & right) | _renewed(bench, names, found)
    passed = bench.runs[-1]
    return StepAnswer(
        step=passed.step,
        cell=passed.cell,
        status=status_of(passed.result),
        stale_symbols=tuple(sorted(names.stale)),
        stale_cells=in_page_order(bench.page, stale),
        fresh_cells=in_page_order(bench.page, fresh - stale - found.unrunnable),
        refresher_cells=in_page_order(bench.page, _refreshers(bench, found, stale, right, dead)),
        unrunnable_cells=in_page_order(bench.page, found.unrunnable),
        unknown=names.unknown,
        causes=names.stale,
        judged=True,
        reason=passed.result.reason,
    )


def status_of(result: CellResult) -> str:
    """Return the word for how a step ended."""
    words = {"ok": "ok", "skipped": "skipped", "not-reached": "skipped"}
    return words.get(result.status, "error")


# ------------------------------------------------------------------ one cell


def _lacks(bench: Bench, result: CellResult) -> bool:
    """Return whether a run needed a name that is bound no more."""
    missing = result.failure.evalue if _is_name_error(result) and result.failure else ""
    found = _UNBOUND.fullmatch(missing)  # `del x` has read no value
    return any(
        name not in bench.now.names
        and not is_known(name)
        and (name in result.reads or f"'{name}'" in missing)
        for name in entry_reads(result) | ({found[1]} - bound(result) if found else frozenset())
    )


def _is_name_error(result: CellResult) -> bool:
    return result.failure is not None and result.failure.ename in {"NameError", "UnboundLocalError"}


def _is_wrong(bench: Bench, result: CellResult, cell: str) -> bool:
    """Return whether a cell's result is another than that of the clean runs."""
    clean = bench.clean.last(cell)
    if clean is None:
        return False
    again = bench.again.last(cell) if bench.again is not None else None
    return _differs(bench, result, clean, again)


def _mends(bench: Bench, rerun: CellResult, cell: str) -> bool:
    """Return whether a cell that ran once more gave what the clean runs give."""
    return not _is_wrong(bench, rerun, cell)


def _made(result: CellResult, clean: CellResult) -> frozenset[str]:
    return made(result) | made(clean)


def _differs(bench: Bench, result: CellResult, clean: CellResult, again: CellResult | None) -> bool:
    """Return whether two runs of one text gave another result: outcome, output or values."""
    if _outcome(result) != _outcome(clean):
        return again is None or _outcome(again) == _outcome(clean)
    if shown(result) != shown(clean) and (again is None or shown(again) == shown(clean)):
        return True
    return any(_value_differs(bench, result, clean, again, name) for name in _made(result, clean))


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
    bench: Bench, result: CellResult, clean: CellResult, again: CellResult | None, name: str
) -> bool:
    """Return whether a name has another value after a run than after the clean one.

    Where a run did not touch the name, it holds what it holds in the end. What a run leaves as the
    whole page does, and as it still is, is right: cells below have changed it before (`df =
    df.fillna(0)` once more).
    """
    value = result.after.get(name) or bench.now.names.get(name)
    other = clean.after.get(name) or bench.clean.holding.names.get(name)
    if value is not None and other is not None:
        now, end = bench.now.names.get(name), bench.clean.holding.names.get(name)
        if now and end and compared(now, end, None) == compared(value, end, None) == "same":
            return False
        second = again.after.get(name) if again is not None else None
        return compared(value, other, second) == "differs"
    if value is None and other is None:
        return False
    return again is None or (name in again.after) == (name in clean.after)


def _has_clean_inputs(bench: Bench, cell: str) -> bool:
    """Return whether a cell would read now what it reads in the clean run.

    One that read just that and has another result still lacks what has no name: it would raise
    again, and it may find other files.
    """
    clean, mine = bench.clean.last(cell), _last(bench)[cell].result
    if clean is None:
        return False
    names = entry_reads(mine) | entry_reads(clean)
    if not _same(names, bench.now.names, clean.reads):
        return False
    if not _same(names, bench.now.names, mine.reads):
        return True
    return mine.status == "ok" and _finds_clean_files(bench, cell)


def _finds_clean_files(bench: Bench, cell: str) -> bool:
    """Return whether a cell would find the files now that it finds in the clean run.

    Files that the page makes later may be there too.
    """
    now, found = bench.now.beside, bench.clean.before(cell)
    again = bench.again.before(cell) if bench.again is not None else found
    known = {place for place in found if place.startswith("file:")}
    more = {place for place in now if place.startswith("file:")} - known
    same = all(
        now.get(place) == found[place] or found[place] != again.get(place) for place in known
    )
    return same and more <= bench.clean.holding.beside.keys()


def _same(
    names: AbstractSet[str], values: Mapping[str, Value], others: Mapping[str, Value]
) -> bool:
    """Return whether names hold what they hold elsewhere, or are missing in both."""
    for name in names:
        value, other = values.get(name), others.get(name)
        if value is None and other is None:
            continue
        if value is None or other is None or compared(value, other, None) == "differs":
            return False
    return True


def _is_told(bench: Bench, cell: str, reruns: Mapping[str, CellResult]) -> bool:
    """Return whether it is known that running a cell again would not mend its result."""
    if cell in reruns:
        return not is_chance(bench, cell)
    return True


# ------------------------------------------------------------------ sets of cells


def _renewed(bench: Bench, names: Names, found: Cells) -> frozenset[str]:
    """Return the cells whose results cannot be compared, and that would read a value made anew."""
    return frozenset(
        cell
        for cell, passed in _last(bench).items()
        if cell not in found.wrong and not _is_comparable(bench, passed, cell)
        if any(
            _is_newer(bench, passed, name)
            for name in values_read(passed.result) - names.stale.keys()
        )
    )


def _is_comparable(bench: Bench, passed: Passed, cell: str) -> bool:
    """Return whether all that a cell made, and one thing at least, could be compared."""
    clean = bench.clean.last(cell)
    if clean is None:
        return False
    again = bench.again.last(cell) if bench.again is not None else None
    if again is not None and shown(again) != shown(clean):
        return False
    values = [clean.after.get(name) for name in _made(passed.result, clean)]
    seconds = [
        again.after.get(name) if again is not None else clean.after.get(name)
        for name in _made(passed.result, clean)
    ]
    return all(
        value is None or second is None or (value.hash and value.hash == second.hash)
        for value, second in zip(values, seconds, strict=True)
    )


def _is_newer(bench: Bench, passed: Passed, name: str) -> bool:
    """Return whether a name holds another value than when the cell's last run ended."""
    then, now = passed.result.after.get(name), bench.now.names.get(name)
    if then is None or now is None or not then.hash or not now.hash:
        return False
    return then.hash != now.hash


def _refreshers(
    bench: Bench,
    found: Cells,
    stale: AbstractSet[str],
    right: AbstractSet[str],
    dead: Mapping[int, AbstractSet[str]],
) -> frozenset[str]:
    """Return the cells that would make anew a stale name which a stale cell reads.

    One that made what the name holds now, and would make it again, is none.
    """
    wanted = frozenset[str]().union(*(found.reads.get(cell, frozenset()) for cell in stale))
    last = _last(bench)
    makers = {name: contributions(bench.runs, name)[-1:] for name in wanted}

    def would(cell: str, passed: Passed) -> bool:
        if cell in right:
            return not wanted.isdisjoint(made(passed.result))
        renewed = wanted & dead.get(bench.latest[cell], frozenset())
        return cell not in stale and any(
            all(maker.passed.cell != cell for maker in makers[name]) for name in renewed
        )

    return frozenset(
        cell
        for cell, passed in last.items()
        if cell not in found.unrunnable and would(cell, passed)
    )
