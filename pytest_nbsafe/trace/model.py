"""Result types of a run: what each cell did, which symbol was stale, what the trial says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pytest_nbsafe.notebook.model import Output
from pytest_nbsafe.notebook.plan import Plan
from pytest_nbsafe.trace.accesses import Seen
from pytest_nbsafe.trace.learning import Copies, Evaluation
from pytest_nbsafe.values import dataclass, field

RunStatus = Literal["ok", "raised", "timed-out", "died", "skipped", "not-reached"]
Timestamp = tuple[int, int]
"""(step of the plan, ordinal of the statement in that run), both from 1."""


@dataclass(frozen=True, slots=True)
class Value:
    """A fingerprint of what a name held: `hash` is empty when unknown, `cause` says why."""

    hash: str
    kind: str = ""
    cause: str = ""
    identity: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run failed: exception class, message, the cell's line (0 unknown), plain traceback.

    `frames` are (cell, line) of the frames in cells, outermost first.
    """

    ename: str
    evalue: str
    line: int
    traceback: str = ""
    frames: tuple[tuple[int, int], ...] = ()


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


@dataclass(frozen=True, slots=True)
class CellResult:
    """One executed (or skipped) step of a plan.

    `because` is the cell that a skipped one waits for. `reads` holds the values that names had
    when the cell started, `after` when it ended. `records` are its statements in order, and
    `evaluations` and `copies` what was seen of learning.
    """

    step: int
    cell: int
    status: RunStatus
    failure: Failure | None = None
    because: int | None = None
    reason: str = ""
    outputs: tuple[Output, ...] = ()
    reads: Mapping[str, Value] = field(default_factory=dict)
    after: Mapping[str, Value] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    incidents: tuple[Incident, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()
    copies: tuple[Copies, ...] = ()
    duration_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def failing_line(self) -> int:
        """The cell's own line that failed or called what failed, 1 when it is not known."""
        if self.failure is None:
            return 1
        own = (line for cell, line in self.failure.frames if cell == self.cell)
        return max(next(own, self.failure.line), 1)


@dataclass(frozen=True, slots=True)
class PlanResult:
    """One plan, run (perhaps not to its end) in one fresh kernel; results in plan order."""

    plan: Plan
    results: tuple[CellResult, ...]
    duration_s: float = 0.0
    cpu_s: float = 0.0

    def last(self, cell: int) -> CellResult | None:
        """Return the result of the last run of a cell."""
        return next((r for r in reversed(self.results) if r.cell == cell), None)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a symbol is stale: `parent` was written at `parent_cell` after `symbol` was made."""

    symbol: str
    cell: int
    line: int
    at: Timestamp
    parent: str
    parent_cell: int
    parent_line: int
    parent_at: Timestamp


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A run that read a stale symbol (nbsafety, Def. 4 and 7).

    `chain` goes from the symbol that was read back to the one with the newer parent.
    `refreshers` are the cells that would rebind it (Def. 10), nearest first, `rest` those to run
    after the first of them, since they change what it makes.
    """

    step: int
    cell: int
    line: int
    name: str
    chain: tuple[Cause, ...]
    refreshers: tuple[int, ...]
    rest: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OutdatedResult:
    """A cell whose input `name` was made anew, by `definer` at `definer_at`, after it last ran.

    `through` is empty where the cell reads `name` itself; else the cells that stand between,
    the one whose work it reads first, the one that reads `name` last; `line` is then where the
    cell reads the work of the first.
    """

    step: int
    cell: int
    line: int
    name: str
    definer: int
    definer_line: int
    definer_at: Timestamp
    through: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadFromBelow:
    """A cell that ran after a cell below it, `definer`, had made `name` another than above."""

    step: int
    cell: int
    line: int
    name: str
    definer: int
    definer_line: int


@dataclass(frozen=True, slots=True)
class Suspicions:
    """What lineage suspects of one plan, beyond what a top-down run shows as well."""

    stale_reads: tuple[StaleRead, ...] = ()
    outdated: tuple[OutdatedResult, ...] = ()
    from_below: tuple[ReadFromBelow, ...] = ()


PICTURE = "a picture"
"""What stands for a line of output where only pictures differ."""
Comparison = Literal["same", "differs", "nothing-to-compare", "nondeterministic", "drift"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the clean run says of one cell.

    `output`: its saved text outputs against the clean run's. "drift": they differ, but so do
    those of cells above that nobody suspects, so that the difference proves nothing.
    `saved` and `clean` are the first lines that differ. `values`: for each name it read, the
    value in the replayed plan against the clean run's; `made`: the same for each name that it made
    or changed.
    """

    cell: int
    output: Comparison
    saved: str = ""
    clean: str = ""
    values: Mapping[str, Comparison] = field(default_factory=dict)
    made: Mapping[str, Comparison] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a cell makes when it runs again on the side, after the cells that refresh what it reads.

    `after` are those cells, in the order they ran again. `result` compares all that it makes (names
    and output) with what it made in the plan, `output` what it shows alone; `nothing-to-compare`
    where it could not be run, and `cause` says why. `differences` say what differs, most telling
    first: "`total` 450.0 -> 375.0". `old` and `new` are the first lines of output that differ.
    """

    cell: int
    after: tuple[int, ...]
    result: Comparison
    output: Comparison = "nothing-to-compare"
    differences: tuple[str, ...] = ()
    cause: str = ""
    old: str = ""
    new: str = ""


Standing = Literal["consistent", "inconsistent", "unknown"]


@dataclass(frozen=True, slots=True)
class Changed:
    """An input that no longer holds what was read at `line`: `maker` has made it anew since.

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
    changed: tuple[Changed, ...] = ()
    through: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RanOtherwise:
    """A cell that did not run just once, in its place: only so `shown` has its saved text.

    It ran as each of `counts` before its own, too; without any it never ran.
    `saved` and `clean` are the first lines of `shown` that differ.
    """

    cell: int
    counts: tuple[int, ...]
    shown: int
    saved: str = ""
    clean: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """All runs of one notebook and what they say together.

    `replay` is the recorded or inferred plan when it differs from top-down, `clean` the top-down
    run in a fresh kernel, `second` a second clean run, made only when a difference asks for it.
    `reruns` are cells that read a stale name, run again on the side from the state before they did;
    `endings` cells with an outdated result, from the state at the end of the plan. `consistency` is
    that of each cell at that end. `ran_otherwise` tells of the cell that did not run
    just once. `seen` are the parts of names that cells were seen to read and change.
    """

    clean: PlanResult
    replay: PlanResult | None = None
    second: PlanResult | None = None
    suspicions: Suspicions = field(default_factory=Suspicions)
    judgements: Mapping[int, Judgement] = field(default_factory=dict)
    reruns: Mapping[int, Rerun] = field(default_factory=dict)
    endings: Mapping[int, Rerun] = field(default_factory=dict)
    consistency: Mapping[int, Consistency] = field(default_factory=dict)
    ran_otherwise: RanOtherwise | None = None
    seen: Seen = field(default_factory=Seen)
