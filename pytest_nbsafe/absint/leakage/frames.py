"""What functions and methods do to the rows of one table: keep, choose or draw them."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING

from pytest_nbsafe.absint.leakage import joining, tables, taking
from pytest_nbsafe.absint.leakage import rows as sets
from pytest_nbsafe.absint.leakage.arguments import Arguments, text
from pytest_nbsafe.absint.leakage.rows import Step
from pytest_nbsafe.absint.leakage.values import (
    Columns,
    Const,
    Data,
    Dep,
    DepKind,
    Form,
    Function,
    Index,
    Mask,
    Names,
    Seq,
    Unknown,
    Value,
)
from pytest_nbsafe.values import dataclass, replace

if TYPE_CHECKING:
    from pytest_nbsafe.absint.leakage.interpret import Machine


@dataclass(frozen=True, slots=True)
class Call:
    """One effect on rows: `data` is the table, `args` what else is given, `place` where in them.

    `owner` is the object whose method it is, None for a function.
    """

    machine: Machine
    what: str
    data: Data
    arguments: Arguments
    first: int
    owner: Value | None = None

    def find(self, place: int, *names: str) -> Value | None:
        """Return an argument, the table itself not counted."""
        return self.arguments.find(place + self.first, *names)

    @property
    def name(self) -> str:
        """The name of the table in the code."""
        if self.owner is not None:
            return text(self.machine, getattr(self.arguments.node.func, "value", None))
        return self.arguments.name()


def kept(call: Call) -> Value:
    """Return the same rows in another form."""
    data, what = call.data, call.what
    if what == "pop" and call.owner is not None:
        names = tables.names_in(call.arguments.plain(0, "item"))
        if names:
            call.machine.put(call.owner, tables.without(data, names))
            return tables.column(data, names[0])
    if what == "get":
        names = tables.names_in(call.arguments.plain(0, "key"))
        return tables.column(data, names[0]) if names else tables.chosen_by(data, Names())
    if what == "filter":
        from pytest_nbsafe.absint.leakage import deferred

        found = deferred.filtered(call)
        if found is not None:
            return found
    if what == "filter":
        return _by_names(call)
    if what == "select_dtypes":
        return tables.chosen_by(data, Names())
    if what == "reindex" and "columns" in call.arguments.keywords:
        chosen = call.arguments.plain(9, "columns")
        names = tables.names_in(chosen)
        if names is not None:
            return tables.chosen(data, names)
        return tables.chosen_by(data, chosen if isinstance(chosen, Names) else Names())
    if what == "rename" and data.form == "frame":
        return replace(data, base=None, columns=None, deps=data.all_deps(), named=())
    if what == "set_index":
        names = tables.names_in(call.arguments.plain(0, "keys")) or ()
        dated = [d for n in names for d in tables.column(data, n).deps if d.kind == "time"]
        return tables.with_deps(tables.without(data, names), dated)
    if what in {"items", "iteritems", "iterrows", "itertuples"}:
        row = replace(data, form="row")
        return Seq((), Seq((Unknown(("row", call.machine.token(data.rows))), row)))
    form: Form = data.form
    if what in {"to_numpy", "values", "toarray", "array", "asarray", "reshape"}:
        form = "array"
    elif what == "to_frame" or (what == "reset_index" and form == "stat"):
        form = "frame"
    elif what == "DataLoader":
        form = "array"
    return replace(data, form=form)


def _by_names(call: Call) -> Value:
    """Return the columns that `filter` chooses by their names."""
    names = tables.names_in(call.arguments.plain(0, "items"))
    if names is not None:
        return tables.chosen(call.data, names)
    for title, kind in (("like", "in"), ("regex", "matches")):
        said = call.arguments.constant(title)
        if isinstance(said, str):
            tests = ((kind, said, True),)
            return tables.chosen_by(call.data, Names(None, tests=tests, whole=True))
    return tables.chosen_by(call.data, Names())


def rowwise(call: Call) -> Value:
    """Return rows that were made each from that row alone."""
    data, what = call.data, call.what
    if what == "assign":
        return _assign(call)
    if what == "astype":
        return data
    if what == "normalize" and call.arguments.constant("axis") == 0:
        from pytest_nbsafe.absint.leakage import learning

        return learning.fitted(call)  # by column: each is divided by its own length
    if what == "eval":
        return _evaluated(call)
    if what == "insert" and call.owner is not None:
        names = tables.names_in(call.arguments.plain(1, "column"))
        made = call.arguments.get(2, "value")
        if names:
            part = made if isinstance(made, Data) else Data()
            call.machine.put(call.owner, tables.with_column(data, names[0], part))
        return Const(None)
    others = [v for v in call.arguments.every() if isinstance(v, Data) and v is not data]
    if what == "isin":
        other = call.arguments.get(call.first)
        return replace(
            tables.mix([data]),
            mask=Mask(("isin", call.machine.token(other)), ("is", True)),
        )
    if what == "between" and len(data.origins) == 1:
        low, high = (taking.bound(call.machine, call.arguments.get(i, n)) for i, n in _SIDES)
        within: tuple[Hashable, ...] = ("range", (low, False), (high, True))
        return replace(tables.mix([data]), mask=Mask(("col", *data.origins), within))
    if what in {"isna", "isnull", "notna", "notnull"}:
        key = ("null", *(data.origins or (call.machine.token(data),)))
        null: tuple[Hashable, ...] = ("is", True)
        rows = null if what in {"isna", "isnull"} else ("not", null)
        return replace(tables.mix([data]), mask=Mask(key, rows))
    if what == "get_dummies":
        kept = "columns" in call.arguments.keywords
        changed = data if kept else replace(data, base=None, columns=_made_here(data))
        return replace(changed, form="frame", mask=None)
    if data.form == "group":
        return replace(data, form="any")
    return tables.mix([data, *others])


def _made_here(data: Data) -> Columns | None:
    """Return the columns that the page made itself: those of texts have other names as dummies."""
    made = [name for name, _ in data.named if data.columns is not None and data.columns.has(name)]
    return Columns(but=False, names=frozenset(made)) if made else None


_SIDES = ((0, "left"), (1, "right"))


def _evaluated(call: Call) -> Value:
    """Return a table with the column that `eval("x = x - @mean")` makes."""
    text = call.find(0, "expr")
    said = text.value if isinstance(text, Const) and isinstance(text.value, str) else ""
    names = re.findall(r"@(\w+)", said)
    used = [call.machine.get(call.machine.read(name)) for name in names]
    made = tables.mix([call.data, *(value for value in used if isinstance(value, Data))])
    target = re.match(r"\s*(\w+)\s*=(?!=)", said)
    if target is None:
        return made
    return tables.with_column(call.data, target[1], made, site=call.arguments.site)


def _assign(call: Call) -> Value:
    data = call.data
    for name, value in call.arguments.keywords.items():
        made = call.machine.get(value)
        call.machine.mark_rows(data, name, made)
        if isinstance(made, Function):
            made = call.machine.get(called(call, made, data))
        part = made if isinstance(made, Data) else Data()
        data = tables.with_column(data, name, part, site=call.arguments.site)
    return data


def filtered(call: Call) -> Value:
    """Return some of the rows."""
    data, what = call.data, call.what
    if what in {"head", "tail"}:
        count = call.find(0, "n")
        value = count.value if isinstance(count, Const) else 5 if count is None else Unknown(0)
        if data.form == "group":
            step = Step(("by", (what, call.machine.fresh(call.arguments.node))), ("is", value))
            return replace(data, form="frame", rows=sets.divide(data.rows, step), mask=None)
        if data.ranked and value == 1:
            call.machine.note("choice", call.arguments.node, data.scores)
        if what == "head":
            return taking.take_rows(call.machine, data, taking.Slice(None, value))
        low = -value if isinstance(value, int) else value
        return taking.take_rows(call.machine, data, taking.Slice(low, None))
    if what in {"take", "skip"} and call.first == 0:
        count = call.find(0, "count")
        if isinstance(count, Const | Unknown):  # of a data set of tensorflow
            ends = None, taking.bound(call.machine, count)
            part = taking.Slice(*ends) if what == "take" else taking.Slice(ends[1], None)
            return taking.take_rows(call.machine, data, part)
    if what == "dropna" and call.arguments.constant("axis") in {1, "columns"}:
        return data
    if what == "Subset" or (what in {"take", "compress"} and call.first == 0):
        index = call.find(0)
        if isinstance(index, Index | Data):
            return taking.take_rows(call.machine, data, index)
    if what == "delete":
        index = call.find(0)
        if isinstance(index, Index) and index.steps:
            last = index.steps[0]
            step = replace(last, part=sets.opposite(last.part))
            return replace(data, rows=sets.divide(data.rows, step))
    if what == "query":
        query = call.find(0)
        key = query.value if isinstance(query, Const) else call.machine.fresh(call.arguments.node)
        step = Step(("query", key), ("is", True))
        return replace(data, rows=sets.divide(data.rows, step), mask=None)
    given = tuple(call.machine.token(value) for value in call.arguments.every())
    if what in {"get_group", "xs", "get"}:
        group = Step((what, call.machine.token(data.rows)), ("is", given))
        return replace(data, form="frame", rows=sets.divide(data.rows, group), mask=None)
    step = Step((what, call.machine.fresh(call.arguments.node), given), ("is", True))
    return replace(data, rows=sets.divide(data.rows, step), mask=None)


def drop(call: Call) -> Value:
    """Return a table without some columns, or without some rows."""
    data, arguments = call.data, call.arguments
    if call.what == "drop_duplicates":
        return filtered(call)
    axis = arguments.constant("axis")
    if axis is None and len(arguments.args) > 1:
        second = arguments.get(1)
        axis = second.value if isinstance(second, Const) else None
    labels = arguments.plain(0, "labels", "columns", "index")
    by_column = axis in {1, "columns"} or "columns" in arguments.keywords
    if by_column or (data.form == "frame" and tables.names_in(labels) and axis is None):
        if "columns" in arguments.keywords:
            labels = arguments.plain(9, "columns")
        names = tables.names_in(labels)
        if names is not None:
            return tables.without(data, names)
        deps = labels.all_deps() if isinstance(labels, Data) else frozenset()
        if isinstance(labels, Names):
            deps = labels.deps
        return tables.chosen_by(
            data, Names(None, frozenset(d for d in deps if d.kind == "selection"))
        )
    if isinstance(labels, Index):
        part = labels.rows if labels.rows is not None else None
        left = sets.complement(data.rows, part) if part is not None else None
        if left is None and labels.steps:
            step = replace(labels.steps[0], part=sets.opposite(labels.steps[0].part))
            left = sets.divide(data.rows, step)
        if left is not None:
            return replace(data, rows=left, mask=None)
    return filtered(call)


def sample(call: Call) -> Value:
    """Return rows drawn at random; those drawn with replacement are there more than once."""
    data, arguments = call.data, call.arguments
    machine = call.machine
    again = arguments.constant("replace", default=call.what == "choice")
    again = arguments.constant("with_replacement", default=again)
    seed = arguments.constant("random_state")
    size = tuple(machine.token(arguments.find(-1, name)) for name in ("frac", "fraction", "n"))
    key = ("sample", seed, size) if seed is not None else ("sample", machine.fresh(arguments.node))
    if again is True:
        return _drawn(call, key)
    if 1 in {arguments.constant("frac"), arguments.constant("fraction")}:
        return replace(data, mask=None)
    step = Step(key, ("is", True), "random")
    joining.note_sample(machine, arguments, key, data, call.name)
    return replace(data, rows=sets.divide(data.rows, step), mask=None)


def _drawn(call: Call, key: Hashable) -> Data:
    """Return rows drawn with duplicates."""
    step = Step(key, ("is", True), "random")
    rows = sets.divide(call.data.rows, step)
    dep = learned_by(call, "resample", rows)
    return tables.with_deps(replace(call.data, rows=rows, mask=None), (dep,))


def resample(call: Call) -> Value:
    """Return rows drawn with duplicates."""
    if call.arguments.constant("replace", default=True) is False:
        return sample(call)
    if call.what == "repeat" and not (call.arguments.args or call.arguments.keywords):
        return call.data  # again in each epoch
    key = ("resample", call.machine.fresh(call.arguments.node))
    if len(call.arguments.args) > 1 and call.what == "resample":
        parts = [call.arguments.data(i) for i in range(len(call.arguments.args))]
        return Seq(tuple(_drawn(replace(call, data=p), key) for p in parts if p is not None))
    return _drawn(call, key)


def sized(call: Call) -> Value:
    """Return a number of rows or of values: nothing that is learned."""
    if call.data.pred is not None and call.what in {"bincount", "count"}:
        return Unknown((call.what, call.machine.token(call.data)))
    return Unknown((call.what, call.machine.token(call.data)))


def learned_by(call: Call, kind: DepKind, rows: sets.Rows | None = None) -> Dep:
    """Return what it is that a value will depend on."""
    data = call.data
    rows = data.rows if rows is None else rows
    by_group = any(isinstance(s.key, tuple) and s.key[0] == "group" for a in rows for s in a.steps)
    return Dep(
        kind,
        rows,
        call.what,
        call.arguments.site,
        call.name,
        frozenset(data.origins),
        grouped=by_group or data.form == "group",
    )


def called(call: Call, function: Value, part: Data) -> Value:
    """Return what a given function makes of a table."""
    extra = call.find(9, "args")
    more = list(extra.items) if isinstance(extra, Seq) else []
    keywords = {
        k: v for k, v in call.arguments.keywords.items() if k not in {"axis", "args", "func"}
    }
    return call.machine.call(
        call.arguments.node, function, [call.machine.box(part), *more], keywords
    )
