"""Whether each cell is still true at the end of a plan: its inputs hold what it read.

Source: "Tracking inconsistencies in Jupyter notebooks" (the hash post): consistent, unknown or
inconsistent, the worst that is said of a cell's inputs. Departs: it propagates along lineage, which
the post leaves open; and a name that the cell changes itself counts by what the cell left, since by
what it read no cell that adds to a counter would ever be consistent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from pytest_nbsafe.trace import lineage
from pytest_nbsafe.trace.results import CellResult, Timestamp, Value, compared, entry_reads
from pytest_nbsafe.values import dataclass, field

_WORST: tuple[Standing, ...] = ("inconsistent", "unknown", "consistent")
Standing = Literal["consistent", "inconsistent", "unknown"]


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """An input that no longer holds what was read at `line`: `maker` has made it again since.

    `maker` is 0 where the name is gone, or nobody was seen to change it.
    """

    name: str
    line: int
    maker: int = 0
    maker_line: int = 0
    maker_at: Timestamp = (0, 0)


@dataclass(frozen=True, slots=True)
class Consistency:
    """Whether the inputs of a cell still hold, at the end of a plan, what its last run read.

    `inputs` says it of each name that it read, `changed` tells of those that hold something else.
    `through` are the cells that made inputs and are inconsistent themselves, in the order they ran.
    """

    step: int
    cell: int
    state: Standing
    inputs: Mapping[str, Standing] = field(default_factory=dict)
    changed: tuple[ChangedInput, ...] = ()
    through: tuple[int, ...] = ()

    @property
    def lost(self) -> list[str]:
        """The inputs that hold something else."""
        return [name for name, held in self.inputs.items() if held == "inconsistent"]


@dataclass(frozen=True, slots=True)
class _End:
    """What each name was last seen to hold, and what last made or changed it."""

    values: Mapping[str, Value]
    versions: Mapping[str, lineage.Version]


def consistency(results: Sequence[CellResult]) -> dict[int, Consistency]:
    """Return the state of each cell that ran, by its last run, at the end of all results.

    By value: an input that was made again with the same content takes nothing away. A name holds
    what was last seen of it; a change by a cell that names neither it nor another name of its
    object is not seen.
    """
    ran = [result for result in results if result.came_to_end]
    end = _End(values_at_end(ran), lineage.replay(lineage.records(ran)).now.symbols)
    states: dict[int, Consistency] = {}
    before: dict[int, Consistency] | None = None
    while states != before:  # an input may come from a later run, whose own state is known then
        before = dict(states)
        for result in ran:
            states[result.step] = _state(result, end, states)
    return {states[result.step].cell: states[result.step] for result in ran}


def _state(result: CellResult, end: _End, states: Mapping[int, Consistency]) -> Consistency:
    """Return the state of one run, as far as the others' are known."""
    inputs: dict[str, Standing] = {}
    through: dict[int, int] = {}
    changed: list[ChangedInput] = []
    for name, line in _inputs(result).items():
        held = _held(name, result.after if name in result.made else result.reads, end)
        if held == "inconsistent":
            changed.append(_changed(name, line, result.step, end))
        version = end.versions.get(name)
        maker = states.get(version.at[0]) if version and version.at[0] != result.step else None
        inputs[name] = _worst({held, maker.state} if maker is not None else {held})
        if maker is not None and maker.state == "inconsistent":
            through[maker.cell] = maker.step
    return Consistency(
        step=result.step,
        cell=result.cell,
        state=_worst(inputs.values()),
        inputs=inputs,
        changed=tuple(changed),
        through=tuple(sorted(through, key=through.__getitem__)),
    )


def _held(name: str, wanted: Mapping[str, Value], end: _End) -> Standing:
    """Return whether a name still holds what is wanted of it."""
    if name not in end.values:
        return "inconsistent"
    answers: dict[str, Standing] = {"same": "consistent", "differs": "inconsistent"}
    return answers.get(compared(name, wanted, end.values), "unknown")


def _worst(states: Collection[Standing]) -> Standing:
    return next((state for state in _WORST if state in states), "consistent")


def _changed(name: str, line: int, step: int, end: _End) -> ChangedInput:
    """Return what an input lost its value to."""
    version = end.versions.get(name)
    if name not in end.values or version is None or version.at[0] <= step:
        return ChangedInput(name, line)
    return ChangedInput(name, line, version.cell, version.line, version.at)


def _inputs(result: CellResult) -> dict[str, int]:
    """Return the names of the state it began with that a run read, and the line of each."""
    reads = entry_reads(result.records)
    return {name: reads[name] for name in sorted(reads.keys() & result.reads.keys())}


def values_at_end(results: Sequence[CellResult]) -> dict[str, Value]:
    """Return what each name was last seen to hold; names of one object hold the same."""
    now: dict[str, Value] = {}
    for result in results:
        for values in (result.reads, result.after):
            now.update(values)
            held = {value.identity: value for value in values.values() if value.identity}
            now.update((n, held[v.identity]) for n, v in now.items() if v.identity in held)
        for name in result.deleted - result.after.keys():
            now.pop(name, None)
    return now
