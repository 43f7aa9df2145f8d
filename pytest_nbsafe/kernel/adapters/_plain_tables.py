"""Which names a cell of plain work on tables of pandas changes, told by its text."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterable
from typing import Any

from ..tracing import read_only_uses

_FRAME_METHODS = read_only_uses.words(
    """
    abs agg aggregate all any assign astype between clip contains copy corr count cov cummax
    cummin cumprod cumsum day_name describe diff div drop drop_duplicates dropna duplicated
    endswith eq ewm expanding explode extract ffill fillna filter findall first floor ge
    get_group groupby gt head idxmax idxmin info interpolate isin isna isnull join kurt last le
    len lower lstrip lt map mask max mean median melt memory_usage merge min mod mode month_name mul
    ne ngroups nlargest normalize notna notnull nsmallest nth nunique pad pct_change pivot
    pivot_table pow prod quantile rank reindex rename replace resample reset_index rolling round
    rsplit rstrip sample select_dtypes sem set_index shift size skew slice sort_index
    sort_values split stack startswith std str strftime strip sub sum tail title to_dict to_list
    to_string tolist total_seconds transform unique unstack upper value_counts var where zfill
    """
)
_FRAME_PARTS = read_only_uses.words("T at columns dt iat iloc index loc str")
_FRAME_FACTS = read_only_uses.words("dtype dtypes empty ndim shape size")
_FRAME_FUNCTIONS = read_only_uses.words(
    """
    abs ceil concat cos crosstab cut exp expm1 floor get_dummies isna isnull log log10 log1p
    log2 max mean median merge min notna percentile pivot_table qcut quantile round sign sin sqrt
    std sum to_datetime to_numeric to_timedelta unique var where
    """
)
_PLACES = read_only_uses.words("at iat iloc loc")
_MADE_OF_PARTS = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.Tuple, ast.List, ast.Dict, ast.Slice, ast.JoinedStr, ast.FormattedValue),
)
_ALTERING = frozenset({"inplace", "out", "copy", "buf"})


def changed_names(tree: ast.Module, names: Iterable[str], home: dict[str, Any]) -> set[str] | None:
    """Return the names that a cell of plain work on frames changes, None when it is not plain.

    None too where one of `names` holds no frame.

    Plain are methods and functions of pandas that give something new, and columns set by key. It
    takes frames that never share what they hold (copy on write, pandas 3).
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not copies_on_write(pandas):
        return None
    mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    reader = _Frames({name: home[name] for name in mentioned & home.keys()}, pandas)
    if not all(reader.holds_frame(name) for name in names):
        return None
    for statement in tree.body:
        if not reader.statement(statement):
            return None
    return reader.changed


def copies_on_write(pandas: Any) -> bool:
    """Return whether all tables of this pandas are copied before they are written to."""
    version = str(getattr(pandas, "__version__", "0")).split(".", 1)[0]
    return version.isdigit() and int(version) >= 3


class _Frames:
    """Reads a cell of plain work on frames, `home` being what its names held before.

    `own_names` are those that it makes itself, `labels` those that stand for a label of a column.
    `columns` are the labels of all tables that can be attributes.
    """

    def __init__(self, home: dict[str, Any], pandas: Any) -> None:
        self.home = home
        self.table, self.column = pandas.DataFrame, pandas.Series
        tables = (value for value in home.values() if type(value) is self.table)
        labels = (label for table in tables for label in table.columns.tolist())
        self.columns = {label for label in labels if type(label) is str}
        self.own_names: set[str] = set()
        self.labels: set[str] = set()
        self.changed: set[str] = set()

    def holds_frame(self, name: str) -> bool:
        kind = type(self.home.get(name))
        return kind is self.table or kind is self.column  # `==` may be code of the notebook

    def holds_table(self, node: ast.expr) -> bool:
        """Tell whether an expression is a name that held a table before the cell."""
        is_name = isinstance(node, ast.Name) and node.id not in self.own_names | self.labels
        return is_name and type(self.home.get(node.id)) is self.table  # type: ignore[attr-defined]  # a name

    def statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Expr):
            return self.plain(node.value)
        if isinstance(node, ast.Assign):
            return self.plain(node.value) and all(self.target(t, node.value) for t in node.targets)
        if isinstance(node, ast.AugAssign):
            return self.plain(node.value) and self.augmented(node.target)
        if isinstance(node, ast.If):
            return self.plain(node.test) and all(map(self.statement, [*node.body, *node.orelse]))
        if isinstance(node, ast.For) and self.over_labels(node.target, node.iter):
            return all(map(self.statement, [*node.body, *node.orelse]))
        return False

    def target(self, node: ast.expr, value: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            if not self.is_new(value):
                return False  # another name for the same thing
            self.own_names.add(node.id)
            self.labels.discard(node.id)
            self.changed.add(node.id)
            return True
        if isinstance(node, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(node.elts, value.elts)  # noqa: B905  # as many, or the cell fails
            return all(self.target(each, of_it) for each, of_it in pairs)
        return self.part_set(node)

    def augmented(self, node: ast.expr) -> bool:
        """Tell whether to add to something changes but a frame, or a plain value."""
        if not isinstance(node, ast.Name):
            return self.part_set(node)
        self.changed.add(node.id)
        return self.plain(node)

    def part_set(self, node: ast.expr) -> bool:
        """Tell whether what is set is a column of a frame, or a place in it."""
        if not isinstance(node, ast.Subscript):
            return False
        held = node.value
        if isinstance(held, ast.Attribute) and held.attr in _PLACES:
            held = held.value
        elif not self.is_label(node.slice):
            return False
        if not isinstance(held, ast.Name):
            return False
        self.changed.add(held.id)
        return self.is_frame(held) and self.plain(node.slice)

    def over_labels(self, target: ast.expr, values: ast.expr) -> bool:
        """Tell whether a loop goes over the labels of columns, or over numbers; note its name."""
        if not isinstance(target, ast.Name) or target.id in self.own_names:
            return False
        if isinstance(values, ast.Attribute):
            goes = values.attr == "columns" and self.is_frame(values.value)
        elif isinstance(values, ast.Call):
            is_range = isinstance(values.func, ast.Name) and values.func.id == "range"
            goes = is_range and self.call(values)
        else:
            held = values.elts if isinstance(values, (ast.List, ast.Tuple)) else [values]
            goes = all(isinstance(each, ast.Constant) for each in held)
        if goes:
            self.labels.add(target.id)
            self.changed.add(target.id)
        return goes

    def is_label(self, node: ast.expr) -> bool:
        named = isinstance(node, ast.Name) and node.id in self.labels
        return named or isinstance(node, ast.Constant)

    def is_new(self, node: ast.expr) -> bool:
        """Tell whether a plain expression gives something that no frame is, or is in."""
        if isinstance(node, ast.Dict):
            return all(map(self.is_new, node.values))
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(map(self.is_new, node.elts))
        if isinstance(node, ast.ListComp):
            return self.is_label(node.elt) or self.is_new(node.elt)
        if isinstance(node, ast.Subscript):
            return self.holds_table(node.value)
        if isinstance(node, ast.Attribute):
            return self.is_column(node) and self.holds_table(node.value)
        made = ast.Call, ast.BinOp, ast.Compare, ast.Constant, ast.JoinedStr
        return isinstance(node, made)

    def is_column(self, node: ast.Attribute) -> bool:
        """Tell whether an attribute of a frame is a column, or what lies at the label of one."""
        return (
            node.attr in self.columns
            and not hasattr(self.table, node.attr)
            and not hasattr(self.column, node.attr)
            and self.is_frame(node.value)
        )

    def is_frame(self, node: ast.expr) -> bool:
        """Tell whether an expression gives a frame, or what methods of one give."""
        if isinstance(node, ast.Name):
            return node.id in self.own_names or self.holds_frame(node.id)
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and self.plain(node)
        if isinstance(node, ast.Attribute):
            is_part = node.attr in _FRAME_PARTS and self.is_frame(node.value)
            return is_part or self.is_column(node)
        if isinstance(node, ast.Subscript):
            return self.is_frame(node.value) and self.plain(node.slice)
        return isinstance(node, (ast.BinOp, ast.Compare)) and self.plain(node)

    def is_fact(self, node: ast.expr) -> bool:
        is_told = isinstance(node, ast.Attribute) and node.attr in _FRAME_FACTS
        return is_told and self.is_frame(node.value)  # type: ignore[attr-defined]  # an attribute

    def plain(self, node: ast.expr) -> bool:
        """Tell whether an expression reads frames and plain values, and changes nothing."""
        if self.is_label(node):
            return True
        if isinstance(node, ast.Name):
            return self.is_frame(node) or type(self.home.get(node.id)) in {int, float, str, bool}
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute):
            return self.is_fact(node) or self.is_frame(node)
        if isinstance(node, ast.Subscript):
            return self.is_frame(node) or (self.is_fact(node.value) and self.plain(node.slice))
        if isinstance(node, ast.ListComp):
            (loop, *more) = node.generators
            goes = not more and not loop.is_async and self.over_labels(loop.target, loop.iter)
            return goes and all(map(self.plain, [node.elt, *loop.ifs]))
        if isinstance(node, _MADE_OF_PARTS):
            parts = [p for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr)]
            return all(map(self.plain, parts))
        return False

    def call(self, node: ast.Call) -> bool:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(keyword.arg is None or keyword.arg in _ALTERING for keyword in node.keywords):
            return False
        if not all(map(self.plain, arguments)):
            return False
        function = node.func
        if isinstance(function, ast.Name):
            return function.id in read_only_uses.BUILTINS and function.id not in self.home
        if not isinstance(function, ast.Attribute):
            return False
        if isinstance(function.value, ast.Name):
            owner = self.home.get(function.value.id)
            if type(owner) is types.ModuleType:
                return owner is sys.modules.get("time") or _gives_new(owner, node, function.attr)
        return function.attr in _FRAME_METHODS and self.is_frame(function.value)


def _gives_new(module: types.ModuleType, node: ast.Call, name: str) -> bool:
    """Tell whether a function of pandas or numpy gives something new: none writes into a frame."""
    if module.__name__ not in {"pandas", "numpy"} or name not in _FRAME_FUNCTIONS:
        return False
    is_numpy = module.__name__ == "numpy" and name != "where"
    of_each = type(getattr(module, name)).__name__ == "ufunc"  # a second array is written to
    return not is_numpy or len(node.args) <= (1 if of_each else 2)
