"""What the kernel tells the host: one JSON message a cell run, in one MIME type.

The host imports no other files of the island than those whose names end as this one's does. They
may use nothing but the standard library.

One message (`CellRun`) comes when a top-level run of a cell ends, whatever its outcome: with the
reply to its request, as JSON text in a payload whose `source` is `MIME`, and where a kernel has no
payloads, or in a fork of it, on the display channel under `MIME`. Statement positions are (line,
offset) of the *cell's* source: line 1-based, offset 0-based as in `ast`, with the lines of a cell
magic counted.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .learning_contract import Copies, Evaluation, LogNote

MIME = "application/vnd.nbsafe.run+json"
PACKAGE = "_nbsafe"
TELLS_INPUTS = (3, 10)
"""The first Python whose kernels tell what a run uses beyond names."""
ASIDE = f"{PACKAGE}.aside.fork"
"""The module whose `ask` takes a `HostQuestion`."""
STATE = f"{PACKAGE}.kernel_state"
"""The module whose `ask` gives a `Sweep`."""
ENDING = f"{PACKAGE}.ending"
"""The module whose `ask` lets the kernel end."""
FETCHING = f"{PACKAGE}.fetching"
"""The module whose `ask` takes an expression and gives `Fetched`; "" asks for the names."""
NUMBERS = f"{PACKAGE}.inputs.running_numbers"
"""The module whose `ask` lets libraries number what they show from other numbers on."""
MEASURING = f"{PACKAGE}.measuring"
"""The module whose `ask` writes what was measured."""
SURROUNDINGS = f"{PACKAGE}.surroundings"
"""The module whose `ask` takes a `SurroundingsQuestion` and gives `Surroundings`."""


class Measurement(TypedDict):
    """How coverage is measured: `options` of coverage.py, relative to `folder`; into `file`."""

    folder: str
    file: str
    options: dict[str, Any]


class Position(TypedDict):
    """A statement: which run's text it stands in (runs count from 1 in a kernel), and where."""

    run: int
    line: int
    offset: int


class StatementEvent(TypedDict):
    """A module-level statement that ran, as seen the first time in this run, in order of start.

    Of a compound statement this is the header; its body's statements are events of their own.
    `called`: the user functions (defined in cells) that were entered during it, in that order,
    each as the position of its first statement after the docstring. Lambdas and functions for a
    foreign compiler (numba) are not among them. `done` is False when the statement raised.
    `bound`: names it is seen to bind at module level (also through `global`), and to which object.
    """

    line: int
    offset: int
    done: bool
    called: list[Position]
    bound: dict[str, int]


SETS = "~"
CODE = "()"
ORDER = "^"
HOME = "module __main__"
"""The kind of what holds the names of the notebook: their module, or its dictionary."""


class Fingerprint(TypedDict):
    """A hash of a value's content, equal across processes for equal content; empty: unknown.

    It has `SETS` in it where a set in the value may come in another order in an equal one, `CODE`
    where code of the notebook is in it, which may read names when it is called. Last comes `ORDER`
    where the numbers of an array lie in memory column by column (what it shows is equal, but sums
    of it may end in other digits), or attributes in another order than that of their names: with a
    hash of that order. `cause` says why it is unknown. `kind` is the type's qualified name, or
    `HOME`; `identity` the object's id, which tells aliases within one kernel.
    """

    hash: str
    cause: str
    kind: str
    identity: int


OUTSIDE = "outside"
"""The kind of an incident that tells what a run in a copy of the folder does outside of it."""


class Incident(TypedDict):
    """Something that went wrong without the run reporting an error.

    `kind`: `shell` (a failing `!command`), `thread` (an exception in a thread), `captured` (an
    exception that a cell magic swallowed), `magic` (an unknown magic), `debugger` (a `breakpoint()`
    that nobody answers), `OUTSIDE`, `tracer` (a fault of ours). `line` is the cell's line, 0 when
    unknown.
    """

    kind: str
    line: int
    message: str


class Raised(TypedDict):
    """Where the exception stands that ended a run: the cell's line (0 unknown).

    `frames` are the frames in cells, outermost first, each (run, line); the middle of a long
    recursion is left out. `held` are the operands of an `assert` that failed, each with what it
    held, as texts.
    """

    line: int
    frames: list[tuple[int, int]]
    held: list[tuple[str, str]]


class FileRead(TypedDict):
    """A file that a run asked for: the path as it asked, made absolute, and where that leads.

    `hash` is of the content (SHA-256, the first 16 bytes, hexadecimal), empty where there is no
    such file.
    """

    path: str
    real: str
    hash: str


class Hindrance(TypedDict):
    """Why a run cannot be reused: what it asked of the world, at a line of the cell (0 unknown).

    `kind`: `clock`, `network`, `subprocess`, `threads`, `input`, `unseeded`, `native`, `database`.
    `words` say it as the end of a sentence: "it looks at the clock".
    """

    kind: str
    line: int
    words: str


OPEN_FIGURES = "<figures>"
"""Stands among names for the figures of matplotlib that are open."""
ASKED, CHANGED = "asked", "changed"
ALL_VARIABLES = "*"
"""Stands among variables of the environment for all of them: somebody went over them."""


class Inputs(TypedDict):
    """What a run used, and did, beyond the names of the notebook.

    `files` are those that it read and had not written itself, `opened` the paths that it opened to
    read, as Python tells of them, `folders` those that it listed, each with a hash of the sorted
    names; `written` the paths that it made, changed, moved or removed. `variables` are those of the
    environment that it asked for, with hashes of what they held (`ALL_VARIABLES` with none where a
    cell went over them), `variables_set` those that it set or removed. `modules` are the files of
    modules of the project that took part, with hashes; `places` the folders in which modules are
    looked for, with their names and a hash of what is there; `packages` the modules of libraries
    that it was the first to import, `submodules` all modules within packages, but hidden ones.
    `settings` name the state beside the names that it changed, as the keys of `Sweep.beside` do;
    `drew` the sources of random numbers that it drew from or seeded; `states` are hashes of what
    these of both hold that are compared, empty where that cannot be told; `kept_results` the names
    of functions that keep their results, and have kept, given or forgotten some; `looked_up`
    whether it was the first to look something up in a table, which then takes more memory;
    `open_figures` is `ASKED` where it asked which figures of matplotlib are open, `CHANGED` where
    there were any then, or are, else empty. `numbers` are the counters of what libraries show that
    have gone on, with the last numbers before and after the run. `unexpected` are names that
    functions of cells mention which it called by way of values, or that it may have looked up by a
    text, as these were after it; `sought` are words that it may have looked up and that no name
    has. Where anything stands in `hindrances` the run cannot be reused. `learning` are the
    libraries whose watched functions it called: what learns, judges or splits; `fit_log` is what
    was known of that after it, None where nothing is. `unchanged` are names whose values nobody can
    compare, but the text only looks at. `links` gives, for each name whose object the run changed
    in place (`OPEN_FIGURES` among them), the other names that share objects with it; None where
    that is not known. `shared` gives the same, where it is known, for those that it bound as well;
    a name is among its own where it leads to an object in two ways.
    """

    files: list[FileRead]
    opened: list[str]
    folders: dict[str, str]
    written: list[str]
    variables: dict[str, str]
    variables_set: list[str]
    modules: dict[str, str]
    places: dict[str, tuple[list[str], str]]
    packages: list[str]
    submodules: list[str]
    settings: list[str]
    drew: list[str]
    states: dict[str, str]
    kept_results: list[str]
    looked_up: bool
    open_figures: str
    numbers: dict[str, tuple[int, int]]
    unexpected: dict[str, Fingerprint]
    sought: list[str]
    hindrances: list[Hindrance]
    learning: list[str]
    fit_log: LogNote | None
    unchanged: list[str]
    links: dict[str, list[str]] | None
    shared: dict[str, list[str]]


class CellRun(TypedDict):
    """One top-level run of a cell.

    `run` counts from 1 in a kernel. `before` and `after` hold fingerprints of the names that the
    cell, or user functions it mentions, could access: before it ran and after. `bindings` maps
    every global name that changed its object during the run to the new identity (0: deleted).
    `evaluations` and `copies` are empty where learning is not watched. `cpu_s` is the process's CPU
    seconds during the run. `inputs` is None where it is not asked for.
    """

    run: int
    raised: Raised | None
    statements: list[StatementEvent]
    before: dict[str, Fingerprint]
    after: dict[str, Fingerprint]
    bindings: dict[str, int]
    incidents: list[Incident]
    evaluations: list[Evaluation]
    copies: list[Copies]
    cpu_s: float
    inputs: Inputs | None


SLOWER = 6
"""How many times as long the clock may take where the limit is a time to compute: a machine that is
busy with other work gives the same answers, only later."""

NOT_DONE = "it was not done after"


class HostQuestion(TypedDict):
    """What the host asks: to run these cells on the side, computing for so many seconds at most.

    `way` is `fork` for a forked child, `here` for this kernel itself (which is thrown away after
    it), `look` to run nothing and tell what the words of the last text hold. With `stir` all
    sources of random numbers are seeded again first, to tell chance from proof. With `follow` the
    parts of names are told that the cells access. To `hold` is to fork a child that waits, under
    the number `at`, until it is asked as `held`: it then answers as a fork of that moment would.
    """

    cells: list[str]
    limit_s: float
    stir: bool
    follow: bool
    way: Literal["fork", "here", "look", "hold", "held"]
    at: int


class Access(TypedDict):
    """A part of what a name leads to, and what a statement of the cell did to it.

    `path` are the keys and attributes below the name, none for the whole of it; `symbol` is that
    as a text has it. `line` is that of the statement, 0 when of none. It was `changed`, or else
    read: `hash` is then the fingerprint of a part whose value the run did not make itself, empty
    when there is none. `own`: the run never read the name before it had bound it itself.
    """

    line: int
    name: str
    path: list[str | int]
    symbol: str
    changed: bool
    own: bool
    hash: str


class SideRun(TypedDict):
    """A cell that a forked child ran.

    `messages` of the output channel are each its kind and content; `reply` is what the kernel would
    have given, `event` the tracer's, None when it sent none. `accesses` are the parts of names that
    it read and changed, None where they were not followed.
    """

    messages: list[list[Any]]
    reply: dict[str, Any]
    event: CellRun | None
    accesses: list[Access] | None


class Answer(TypedDict):
    """What a forked child answers, or who stands in for it.

    `cause` says why cells could not be run, or not to the end, empty when they ran. `elsewhere`
    tells that this kernel alone is in the way: it cannot be forked. `shown` are aspects of what the
    names of the last cell hold at its end; `raw` is what was written past Python. `cost_s` is how
    long the child computed, or waited for what nobody computes.
    """

    cause: str
    elsewhere: bool
    runs: list[SideRun]
    shown: dict[str, dict[str, str]]
    raw: str
    cost_s: float


SHOWN_AT_ONCE = 100
"""Of so many names at most an answer shows what they hold."""


def no_answer(cause: str = "", *, elsewhere: bool = False) -> Answer:
    """Return an answer without runs, and why there are none."""
    return {
        "cause": cause,
        "elsewhere": elsewhere,
        "runs": [],
        "shown": {},
        "raw": "",
        "cost_s": 0.0,
    }


class Sweep(TypedDict):
    """What the kernel holds between two runs: all names of the notebook, and what no name shows.

    `beside` are digests of state by what holds it: a library (`random`, `decimal`), or a file of
    the working folder (`file:data.csv`). `shared` are hashes of the names that hold paths in
    folders that this kernel alone has, as if all kernels had these.
    """

    names: dict[str, Fingerprint]
    shared: dict[str, str]
    beside: dict[str, str]


class SurroundingsQuestion(TypedDict):
    """What the kernel needs to know to tell what the cells ran in.

    `home` is the folder of the notebook, `root` that of its repository. `imports` are the modules
    that its text imports, `files` the paths that it reads, `variables` those of the environment.
    `distributions` are the ones that may bring a module, where they are not called like it. Modules
    that are `left_out` count as imported, though they are not here.
    """

    home: str
    root: str
    imports: list[str]
    left_out: list[str]
    files: list[str]
    variables: list[str]
    distributions: dict[str, list[str]]


class Fetched(TypedDict):
    """What an expression gives in the kernel: `pickled` in base 64, "" where that cannot be.

    `kind` is the type's name and `shown` its repr, cut short. `cause` says why there is no value.
    """

    pickled: str
    kind: str
    shown: str
    cause: str


class Surroundings(TypedDict):
    """What the cells ran in: packages with their versions, files with hashes, variables by name."""

    python: str
    platform: str
    packages: dict[str, str]
    files: dict[str, str]
    variables: list[str]
