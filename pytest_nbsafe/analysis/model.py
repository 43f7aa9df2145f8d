"""The values that static analysis hands on: what a cell reads, defines, calls, and needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Concatenate, Literal, ParamSpec, TypeVar, cast

from pytest_nbsafe.analysis.budget import Budget
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.values import dataclass, field

DefinitionKind = Literal[
    "assign",
    "augmented",
    "import",
    "function",
    "class",
    "loop",
    "with",
    "except",
    "match",
    "walrus",
    "delete",
    "mutation",
    "annotation",
    "magic",
]


@dataclass(frozen=True, slots=True)
class Span:
    """Where something stands inside a cell's source: 1-based lines and columns."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Use:
    """A name of the notebook's scope that is read where the cell has not surely bound it.

    `certain`: every run of the cell that comes to its end without raising reads it here or raises.
    `guarded`: a missing name is expected here (inside `try` with a handler for NameError or
    wider, or under a test such as `'x' in globals()`).
    `via` is empty for a read in the cell's own text; else a fragment that names the function
    whose body reads it: "through plot(), defined in cell 3 (line 2)".
    """

    name: str
    span: Span
    certain: bool
    guarded: bool
    via: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether the name must be there: it is not expected to be missing, and surely read."""
        return not self.guarded and (self.certain or not self.via)


@dataclass(frozen=True, slots=True)
class Definition:
    """A place that binds (or deletes, or mutates) a name of the notebook's scope.

    `certain`: every run of the cell that comes to its end passes here or rebinds it elsewhere.
    `doubtful`: a method was called that perhaps changes nothing; it is not known.
    """

    name: str
    span: Span
    kind: DefinitionKind
    certain: bool
    doubtful: bool = False

    @property
    def binds(self) -> bool:
        """Whether it gives the name an object, and neither deletes nor changes one."""
        return self.kind not in {"delete", "mutation"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What one module-level statement (also inside loops, ifs, withs) reads and writes by itself.

    For a compound statement only its header counts (the test of an `if`, the iterable of a
    `for`); its body's statements are entries of their own.
    `writes` maps each name it binds to the names that the value is made from (nbsafety, Table 1);
    `mutates` likewise for names whose object it changes in place (subscript and attribute stores,
    augmented assignment, methods and functions known to do so, and any method that nothing is
    known of when it is called as a statement of its own); `reads` is everything read.
    `calls` are the names called directly; `same` are those that plainly hold one object after it
    (`a = b`, `a = b = []`); `kind` is that of its first definition, or "".
    """

    span: Span
    reads: frozenset[str]
    writes: Mapping[str, frozenset[str]]
    mutates: Mapping[str, frozenset[str]]
    deletes: frozenset[str]
    calls: frozenset[str]
    same: frozenset[str] = frozenset()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function (or lambda) of a cell's module level, or a class's methods together.

    `reads`: names of the notebook's scope that its body reads when called, with the place of the
    first read; `certain` tells whether every complete call reads it. `returns`: those that flow
    into its return value (nbsafety's RET[f]). `writes`: names it declares `global` and binds.
    `calls`: names of the notebook's scope that it calls; `sure_calls` those that every complete
    call of it calls.
    `changes`: the parameters, and names of the notebook's scope, whose object its own text
    changes in place; `rebinds` the parameters that it binds again. `methods` are those of a class,
    `own_calls` the methods that a method calls on its first parameter. `inner` are those of `reads`
    that a function inside reads, which it may return. `later` tells of a generator or coroutine,
    whose body does not run when it is called.
    """

    name: str
    span: Span
    reads: Mapping[str, Use]
    returns: frozenset[str]
    writes: frozenset[str]
    calls: frozenset[str]
    parameters: tuple[str, ...] = ()
    sure_calls: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    rebinds: frozenset[str] = frozenset()
    methods: Mapping[str, Function] = field(default_factory=dict)
    own_calls: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    later: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A name called (or passed to be called) in the cell's own text, and where.

    `bound` is a set of bits, one for each name of `CellAnalysis.index` that the cell has surely
    bound (or deleted) before it comes here. `method` is set where a method of the name is called.
    """

    name: str
    span: Span
    certain: bool
    bound: int = 0
    method: str = ""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that may bind names which the text does not show; `cause` says what it is."""

    span: Span
    cause: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a cell could not be parsed: the parser's message and where it gave up."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class CellAnalysis:
    """Everything known statically of one code cell.

    `uses`: the live names at entry (nbsafety, Alg. 1), one entry a name, at its first read, in
    order of appearance; names only read in function bodies are not here but in `functions`.
    `dead`: names surely rebound by the end, independent of their old value (Alg. 2).
    `definitions`: every binding place, in order. `fault` is set when the cell does not parse;
    all else is empty then.

    At the end of the cell the names in `sure` are bound on every path, those in `leaves` on some,
    those in `removed` are deleted on every path; a name that the cell binds and deletes again is
    in `definitions` but not in `leaves`. What a name in `replaced` held before is gone: every path
    binds or deletes it. `index` numbers the bits of `Call.bound`.
    `aliases`: a name may lead to these functions (`g = f`, `lst = [f, h]`, `p = partial(f)`);
    `made_by`: a name holds what a call of these returned (an object of that class, perhaps).
    A lambda that no name is bound to stands in `functions` as `<lambda:line:column>`.
    """

    cell: int
    uses: tuple[Use, ...] = ()
    dead: frozenset[str] = frozenset()
    definitions: tuple[Definition, ...] = ()
    statements: tuple[Statement, ...] = ()
    functions: Mapping[str, Function] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    fault: Fault | None = None
    sure: frozenset[str] = frozenset()
    leaves: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    index: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    made_by: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def defines(self) -> frozenset[str]:
        """Names that the cell may bind (deletions and mutations left out)."""
        return frozenset(d.name for d in self.definitions if d.binds)


@dataclass(frozen=True, slots=True)
class Edge:
    """`reader` reads `name` as `definer` left it; `cause` is an English sentence fragment.

    Example of a cause: "reads `df`, which cell 2 (line 3) defines".
    """

    reader: int
    definer: int
    name: str
    use: Use
    definition: Definition
    cause: str


@dataclass(frozen=True, slots=True)
class Graph:
    """A notebook with the analysis of each code cell that holds any code.

    `binders` and `changers` are the cells that may bind a name, or change its object in place,
    in page order. Names that only imports bind are modules, whose changes are left out.
    `through_calls` are, for each cell, the names that the functions it calls may bind or change.
    `kept` are answers to questions about the notebook that have been asked before (`kept`).
    `budget` is how much more may be asked. `linked` is the notebook with the modules of its
    project, None where it imports none.
    """

    notebook: Notebook
    cells: Mapping[int, CellAnalysis]
    binders: Mapping[str, tuple[int, ...]]
    changers: Mapping[str, tuple[int, ...]]
    through_calls: Mapping[int, Mapping[str, Definition]] = field(default_factory=dict)
    kept: dict[tuple[object, ...], object] = field(default_factory=dict, compare=False)
    budget: Budget = field(default_factory=Budget, compare=False)
    linked: Linked | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """A notebook with modules of its project in front, as a graph.

    The first cells of `graph` are the modules, each with what it lies in (`paths`); the cells of
    the notebook follow.
    """

    graph: Graph
    paths: tuple[str, ...]

    def cell(self, linked: int) -> int:
        """Return the notebook's cell that a cell of the graph stands for, 0 for a module."""
        return max(linked - len(self.paths), 0)

    def order(self, cells: Iterable[int]) -> tuple[int, ...]:
        """Return an order of the notebook's cells as one of the graph's, the modules first."""
        ahead = len(self.paths)
        return (*range(1, ahead + 1), *(cell + ahead for cell in cells))

    def place(self, cell: int, line: int) -> str:
        """Return where a line of a module lies: "prep.py, line 3"; "" for the notebook's own."""
        return f"{self.paths[cell - 1]}, line {line}" if cell <= len(self.paths) else ""


_About = ParamSpec("_About")
_Answer = TypeVar("_Answer")


def kept(
    ask: Callable[Concatenate[Graph, _About], _Answer],
) -> Callable[Concatenate[Graph, _About], _Answer]:
    """Let a question about a graph be worked out once for each of its arguments.

    While the graph is being built, only what hangs on the text alone may be asked so: the answers
    go along into the finished graph.
    """

    @wraps(ask)
    def answer(graph: Graph, /, *about: _About.args, **named: _About.kwargs) -> _Answer:
        question = (ask, *about)
        if question not in graph.kept:
            graph.kept[question] = ask(graph, *about, **named)
        return cast("_Answer", graph.kept[question])

    return answer
