"""What lineage says after a step that no clean run judges: which names and cells are suspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.trace.judgedcells import status_of
from pytest_nbsafe.trace.model import Value
from pytest_nbsafe.trace.sessions import (
    Passed,
    StepAnswer,
    bound,
    flows,
    in_page_order,
    last_runs,
    values_read,
)
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class _Version:
    """What a name holds: the run that bound it, and the values that its inputs had then."""

    passed: Passed
    place: int
    inputs: Mapping[str, Value | None]


class Ledger:
    """The names of a session while its steps are run: who made each from what, and its value now.

    Source: Macke et al. 2021, Def. 2-4. Departs: an input that was made anew counts only where its
    value is another now, and where its maker stands above the reader on the page (in
    `n = len(df)` and then `df = df.dropna()` the length is meant to be the old one). A name that
    only an older text of its cell has made is stale too.
    """

    def __init__(
        self,
        page: Sequence[str],
        dead: Mapping[int, AbstractSet[str]],
        makes: Mapping[int, frozenset[str]],
    ) -> None:
        self._page = tuple(page)
        self._place = {cell: place for place, cell in enumerate(page)}
        self._dead = dead
        self._makes = makes
        self._runs: list[Passed] = []
        self._versions: dict[str, _Version] = {}
        self._values: dict[str, Value] = {}

    def add(self, passed: Passed) -> None:
        """Take in a step that has been run."""
        place, result = len(self._runs), passed.result
        self._runs.append(passed)
        made = flows(result)
        anew = bound(result)
        for name, sources in made.items():
            old = self._versions.get(name)
            kept = {} if name in anew or old is None else old.inputs
            inputs = {source: result.reads.get(source) for source in sources - {name}}
            self._versions[name] = _Version(passed, place, {**kept, **inputs})
        for record in result.records:
            for name in record.deletes - result.after.keys():
                self._versions.pop(name, None)
                self._values.pop(name, None)
        self._values.update(result.after)

    def answer(self) -> StepAnswer:
        """Return what is suspect after the last step."""
        passed = self._runs[-1]
        stale = self._stale()
        last = last_runs(self._runs)
        reads = {cell: values_read(p.result) for cell, p in last.items()}
        lacking = frozenset(c for c, p in last.items() if self._lacks(p, reads[c]))
        cells = frozenset(c for c in last if not stale.keys().isdisjoint(reads[c])) - lacking
        fresh = frozenset(
            c for c in last.keys() - cells - lacking if self._is_fresh(last[c], reads[c])
        )
        wanted = frozenset[str]().union(*(reads[c] & stale.keys() for c in cells))
        refreshers = frozenset(
            c
            for c in last.keys() - cells - lacking
            if not wanted.isdisjoint(self._dead.get(last[c].result.cell, ()))
        )
        return StepAnswer(
            step=passed.step,
            cell=passed.cell,
            status=status_of(passed.result),
            stale_symbols=tuple(sorted(stale)),
            stale_cells=in_page_order(self._page, cells),
            fresh_cells=in_page_order(self._page, fresh),
            refresher_cells=in_page_order(self._page, refreshers),
            unrunnable_cells=in_page_order(self._page, lacking),
            causes=stale,
            reason=passed.result.reason,
        )

    def _lacks(self, passed: Passed, reads: AbstractSet[str]) -> bool:
        known = passed.result.reads
        return any(n in known and n not in self._values and not is_known(n) for n in reads)

    def _is_fresh(self, passed: Passed, reads: AbstractSet[str]) -> bool:
        """Return whether a cell reads a name whose value is newer than its last run (Def. 9)."""
        after = passed.result.after
        return any(
            name in after and name in self._values and _changed(after[name], self._values[name])
            for name in reads
        )

    def _stale(self) -> dict[str, str]:
        """Return the stale names, each with why."""
        stale: dict[str, str] = {}
        latest = {cell: p.result.cell for cell, p in last_runs(self._runs).items()}
        for name, version in sorted(self._versions.items()):
            if cause := self._newer(version) or self._left_over(name, version, latest):
                stale[name] = cause
        growing = True
        while growing:
            growing = False
            for name, version in self._versions.items():
                through = sorted(version.inputs.keys() & stale.keys())
                if name not in stale and through and self._still(version, through[0]):
                    stale[name] = f"made from `{through[0]}`, which is stale"
                    growing = True
        return dict(sorted(stale.items()))

    def _newer(self, version: _Version) -> str:
        for name, read in sorted(version.inputs.items()):
            maker, now = self._versions.get(name), self._values.get(name)
            if maker is None or now is None or read is None or maker.place <= version.place:
                continue
            if self._stands_above(maker, version) and _changed(read, now):
                said = f"cell {version.passed.cell} in step {version.passed.step} made it from"
                return f"{said} `{name}`, which cell {maker.passed.cell} has made anew since"
        return ""

    def _stands_above(self, maker: _Version, reader: _Version) -> bool:
        place, below = (self._place.get(version.passed.cell) for version in (maker, reader))
        return place is not None and below is not None and place < below

    def _left_over(self, name: str, version: _Version, latest: Mapping[str, int]) -> str:
        text = version.passed.result.cell
        cell = version.passed.cell
        if cell not in self._place:
            step = version.passed.step
            return f"left over: cell {cell}, which is not on the page, made it in step {step}"
        now = latest[cell]
        if text == now or self._raised(cell) or name in self._makes.get(now, ()):
            return ""
        return f"left over: an older text of cell {cell} made it in step {version.passed.step}"

    def _raised(self, cell: str) -> bool:
        return last_runs(self._runs)[cell].result.status != "ok"

    def _still(self, version: _Version, name: str) -> bool:
        """Return whether a version was made from what its input still holds."""
        read, now = version.inputs[name], self._values.get(name)
        return read is not None and now is not None and not _changed(read, now)


def _changed(then: Value, now: Value) -> bool:
    """Return whether a value is another now; what cannot be compared counts by its object."""
    if then.hash and now.hash:
        return then.hash != now.hash
    return then.identity != now.identity
