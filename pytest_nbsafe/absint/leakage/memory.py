"""What a pass holds: memory, frames of calls, notes, events for the judge; and how values meet."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from copy import copy

from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.abstract_values import (
    NO_DEPS,
    AnyValue,
    CodeSite,
    Column,
    Columns,
    Const,
    Data,
    Deps,
    Estimator,
    Eval,
    ModelFit,
    Names,
    Seq,
    Value,
)
from pytest_nbsafe.absint.leakage.marks import EitherBase, Meeting
from pytest_nbsafe.absint.leakage.rows import Atom
from pytest_nbsafe.values import dataclass, field, replace

Scope = dict[str, Value]
_MOST_MET = 16


@dataclass(slots=True)
class Memory:
    """What names and objects hold: `scopes` are the names, the notebook's own first."""

    scopes: list[Scope] = field(default_factory=lambda: [{}])
    heap: dict[int, Value] = field(default_factory=dict)

    def copy(self) -> Memory:
        """Return a memory that changes apart from this one."""
        return Memory([dict(scope) for scope in self.scopes], dict(self.heap))


@dataclass(slots=True)
class Frame:
    """One call that is under way: of which function, from where, and what it has given so far.

    `outer` are the names that it declares global.
    """

    cell: int
    function: ast.AST | None = None
    callers: tuple[tuple[int, int, int], ...] = ()
    outer: set[str] = field(default_factory=set)
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Notes:
    """What a pass has noted so far, on whatever branch; it only grows.

    `events` are what the judge is told of, in the order in which it happened. `groups` and
    `markers` are columns that say of rows to which group or table they belong, `splits` the
    divisions by functions and folds; `places` says where any other was made, and where the
    rows of a source come from, each with the name that it was given; `times` says when a place was
    last run.
    `saved` is what files hold, `stars` are the modules of `from x import *`, `runs` counts those
    of each cell, `tokens` are small numbers that stand for values, `made` says where an estimator
    was made, `whole` by which column a division keeps groups whole.
    """

    events: list[Event] = field(default_factory=list)
    groups: dict[object, str] = field(default_factory=dict)
    markers: dict[tuple[str, Atom], object] = field(default_factory=dict)
    splits: dict[object, tuple[CodeSite, str, bool, str | None]] = field(default_factory=dict)
    places: dict[Hashable, tuple[CodeSite, str]] = field(default_factory=dict)
    times: dict[CodeSite, int] = field(default_factory=dict)
    saved: dict[object, Value] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    runs: dict[int, int] = field(default_factory=dict)
    tokens: dict[object, int] = field(default_factory=dict)
    made: dict[Value, CodeSite] = field(default_factory=dict)
    whole: dict[Hashable, str] = field(default_factory=dict)
    objects: int = 0

    def copy(self) -> Notes:
        """Return notes that grow apart from these."""
        return Notes(*(copy(getattr(self, name)) for name in self.__match_args__))


@dataclass(frozen=True, slots=True)
class Predicted:
    """A model predicts rows; the judge may find no score on them."""

    score: Eval


@dataclass(frozen=True, slots=True)
class Choice:
    """Something is chosen by scores."""

    site: CodeSite
    scores: frozenset[Eval]


@dataclass(frozen=True, slots=True)
class BestScore:
    """The best score of a search is given as a result."""

    site: CodeSite
    fit: ModelFit


@dataclass(frozen=True, slots=True)
class RowsSplit:
    """Rows are divided into train and test."""

    site: CodeSite


@dataclass(frozen=True, slots=True)
class Ungrouped:
    """Rows of one `group` are cross-validated in different folds."""

    site: CodeSite
    group: str


Event = Eval | Predicted | Choice | BestScore | RowsSplit | Ungrouped


# -- where paths meet ------------------------------------------------------------------------------


def join(left: Value | None, right: Value | None) -> Value:
    """Return what holds for both values; what holds for one of them alone is no longer certain."""
    if left == right and left is not None:
        return left
    if left is None or (
        isinstance(left, AnyValue | Const) and not isinstance(right, AnyValue | Const)
    ):
        return doubted(right)
    if right is None or (
        isinstance(right, AnyValue | Const) and not isinstance(left, AnyValue | Const)
    ):
        return doubted(left)
    if isinstance(left, Data) and isinstance(right, Data):
        return _data(left, right)
    if isinstance(left, Estimator) and isinstance(right, Estimator):
        kept = right if right.fit is not None else left
        return doubted(kept)
    if isinstance(left, Seq) and isinstance(right, Seq):
        return _seq(left, right)
    if isinstance(left, Names) and isinstance(right, Names):
        return _names(left, right)
    if isinstance(left, AnyValue | Const):
        return AnyValue(_either_of(left, right))
    return right


def met(left: Value | None, right: Value | None) -> Value:
    """Return what holds after one of two paths: the rows are those of the one that was taken."""
    value = join(left, right)
    if isinstance(value, Data) and isinstance(left, Data) and isinstance(right, Data):
        return replace(value, rows=sets.either(left.rows, right.rows))
    if isinstance(value, Seq) and isinstance(left, Seq) and isinstance(right, Seq) and value.items:
        return replace(value, items=tuple(map(met, left.items, right.items)))
    return value


def _either_of(left: Value, right: Value) -> Meeting:
    """Return a mark of the values that met here, each once.

    Past `_MOST_MET` it widens: it stays what it was, so that a loop comes to an end.
    """
    met: dict[Hashable, None] = {}
    for value in (left, right):
        key = value.key if isinstance(value, AnyValue) else None
        met.update(dict.fromkeys(key.values if isinstance(key, Meeting) else (value,)))
    return Meeting(tuple(met)[:_MOST_MET])


def _names(left: Names, right: Names) -> Names:
    """Return the names that are in both."""
    deps, columns = either(left.deps, right.deps), _columns(left.columns, right.columns)
    if columns is None:
        return Names(None, deps)
    of = left.of if left.of == right.of else None
    return Names(columns, deps, of=of, made=left.made & right.made)


def _columns(left: Columns | None, right: Columns | None) -> Columns | None:
    """Return the columns that are in both."""
    if left is None or right is None:
        return None
    if left.but and right.but:
        return Columns(but=True, names=left.names | right.names)
    known, other = (left, right) if not left.but else (right, left)
    return Columns(but=False, names=frozenset(filter(other.has, known.names)))


def joined(values: Iterable[Value]) -> Value | None:
    """Return what holds for all values, None when there are none."""
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return result


def doubted(value: Value | None) -> Value:
    """Return a value of which nothing is certain any more, for it is there on some paths only."""
    if isinstance(value, Data):
        named = tuple((k, replace(c, deps=maybe(c.deps))) for k, c in value.named)
        return replace(value, deps=maybe(value.deps), named=named)
    if isinstance(value, Estimator) and value.fit is not None:
        return replace(value, fit=replace(value.fit, certain=False))
    return value if value is not None else AnyValue()


def maybe(deps: Deps) -> Deps:
    """Return the same, none of it certain."""
    return frozenset(replace(dep, certain=False) for dep in deps) if deps else NO_DEPS


def either(left: Deps, right: Deps) -> Deps:
    """Return what is depended on when one of two paths was taken."""
    if left == right:
        return left
    return (left & right) | maybe(left ^ right)


def _data(left: Data, right: Data) -> Data:
    mine, yours = dict(left.named), dict(right.named)
    named = tuple((name, _column(mine.get(name), yours.get(name))) for name in mine | yours)
    return replace(
        right,
        rows=left.rows | right.rows,
        deps=either(left.deps, right.deps),
        named=named,
        base=_base(left.base, right.base),
        columns=_columns(left.columns, right.columns),
        origins=left.origins & right.origins,
        uses=left.uses & right.uses,
        mask=right.mask if left.mask == right.mask else None,
        pred=right.pred or left.pred,
        judged=left.judged or right.judged,
        scores=left.scores | right.scores,
        random=left.random and right.random,
        vague=left.vague or right.vague,
        form=right.form if left.form == right.form else "any",
        net=right.net or left.net,
    )


def _base(left: Hashable, right: Hashable) -> Hashable:
    """Return what the columns of either of two tables belong to: it is one table from here on."""
    if left == right or left is None or right is None:
        return left if left == right else None
    parts = [base.bases if isinstance(base, EitherBase) else {base} for base in (left, right)]
    both = frozenset().union(*parts)
    return EitherBase(both) if len(both) <= _MOST_MET else None


def _column(left: Column | None, right: Column | None) -> Column:
    if left is None or right is None:
        column = left or right or Column()
        return Column(maybe(column.deps))
    return Column(
        either(left.deps, right.deps), left.origins & right.origins, left.uses & right.uses
    )


def _seq(left: Seq, right: Seq) -> Seq:
    if len(left.items) == len(right.items) and left.each is None and right.each is None:
        return Seq(tuple(join(a, b) for a, b in zip(left.items, right.items, strict=True)))
    each = joined((*left.parts(), *right.parts()))
    return Seq((), each, right.key or left.key)
