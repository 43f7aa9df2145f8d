"""What lineage says after a step that no clean run judges: which names and cells are suspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from pytest_nbsafe.analysis.scopes import is_known
from pytest_nbsafe.replay.session_runs import (
    SessionRun,
    SessionText,
    StepAnswer,
    flows,
    last_runs,
    step_answer,
)
from pytest_nbsafe.trace.results import Value, compared, entry_reads
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class _Version:
    """What a name holds: the run that bound it, and the values that its inputs had then."""

    run: SessionRun
    place: int
    inputs: Mapping[str, Value | None]


class LineageLedger:
    """The names of a session while its steps are run: who made each from what, and its value now.

    Source: Macke et al. 2021, Def. 2-4. Departs: an input that was made again counts only where its
    value is another now, and where its maker stands above the reader on the page (in
    `n = len(df)` and then `df = df.dropna()` the length is meant to be the old one). A name that
    only an older text of its cell has made is stale too.
    """

    def __init__(
        self,
        page: Sequence[str],
        texts: Mapping[int, SessionText],
    ) -> None:
        self._page = tuple(page)
        self._place = {cell: place for place, cell in enumerate(page)}
        self._texts = texts
        self._runs: list[SessionRun] = []
        self._versions: dict[str, _Version] = {}
        self._values: dict[str, Value] = {}

    def add(self, run: SessionRun) -> None:
        """Take in a step that has been run."""
        place, result = len(self._runs), run.result
        self._runs.append(run)
        for name, sources in flows(result).items():
            old = self._versions.get(name)
            kept = {} if name in result.bound or old is None else old.inputs
            inputs = {source: result.reads.get(source) for source in sources - {name}}
            self._versions[name] = _Version(run, place, {**kept, **inputs})
        for name in result.deleted - result.after.keys():
            self._versions.pop(name, None)
            self._values.pop(name, None)
        self._values.update(result.after)

    def answer(self) -> StepAnswer:
        """Return what is suspect after the last step."""
        stale = self._stale()
        last = last_runs(self._runs)
        reads = {cell: entry_reads(p.result.records).keys() for cell, p in last.items()}
        lacking = frozenset(c for c, p in last.items() if self._lacks(p, reads[c]))
        cells = frozenset(c for c in last if not stale.keys().isdisjoint(reads[c])) - lacking
        others = last.keys() - cells - lacking
        fresh = frozenset(  # a name that it reads has a newer value than at its last run (Def. 9)
            c for c in others if any(self._is_changed(n, last[c].result.after) for n in reads[c])
        )
        wanted = frozenset[str]().union(*(reads[c] & stale.keys() for c in cells))
        refreshers = frozenset(
            c for c in others if not wanted.isdisjoint(self._text(last[c].result.cell).dead)
        )
        return step_answer(
            self._page,
            self._runs[-1],
            stale,
            stale=cells,
            fresh=fresh,
            refreshers=refreshers,
            unrunnable=lacking,
        )

    def _text(self, number: int) -> SessionText:
        return self._texts.get(number, SessionText())

    def _lacks(self, run: SessionRun, reads: AbstractSet[str]) -> bool:
        known = run.result.reads
        return any(n in known and n not in self._values and not is_known(n) for n in reads)

    def _is_changed(self, name: str, then: Mapping[str, Value | None]) -> bool:
        """Return whether a name holds another value now; what is not comparable, another object."""
        return compared(name, then, self._values, in_one_kernel=True) == "differs"

    def _stale(self) -> dict[str, str]:
        """Return the stale names, each with why."""
        stale: dict[str, str] = {}
        last = last_runs(self._runs)
        for name, version in sorted(self._versions.items()):
            if cause := self._newer(version) or self._left_over(name, version, last):
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
        for name in sorted(version.inputs):
            maker = self._versions.get(name)
            if maker is None or maker.place <= version.place:
                continue
            if self._stands_above(maker, version) and self._is_changed(name, version.inputs):
                first = f"cell {version.run.cell} in step {version.run.step} made it from `{name}`"
                return f"{first}, which cell {maker.run.cell} has made again since"
        return ""

    def _stands_above(self, maker: _Version, reader: _Version) -> bool:
        place, below = (self._place.get(version.run.cell) for version in (maker, reader))
        return place is not None and below is not None and place < below

    def _left_over(self, name: str, version: _Version, last: Mapping[str, SessionRun]) -> str:
        cell = version.run.cell
        if cell not in self._place:
            step = version.run.step
            return f"left over: cell {cell}, which is not on the page, made it in step {step}"
        now = last[cell].result
        is_latest = version.run.result.cell == now.cell
        if is_latest or now.status != "ok" or name in self._text(now.cell).makes:
            return ""
        return f"left over: an older text of cell {cell} made it in step {version.run.step}"

    def _still(self, version: _Version, name: str) -> bool:
        """Return whether a version was made from what its input still holds."""
        held = version.inputs[name] is not None and name in self._values
        return held and not self._is_changed(name, version.inputs)
