"""What a trial says: its runs, the judgement of each cell, and what cells made when run again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pytest_nbsafe.order.plan import Plan
from pytest_nbsafe.order.readings import Reading
from pytest_nbsafe.trace.consistency import Consistency
from pytest_nbsafe.trace.results import Comparison, PlanResult
from pytest_nbsafe.trace.side_runs import SeenParts
from pytest_nbsafe.trace.suspicions import Suspicions
from pytest_nbsafe.values import dataclass, field

if TYPE_CHECKING:
    from pytest_nbsafe.trace.outputs.difference import Difference

WhyChanged = Literal["", "order", "libraries", "unrepeated"]

PICTURE = "a picture"
"""What stands for a line of output where only pictures differ."""


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

    @property
    def differs(self) -> bool:
        """Whether the clean run is known to show, read or make something else."""
        return "differs" in (self.output, *self.values.values(), *self.made.values())


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


@dataclass(frozen=True, slots=True)
class ChangedOutput:
    """A cell whose saved output is not that of the clean run: what differs, and why it may.

    `why` is "" where two clean runs agree on what the page does not show, and "order" where the
    recorded order then gives what it shows; "libraries" where other
    versions of them may give it; "unrepeated" where there was no second run to tell.
    """

    cell: int
    difference: Difference
    why: WhyChanged = ""


@dataclass(frozen=True, slots=True)
class RanOtherwise:
    """A cell that did not run just once, in its place: only so `shown` has its saved text.

    It ran as each of `counts` before its own, too; without any it never ran.
    `saved` and `clean` are the first lines of `shown` that differ, `changes` what each run of the
    cell changes of what other cells made.
    """

    cell: int
    counts: tuple[int, ...]
    shown: int
    saved: str = ""
    clean: str = ""
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenOrder:
    """The plan that is the history, for it gives more of the saved outputs than a likelier one.

    `reads` are what both say something else of, as `likelier` says it. `given` counts the cells
    that show their saved text in the plan, `given_by_likelier` in the other.
    """

    plan: Plan
    likelier: Plan
    reads: tuple[Reading, ...]
    given: int
    given_by_likelier: int


@dataclass(frozen=True, slots=True)
class Trial:
    """All runs of one notebook and what they say together.

    `replay` is the recorded or inferred plan when it differs from top-down, `clean` the top-down
    run in a fresh kernel, `second` a second clean run, made only when a difference asks for it.
    `reruns` are cells that read a stale name, run again aside from the state before they did;
    `endings` cells with an outdated result, from the state at the end of the plan. `consistency` is
    that of each cell at that end. `ran_otherwise` tells of the cell that did not run
    just once; `not_sought` is the cell whose saved text such a cell may explain, where looking for
    one would have taken too long, else 0. `repeats` are further runs of `as_recorded`, where all
    else that may was another. `changed` are the cells that show something else than was saved,
    `as_saved` those that show the same digits, where any is changed.
    `seen` are the parts of names that cells were seen to read and change. `choice` is there when
    another plan than the likeliest is the history: then `replay` ran that, or nothing where it is
    the page's own order. `compared` is every order by its name, where all were asked for, with
    what it gave; None where it was too long to be run.
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
    changed: Mapping[int, ChangedOutput] = field(default_factory=dict)
    as_saved: frozenset[int] = frozenset()
    not_sought: int = 0
    repeats: tuple[PlanResult, ...] = ()
    seen: SeenParts = field(default_factory=SeenParts)
    choice: ChosenOrder | None = None
    compared: Mapping[str, tuple[Plan, PlanResult | None]] = field(default_factory=dict)

    @property
    def has_run(self) -> bool:
        """Whether anything was executed."""
        return bool(self.clean.results)

    @property
    def as_recorded(self) -> PlanResult:
        """What ran in the recorded or inferred order: the replayed plan, else the clean run."""
        return self.replay or self.clean


NOTHING_RAN = Trial(PlanResult(Plan("top-down", ()), ()))
