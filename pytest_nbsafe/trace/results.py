"""What runs gave: of each cell its statements, values, outputs and failure; and how two compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pytest_nbsafe import patterns
from pytest_nbsafe.environment import Environment
from pytest_nbsafe.notebook.model import Cell, Output, saved_error
from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.trace.evaluations import Copies, Evaluation
from pytest_nbsafe.trace.outputs.terminal import ESCAPES
from pytest_nbsafe.trace.updated_displays import Displays, shown_instead
from pytest_nbsafe.values import dataclass, field, replace

RunStatus = Literal["ok", "raised", "timed-out", "out-of-time", "died", "skipped", "not-reached"]
Timestamp = tuple[int, int]
"""(step of the plan, ordinal of the statement in that run), both from 1."""
_ADDRESS = patterns.compile(r"0x[0-9a-fA-F]+")
STOPPED = "stopped after"
"""How the reason begins where a cell took many times as long as in the page's own run."""
_PRINTED = ("[Errno ", "Couldn't find program: ", "StdinNotImplementedError")
_UNDEFINED = patterns.compile(r"name '([^']+)' is not defined")


@dataclass(frozen=True, slots=True)
class Value:
    """A fingerprint of what a name held: `hash` is empty when unknown, `cause` says why."""

    hash: str
    kind: str = ""
    cause: str = ""
    identity: int = 0


@dataclass(frozen=True, slots=True)
class Holding:
    """What a kernel holds between two runs: all names, and digests of state that no name shows.

    The keys of `beside` are libraries (`random`, `decimal`) and files (`file:data.csv`). `shared`
    are hashes of names whose values lie in folders of one kernel, as if all had the same.
    """

    names: Mapping[str, Value] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)

    @property
    def comparable(self) -> Mapping[str, Value]:
        """What the names hold, to be compared with what they hold in another kernel."""
        shared = self.shared.keys() & self.names.keys()
        return {
            **self.names,
            **{name: replace(self.names[name], hash=self.shared[name]) for name in shared},
        }


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run failed: exception class, message, the cell's line (0 unknown), plain traceback.

    `frames` are (cell, line) of the frames in cells, outermost first. `held` are the operands of an
    `assert` that failed, each with what it held.
    """

    ename: str
    evalue: str
    line: int
    traceback: str = ""
    frames: tuple[tuple[int, int], ...] = ()
    held: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that went wrong though the run reported success; kinds as in the contract."""

    kind: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Record:
    """One executed statement, as lineage needs it (nbsafety, Table 1).

    `writes` maps each bound name to its parents, `mutates` each name whose object it changed in
    place to what flowed in. `aliases` are groups of names that hold one object after it.
    """

    at: Timestamp
    cell: int
    line: int
    reads: frozenset[str]
    writes: Mapping[str, frozenset[str]]
    mutates: Mapping[str, frozenset[str]]
    deletes: frozenset[str] = frozenset()
    aliases: tuple[frozenset[str], ...] = ()
    imports: bool = False


_WAITING = 20
"""A run waits when the clock goes so many times as fast as its kernel computes."""


@dataclass(frozen=True, slots=True)
class CellResult:
    """One executed (or skipped) step of a plan.

    `because` is the cell that a skipped one waits for. `displays` are those outputs that later runs
    may change, and the changes of those of earlier runs. `reads` holds the values that names had
    when the cell started, `after` when it ended. `records` are its statements in order, and
    `evaluations` and `copies` what was seen of learning. With `reused` it is that of an earlier
    run, which would give the same again. Before one that ran, such runs were made after all for
    `again_s`, for the values that it needs; `since` is why it was not reused, where there was a run
    that might have been.
    """

    step: int
    cell: int
    status: RunStatus
    failure: Failure | None = None
    because: int | None = None
    reason: str = ""
    outputs: tuple[Output, ...] = ()
    displays: Displays = field(default_factory=Displays)
    reads: Mapping[str, Value] = field(default_factory=dict)
    after: Mapping[str, Value] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    incidents: tuple[Incident, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    copies: tuple[Copies, ...] = ()
    duration_s: float = 0.0
    cpu_s: float = 0.0
    reused: bool = False
    again_s: float = 0.0
    since: str = ""

    @property
    def cost_s(self) -> float:
        """How long the run took of itself, whatever else the machine had to do.

        That is how long its kernel computed, or the clock went where several processors did; but a
        run that hardly computes waits, be it for a sleep or another process.
        """
        waits = self.cpu_s < self.duration_s / _WAITING
        return self.duration_s if waits else min(self.cpu_s, self.duration_s)

    @property
    def came_to_end(self) -> bool:
        """Whether the cell ran until it succeeded or raised, so that it can be compared."""
        return self.status in {"ok", "raised"}

    @property
    def bound(self) -> frozenset[str]:
        """The names that the run bound."""
        return frozenset[str]().union(*(record.writes for record in self.records))

    @property
    def made(self) -> frozenset[str]:
        """The names that the run bound, or whose object it changed, also those it deleted later."""
        return self.bound.union(*(record.mutates for record in self.records))

    @property
    def kept(self) -> frozenset[str]:
        """The names that the run made and that are still there at its end."""
        return self.made & self.after.keys()

    @property
    def entry_names(self) -> frozenset[str]:
        """The names that the run read, or deleted, as they were when it began."""
        needed: set[str] = set()
        bound: set[str] = set()
        for record in self.records:
            needed |= (record.reads | record.deletes) - bound
            bound.update(record.writes)
        return frozenset(needed)

    @property
    def deleted(self) -> frozenset[str]:
        """The names that the run deleted, also those it bound again later."""
        return frozenset[str]().union(*(record.deletes for record in self.records))

    @property
    def failing_line(self) -> int:
        """The cell's own line that failed or called what failed, 1 when it is not known."""
        if self.failure is None:
            return 1
        own = (line for cell, line in self.failure.frames if cell == self.cell)
        return max(next(own, self.failure.line), 1)


@dataclass(frozen=True, slots=True)
class PlanResult:
    """One plan, run (perhaps not to its end) in one fresh kernel; results in plan order.

    `python` is the version of Python that it ran in, "" where that is not known; `environment` all
    that it ran in, None where that is not known or was not asked for.
    """

    plan: Plan
    results: tuple[CellResult, ...]
    duration_s: float = 0.0
    cpu_s: float = 0.0
    python: str = ""
    environment: Environment | None = None

    def last(self, cell: int) -> CellResult | None:
        """Return the result of the last run of a cell."""
        return next((r for r in reversed(self.results) if r.cell == cell), None)


def settled(results: Sequence[CellResult]) -> tuple[CellResult, ...]:
    """Return results of one kernel, in the order of its runs, as a page shows them at its end."""
    last: dict[str, Output] = {}
    backwards = []
    for result in reversed(results):
        outputs = list(result.outputs)
        for display_id in result.displays.own.keys() & last.keys():
            for index in result.displays.own[display_id]:
                outputs[index] = shown_instead(outputs[index], last[display_id])
        if (*outputs,) != result.outputs:
            result = replace(result, outputs=tuple(outputs))  # noqa: PLW2901
        backwards.append(result)
        last = {**result.displays.updates, **last}
    return tuple(reversed(backwards))


def updaters(results: Sequence[CellResult], cell: int) -> frozenset[int]:
    """Return the cells that changed, in later runs, what a cell shows."""
    shown: set[str] = set()
    found: set[int] = set()
    for result in results:
        if not shown.isdisjoint(result.displays.updates):
            found.add(result.cell)
        if result.cell == cell:
            shown |= result.displays.own.keys()
    return frozenset(found - {cell})


def entry_reads(records: Iterable[Record]) -> dict[str, int]:
    """Return the names that one run read of the state it began with, and the line of each.

    What a statement has bound or deleted before is no longer of that state.
    """
    first_reads: dict[str, int] = {}
    replaced: set[str] = set()
    for record in records:
        for name in sorted(record.reads - replaced):
            first_reads.setdefault(name, record.line)
        replaced.update(record.writes, record.deletes)
    return first_reads


# -- how what two runs gave compares ---------------------------------------------------------------


Comparison = Literal["same", "differs", "gone", "nothing-to-compare", "nondeterministic", "drift"]
"""The answers of every comparison of two runs.

"same": both are known, and equal. "differs": both are known, and not equal. "gone": one of the two
runs has no such name; who asks decides what that proves, since a run that failed has made no names
either. "nothing-to-compare": one of the two cannot be fingerprinted, or shows no text.
"nondeterministic": they are not the same, but neither are the second run and its repetition.
"drift" (of outputs alone): they differ, but so do those of cells that nobody suspects.
"""


def compared(
    name: str,
    held: Mapping[str, Value | None],
    other: Mapping[str, Value | None],
    repeated: Mapping[str, Value | None] | None = None,
    *,
    in_one_kernel: bool = False,
) -> Comparison:
    """Return how what a name holds in one run compares with what it holds in another.

    `repeated` is the other run again, where it was repeated: what the two do not agree on is
    chance. A name that neither run has is the same. Of two moments `in_one_kernel` a value that
    cannot be fingerprinted is compared by its object.
    """
    value, now = held.get(name), other.get(name)
    if value is None or now is None:
        if value is now:
            return "same"
        by_chance = repeated is not None and (repeated.get(name) is None) != (now is None)
        return "nondeterministic" if by_chance else "gone"
    if not value.hash or not now.hash:
        return _by_object(value, now) if in_one_kernel else "nothing-to-compare"
    if value.hash == now.hash:
        return "same"
    again = now if repeated is None else repeated.get(name)
    return "differs" if again is not None and again.hash == now.hash else "nondeterministic"


def _by_object(value: Value, now: Value) -> Comparison:
    """Return how two values of one kernel compare, of which one at least has no fingerprint.

    One object that had a fingerprint and has none any more may have changed, or not.
    """
    if value.identity != now.identity:
        return "differs"
    return "nothing-to-compare" if value.hash or now.hash else "same"


# -- how a run failed ------------------------------------------------------------------------------


def exception(result: CellResult) -> Failure | None:
    """Return the exception that a run raised, also one that a magic of the cell swallowed."""
    if result.status == "raised":
        return result.failure
    for incident in result.incidents:
        if incident.kind == "captured":
            ename, _, evalue = incident.message.partition(": ")
            return Failure(ename, evalue, incident.line)
    return None


def printed_failures(result: CellResult) -> tuple[str, ...]:
    """Return the lines in which IPython says that a magic failed: it goes on as if it had not."""
    return tuple(
        line
        for output in result.outputs
        if output.kind == "stream" and any(sign in output.text for sign in _PRINTED)
        for line in ESCAPES.sub("", output.text).split("\n")
        if line.startswith(_PRINTED)
    )


def why(result: CellResult) -> str:
    """Return what is known of how a run ended, in one line."""
    if result.failure is None:
        return result.reason
    return f"{result.failure.ename}: {result.failure.evalue}".strip().strip(":")


def shows_failure(cell: Cell, failure: Failure) -> bool:
    """Return whether the page shows just this failure: the same exception, the same message."""
    saved = saved_error(cell)
    return saved is not None and (saved.ename, _plain(saved.evalue)) == (
        failure.ename,
        _plain(failure.evalue),
    )


def undefined_name(ename: str, evalue: str) -> str | None:
    """Return the name that a NameError speaks of."""
    match = _UNDEFINED.search(evalue) if ename == "NameError" else None
    return match[1] if match else None


def _plain(text: str) -> str:
    return _ADDRESS.sub("0x", " ".join(text.split()))
