"""What a name may hold, as far as leaks of data go: tables, estimators, functions, and so on."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Literal

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.rows import Division, Rows
from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.values import dataclass, replace

DepKind = Literal[
    "fitted", "statistic", "correlation", "selection", "target", "resample", "join", "ahead",
    "tuned", "time", "dated", "sorted",
]  # fmt: skip
Better = Literal["", "more", "less"]
Form = Literal["any", "frame", "series", "array", "group", "window", "stat", "bunch", "row", "list"]


@dataclass(frozen=True, slots=True)
class CodeSite:
    """A place in the page."""

    cell: int
    span: Span


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table: those named, or with `but` all but those."""

    but: bool
    names: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Return whether a column is among them."""
        return (name in self.names) != self.but


@dataclass(frozen=True, slots=True)
class Dep:
    """Something that was learned of rows, or done to them, and where.

    `what` did it, `name` is that of what it was given, `of` are the columns that it was learned
    of where they are known, `grouped` whether it is another for each group of rows, `by` the
    columns that tell the groups. Of rows in order of time, "time" says that they are a series,
    "dated" that they have dates, "sorted" that they were sorted by them. A correlation of a
    table's columns with each other knows which `table`: its base, and its columns; those with one
    of them may have been `asked` for.
    """

    kind: DepKind
    rows: Rows
    what: str
    site: CodeSite
    name: str = ""
    of: frozenset[Hashable] = frozenset()
    certain: bool = True
    grouped: bool = False
    by: frozenset[str] = frozenset()
    table: tuple[Hashable, Columns] | None = None
    asked: bool = False

    @property
    def is_time(self) -> bool:
        """Whether it is about the time of rows."""
        return self.kind in {"time", "dated", "sorted"}

    @property
    def is_statistic(self) -> bool:
        """Whether a number was taken of the rows."""
        return self.kind in {"statistic", "correlation"}


Deps = frozenset[Dep]
NO_DEPS: Deps = frozenset()


@dataclass(frozen=True, slots=True)
class Column:
    """A column that was made on the page: what it depends on, and the columns it is a copy of.

    `uses` are the columns that it was made of row by row, where it was made of several. `pred` is
    set on predictions, `judged` on their differences from the truth.
    """

    deps: Deps = NO_DEPS
    origins: frozenset[Hashable] = frozenset()
    uses: frozenset[Hashable] = frozenset()
    pred: ModelFit | None = None
    judged: bool = False
    site: CodeSite | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """Which rows are true in a column of truth values."""

    key: Hashable
    part: tuple[Hashable, ...]
    random: bool = False


@dataclass(frozen=True, slots=True)
class ModelFit:
    """What an estimator learned from: rows, and what these depend on.

        `watch` are rows that it stops by, `tuned` what its parameters were chosen with, `copied` is
    the target came among the features, if it did. `window` made a feature of neighbouring rows'
        targets and the row's own. `made` is where the estimator was made.
    """

    what: str
    role: str
    rows: Rows
    deps: Deps
    site: CodeSite
    name: str = ""
    data: str = ""
    learns: str = "statistics"
    watch: Rows = sets.NONE
    tuned: Deps = NO_DEPS
    target: frozenset[Hashable] = frozenset()
    copied: CodeSite | None = None
    window: Dep | None = None
    searched: bool = False
    certain: bool = True
    made: CodeSite | None = None

    @property
    def model(self) -> Hashable:
        """What tells one model from another that was fitted elsewhere, or at the same place."""
        return self.site, self.what, self.made

    def beside(self, before: ModelFit | None) -> ModelFit:
        """Return the same fit of an estimator that goes on knowing what it knew before."""
        if before is None:
            return self
        return replace(self, rows=self.rows | before.rows, deps=self.deps | before.deps)

    def dep(self, kind: DepKind, what: str, of: frozenset[Hashable] = frozenset()) -> Dep:
        """Return what depends on this fit of `what`, a part of the estimator or the whole."""
        return Dep(kind, self.rows, what, self.site, self.data, of, certain=self.certain)


@dataclass(frozen=True, slots=True)
class Eval:
    """One score: of which fit, on which rows; `cv` in place of a fit by cross-validation.

    `several`: it is one of many, in a loop or of a curve. `better` says whether "more" or "less" is
    better, "" where that is not known. `predicted`: there are only the predictions, no score.
    `whole` is the column whose groups the folds keep whole.
    """

    fit: ModelFit
    rows: Rows
    deps: Deps
    site: CodeSite
    name: str = ""
    cv: bool = False
    shuffled: bool = False
    several: bool = False
    vague: bool = False
    certain: bool = True
    better: Better = ""
    predicted: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Data:
    """Rows with values, or (no rows) values that were made of rows.

    `deps` hold for all columns but those in `named`. `base` is what the raw columns belong to.
    `pred` is set on predictions, `judged` on their differences from the truth; `scores` are those
    that the values were made of; `ranked`: they are sorted by them, or are all places in an order.
    `random`: random numbers. `by` are the columns that tell the groups of rows in groups, and from
    which groups the one is that a function gets. `former` are the base and the columns of the table
    that rows were changed from.
    `origins` and `uses` are of a column, as those of `Column`.
    `net` is the network that gave predictions, which may learn from them.
    """

    rows: Rows = sets.NONE
    deps: Deps = NO_DEPS
    form: Form = "any"
    base: Hashable = None
    columns: Columns | None = None
    named: tuple[tuple[str, Column], ...] = ()
    origins: frozenset[Hashable] = frozenset()
    uses: frozenset[Hashable] = frozenset()
    mask: Mask | None = None
    pred: ModelFit | None = None
    cv: bool = False
    judged: bool = False
    scores: frozenset[Eval] = frozenset()
    random: bool = False
    vague: bool = False
    ranked: bool = False
    by: frozenset[str] = frozenset()
    former: tuple[Hashable, Columns] | None = None
    net: Value | None = None

    def all_deps(self) -> Deps:
        """Return what any column depends on."""
        return self.deps.union(*(column.deps for _, column in self.named))

    def mixed_deps(self) -> Deps:
        """Return what depends on all columns together: the date of one dates no others."""
        return self.deps.union(d for d in self.all_deps() if d.kind != "dated")


@dataclass(frozen=True, slots=True)
class Const:
    """A constant of the page."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Nothing is known but where it was made: two of one key are the same."""

    key: Hashable = None


@dataclass(frozen=True, slots=True)
class Index:
    """Positions or labels of rows: the `steps` that choose them, or all of `rows`.

    `order` tells one shuffled order from another, `again` what made some of them come twice.
    """

    steps: tuple[Division, ...] = ()
    rows: Rows | None = None
    order: Hashable = None
    again: Dep | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Names of columns: of a table, all but some (`columns`), with what chose them.

    `of` is the base of the table that they are all but some of, None where it is not known, `made`
    are its columns that had been made on the page by then.
    Where they are not known, `tests` are what each of them passes, with `whole` all that they do:
    ("startswith", "lag_", True), ("in", "id", False).
    """

    columns: Columns | None = None
    deps: Deps = NO_DEPS
    of: Hashable = None
    made: frozenset[str] = frozenset()
    tests: tuple[tuple[str, str, bool], ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Seq:
    """A list or tuple; `items` where they are known one by one, else all are like `each`."""

    items: tuple[Value, ...] = ()
    each: Value | None = None
    key: Hashable = None

    def parts(self) -> tuple[Value, ...]:
        """Return the known items, and what the others are like."""
        return self.items if self.each is None else (*self.items, self.each)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dict: constant keys, and what may stand under any other key."""

    items: tuple[tuple[Hashable, Value], ...] = ()
    each: Value | None = None

    def parts(self) -> tuple[Value, ...]:
        """Return the values under known keys, and what the others are like."""
        values = tuple(value for _, value in self.items)
        return values if self.each is None else (*values, self.each)


@dataclass(frozen=True, slots=True)
class Estimator:
    """An object that fits: its `steps` are those of a pipeline, or the estimators it holds."""

    what: str
    role: str
    learns: str = "statistics"
    steps: tuple[Value, ...] = ()
    fit: ModelFit | None = None
    tuned: Deps = NO_DEPS
    given: Data | None = None
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Splitter:
    """An object that makes folds."""

    what: str
    time: bool = False
    grouped: bool = False
    shuffles: bool = False


@dataclass(frozen=True, slots=True)
class Lib:
    """A module, class or function of a library, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class Closure:
    """A function or class of the page, with the names it closes over."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    cell: int
    closure: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the page."""

    cls: Closure | None = None
    attributes: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of something: `fit = scaler.fit`."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable with some of its arguments."""

    call: Value
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Locator:
    """`df.loc`, `df.iloc` and the like."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Ref:
    """An object that can change: its value is in the state's heap."""

    id: int


Value = (
    Data
    | Const
    | AnyValue
    | Index
    | Names
    | Seq
    | Dictionary
    | Estimator
    | Splitter
    | Lib
    | Closure
    | Instance
    | Bound
    | Partial
    | Locator
    | Ref
)
CHANGEABLE = (Data, Seq, Dictionary, Estimator, Instance, Names)
