"""What the host asks a kernel to keep in files and to restore from them, and what it answers.

As `contract`, the host imports it.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .contract import PACKAGE, CellRun, Fingerprint, SideRun

KEEP = f"{PACKAGE}.checkpoint.keep"
"""The module whose `ask` takes a `KeepQuestion` and gives a `Keeping`, at once."""
COLLECT = f"{PACKAGE}.checkpoint.collect"
"""The module whose `ask` takes a `CollectQuestion` and gives `Kept`."""
RESTORE = f"{PACKAGE}.checkpoint.restore"
"""The module whose `ask` takes a `RestoreQuestion` and gives a list of `Restored`."""
CARRY = f"{PACKAGE}.checkpoint.carrying"
"""The module whose `ask` takes a `CarryQuestion` and gives a `CarriedLog`, or its `cause` alone."""

VISIT = f"{PACKAGE}.checkpoint.visit"
"""The module whose `ask` takes a `VisitQuestion`."""


class KeepQuestion(TypedDict):
    """Values to keep: those of these names, and of all names that share objects with them.

    They go into files of `folder` (an absolute path to a folder that is there) within `limit_s`
    seconds of computing; those first that it pays for most, by what it took to make each name
    (`took_s`, in seconds), and those not at all that are sooner made again. For those that are
    `likely` to be asked for there are `likely_s` seconds more, before all others.

    A forked child does it in the background; where the kernel cannot be forked nothing is kept.
    Where one `waits` for the child, the kernel looks for it where walks end, which takes the child
    two to three times as long.
    """

    names: list[str]
    took_s: dict[str, float]
    folder: str
    limit_s: float
    likely: list[str]
    likely_s: float
    waits: bool


class Keeping(TypedDict):
    """That values are being kept: the number to collect them by, or else why none are (0 then)."""

    ticket: int
    cause: str


class CollectQuestion(TypedDict):
    """Which values are asked for, and how long may be waited for them.

    With `stop` the child is ended if it is still at work then.
    """

    ticket: int
    wait_s: float
    stop: bool


class KeptFile(TypedDict):
    """A file in the folder, named by the hash of its bytes (SHA-256, the first 16, hexadecimal).

    It has `size` bytes. Where they are fewer than the `whole` that was written into it, they are a
    frame of zstd.
    """

    name: str
    size: int
    whole: int


class CoVariable(TypedDict):
    """Names that share objects which can change, and so are kept and restored together.

    `files` is the stream of `pickle` (protocol 5) and then its buffers in their order: what
    `pickle.loads` takes; it gives a dictionary by name. They may stand in the files of other
    co-variables too. `needs` are names of the notebook (classes, functions) that must be bound
    before they are loaded. `cause` says why nothing is kept and the names must be made again by
    their cells; then there are no files. `fingerprints` are of the values that were kept, and are
    what the loaded values have as well. Where not all that share objects could be kept, `left_out`
    are the others: these are loaded where nobody needs those.
    """

    names: list[str]
    left_out: list[str]
    fingerprints: dict[str, Fingerprint]
    files: list[KeptFile]
    needs: list[str]
    cause: str


class Kept(TypedDict):
    """The co-variables that are kept by now; all of them once it is `done`.

    `cause` says why it ended before all were looked at. `cost_s` are the CPU seconds of the child.
    """

    done: bool
    covariables: list[CoVariable]
    cause: str
    cost_s: float


class RestoreItem(TypedDict):
    """A co-variable to load: which of its names, and the names and sizes of its files."""

    names: list[str]
    files: list[KeptFile]


class RestoreQuestion(TypedDict):
    """Co-variables to load from a folder and to bind, one after the other."""

    folder: str
    covariables: list[RestoreItem]


class Restored(TypedDict):
    """What became of a co-variable: fingerprints of its names as they are bound now.

    Where `cause` says why it could not be loaded none of its names was bound or changed.
    """

    names: list[str]
    fingerprints: dict[str, Fingerprint]
    cause: str


class LogState(TypedDict):
    """What was known of learning after a run that learned; `numbers` are those of its arrays."""

    run: int
    stream: KeptFile
    numbers: list[int]


class LogVersion(TypedDict):
    """Where, after a run, the objects are found that a state (by its number) knows something of.

    `tracked` gives for each object, by its number, the names that lead to it, each with the steps
    from it (None where they cannot be told); `lost` is how many have no name. What else is in the
    names that are `cut` is not known. `holds` is as in a `LogNote`, but
    of all names that the kernel held.
    """

    run: int
    state: int
    holds: dict[str, str]
    tracked: dict[str, dict[str, list[Any] | None]]
    lost: int
    cut: list[str]


class CarriedLog(TypedDict):
    """What was known of learning in a kernel, in files: `arrays` holds those of all states.

    `shapes` are their kinds and lengths. Only a kernel whose `probe` is the same can read it.
    `cause` says why there is nothing.
    """

    versions: list[LogVersion]
    states: list[LogState]
    arrays: KeptFile | None
    shapes: list[tuple[str, int]]
    probe: str
    cause: str


class CarryQuestion(TypedDict, total=False):
    """What is to be done about what is known of learning.

    `rest`: nothing is watched from now on. `again`: what runs has run before, and which names share
    objects is known, until it is `anew`. `keep`: it goes into files of the `folder`. `restore`:
    what the files hold is known from now on, and all is watched again: what was known after `run`.
    `found` gives, for the number of each object, the names that lead to it, each with the steps
    from it; `numbers` are those of the state's arrays, `places` as the runs of now have told them
    in their `LogNote`.
    """

    do: Literal["rest", "again", "anew", "keep", "restore"]
    folder: str
    arrays: KeptFile
    shapes: list[tuple[str, int]]
    stream: KeptFile
    probe: str
    run: int
    found: dict[str, list[tuple[str, list[Any]]]]
    numbers: list[int]
    places: list[tuple[str, int, int]]


class VisitQuestion(TypedDict):
    """That a front end will run what it likes from now on.

    Who is asked for another state listens at `address` (of `multiprocessing.connection`), and knows
    the `key` (hexadecimal).
    """

    address: str
    key: str


class VisitorAsks(TypedDict):
    """What a front end asks by `%nbsafe`, its `line`, and the `runs` since it last asked.

    Each comes with its text. `is_complete` says whether these are all that there were. `kept` is
    what was kept meanwhile, by tickets.
    """

    line: str
    kept: dict[str, Kept]
    runs: list[tuple[str, CellRun]]
    is_complete: bool


class Stage(TypedDict):
    """A part of a move: a cell is run (none for ""), names take what they held, others are loaded.

    In this order, in a namespace that is empty at first.
    """

    source: str
    takes: list[str]
    loads: list[RestoreItem]


class MoveQuestion(TypedDict):
    """How a kernel comes to another state: by stages, loading from `folder`.

    In the end it has these `names` and no others.
    """

    stages: list[Stage]
    folder: str
    names: list[str]


class Moved(TypedDict):
    """What came of a move: of each cell that was run, and of the names that each stage loaded.

    `cause` says why it was not done to its end; what the names hold then is of no use.
    """

    runs: list[SideRun]
    loaded: list[dict[str, Fingerprint]]
    cause: str


class VisitorTold(TypedDict):
    """What a front end is told: to make a `move` and tell what came of it, or what to `say`.

    With `leaves` the front end is asked to go: another kernel takes the place of this one.
    """

    move: MoveQuestion | None
    say: str
    leaves: bool
