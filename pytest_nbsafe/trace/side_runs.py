"""What came of cells that ran on the side, and which parts of names they were seen to touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis.parts import Part, Parts, apart
from pytest_nbsafe.kernel.contract import NOT_DONE
from pytest_nbsafe.trace.results import CellResult, compared
from pytest_nbsafe.values import dataclass, field

if TYPE_CHECKING:
    from pytest_nbsafe.kernel.contract import Access


@dataclass(frozen=True, slots=True)
class TouchedParts:
    """The parts of names that one run read and changed, by name and by the line of the statement.

    Line 0 stands for the whole run. `values` are the fingerprints of parts that the run read as it
    found them, `symbols` the parts as a text has them: `df['a']`. `others` are names that held
    something else, when it ran, than in the run of the plan that it stands for; they are looked for
    among the names that it `entered` with. A name that is missing was not seen.
    """

    read: Mapping[tuple[str, int], Parts] = field(default_factory=dict)
    changed: Mapping[tuple[str, int], Parts] = field(default_factory=dict)
    values: Mapping[tuple[str, Part], str] = field(default_factory=dict)
    symbols: Mapping[tuple[str, Part], str] = field(default_factory=dict)
    entered: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SeenParts:
    """The runs that were followed below the names, by cell."""

    runs: Mapping[int, tuple[TouchedParts, ...]] = field(default_factory=dict)

    def read(self, name: str, cell: int, line: int = 0) -> Parts | None:
        """Return the parts of a name that a cell was seen to read, at a line or anywhere.

        None where it was not, or where it may have read the whole. A run from a state in which
        nothing but the name held another value than in the plan stands for the plan's: what it
        reads before it comes to a part that differs is the same, and so is what it does.
        """
        runs = self.runs.get(cell, ())
        exact = [run for run in runs if not run.others]
        reads = [run.read for run in exact or runs if run.others <= {name}]
        return _united(reads, (name, line))

    def changed(self, name: str, cell: int, line: int = 0) -> Parts | None:
        """Return the parts of a name that a cell was seen to change, at a line or anywhere.

        None where it was not, or where it may have changed the whole.
        """
        exact = [run.changed for run in self.runs.get(cell, ()) if not run.others]
        return _united(exact, (name, line))

    def differing(self, name: str, cell: int) -> tuple[str, ...]:
        """Return the symbols of a name that a cell was seen to read, as a text has them.

        Of several those that held something else when the cell ran after what refreshes them; one
        alone unless it held the same. None where it is not known which were read.
        """
        parts = self.read(name, cell) or frozenset()
        values = {
            part: [run.values[name, part] for run in self.runs[cell] if (name, part) in run.values]
            for part in parts
        }
        changing = {part for part, held in values.items() if len({*held}) > 1}
        alone = {part for part, held in values.items() if len(parts) == 1 and len(held) < 2}
        return self._spelled(name, cell, changing or alone)

    def within(self, name: str, reader: int, changed: Parts) -> tuple[str, ...]:
        """Return the symbols of a name that a cell was seen to read, of those that were changed."""
        read = self.read(name, reader) or ()
        return self._spelled(name, reader, {p for p in read if not apart(frozenset({p}), changed)})

    def _spelled(self, name: str, cell: int, parts: Iterable[Part]) -> tuple[str, ...]:
        texts = {key: text for run in self.runs.get(cell, ()) for key, text in run.symbols.items()}
        return tuple(sorted(texts[name, part] for part in parts if (name, part) in texts))


NOTHING_SEEN = SeenParts()


def _united(runs: Iterable[Mapping[tuple[str, int], Parts]], key: tuple[str, int]) -> Parts | None:
    parts = frozenset(part for run in runs for part in run.get(key, ()))
    return parts if parts and () not in parts else None


def others(
    run: CellResult, entered: Iterable[str], stands_for: CellResult | None
) -> frozenset[str]:
    """Return the names that held something else when a run began than at the run of a plan.

    Of names that it `entered` with: that it read before it bound them.
    """
    if stands_for is None:
        return frozenset({""})
    was, now = stands_for.reads, run.reads
    return frozenset(
        name
        for name in entered
        if name not in was or compared(name, was, now, in_one_kernel=True) != "same"
    )


def touched(accesses: Sequence[Access]) -> TouchedParts:
    """Return what a kernel has told of one run."""
    read: dict[tuple[str, int], set[Part]] = {}
    changed: dict[tuple[str, int], set[Part]] = {}
    values: dict[tuple[str, Part], str] = {}
    symbols: dict[tuple[str, Part], str] = {}
    for access in accesses:
        name, part = access["name"], tuple(access["path"])
        touched_parts = changed if access["changed"] else read
        for line in {access["line"], 0}:
            touched_parts.setdefault((name, line), set()).add(part)
        symbols[name, part] = access["symbol"]
        if access["hash"] and not access["changed"]:
            values[name, part] = access["hash"]
    return TouchedParts(
        {key: frozenset(parts) for key, parts in read.items()},
        {key: frozenset(parts) for key, parts in changed.items()},
        values,
        symbols,
        frozenset(access["name"] for access in accesses if not access["own"]),
    )


TOO_LONG = "it would take too long"
TOO_MANY = "as many other cells have been run again as may be"


def is_limit(cause: str) -> bool:
    """Return whether cells were not run on the side, or not to the end, for a limit of ours."""
    return cause in {TOO_LONG, TOO_MANY} or cause.startswith(NOT_DONE)


# -- runs on the side ------------------------------------------------------------------------------


Aspects = Mapping[str, str]
"""A few words on a value, by aspect: `value`, `length`, `shape`, `mean`...; none: unknown."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What came of cells that ran on the side, from the state that a session was in.

    `results` are those of the cells in the order they were given, to the first that failed; none
    where they could not be run, and `cause` says why in a fragment of a sentence. `elsewhere` tells
    that only this session is in the way, which cannot be forked. `shown` describes what the names
    that the last of them touched hold at its end. `touched` are the parts of names that each run
    read and changed, None where it was not followed below the names. `cost_s` is how long it all
    took of itself, see `CellResult.cost_s`.
    """

    results: tuple[CellResult, ...] = ()
    cause: str = ""
    elsewhere: bool = False
    shown: Mapping[str, Aspects] = field(default_factory=dict)
    touched: tuple[TouchedParts | None, ...] = ()
    cost_s: float = 0.0
