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
    len lower lstrip lt mask max mean median melt memory_usage merge min mod mode month_name mul
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
    log2 merge notna pivot_table qcut round sign sin sqrt to_datetime to_numeric to_timedelta where
    """
)
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
    reader = _Frames(home, pandas)
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
    """Reads a cell of plain work on frames; `own_names` are those that it makes itself."""

    def __init__(self, home: dict[str, Any], pandas: Any) -> None:
        self.home = home
        self.kinds = (pandas.DataFrame, pandas.Series)
        self.own_names: set[str] = set()
        self.changed: set[str] = set()

    def holds_frame(self, name: str) -> bool:
        kind = type(self.home.get(name))
        return any(kind is frame for frame in self.kinds)  # `==` may be code of the notebook

    def statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Expr):
            return self.plain(node.value)
        if not isinstance(node, ast.Assign) or not self.plain(node.value):
            return False
        return all(self.target(target, node.value) for target in node.targets)

    def target(self, node: ast.expr, value: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            if not self.is_new(value):
                return False  # another name for the same thing
            self.own_names.add(node.id)
            self.changed.add(node.id)
            return True
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        self.changed.add(node.value.id)
        return isinstance(node.slice, ast.Constant) and self.is_frame(node.value)

    def is_new(self, node: ast.expr) -> bool:
        """Tell whether a plain expression gives something that no frame is, or is in."""
        if isinstance(node, ast.Dict):
            return all(map(self.is_new, node.values))
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(map(self.is_new, node.elts))
        return isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Constant, ast.JoinedStr))

    def is_frame(self, node: ast.expr) -> bool:
        """Tell whether an expression gives a frame, or what methods of one give."""
        if isinstance(node, ast.Name):
            return node.id in self.own_names or self.holds_frame(node.id)
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and self.plain(node)
        if isinstance(node, ast.Attribute):
            return node.attr in _FRAME_PARTS and self.is_frame(node.value)
        if isinstance(node, ast.Subscript):
            return self.is_frame(node.value) and self.plain(node.slice)
        return isinstance(node, (ast.BinOp, ast.Compare)) and self.plain(node)

    def plain(self, node: ast.expr) -> bool:
        """Tell whether an expression reads frames and plain values, and changes nothing."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return self.is_frame(node) or type(self.home.get(node.id)) in {int, float, str, bool}
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute):
            is_told = node.attr in _FRAME_FACTS and self.is_frame(node.value)
            return is_told or self.is_frame(node)
        if isinstance(node, ast.Subscript):
            return self.is_frame(node)
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
            if type(owner) is types.ModuleType and owner.__name__ in {"pandas", "numpy"}:
                return function.attr in _FRAME_FUNCTIONS
        return function.attr in _FRAME_METHODS and self.is_frame(function.value)
