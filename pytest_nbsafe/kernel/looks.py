"""Which values a cell only looks at, by its text, so that they need not be compared once more.

A value is left alone where nobody but its name holds it, every mention of the name looks on, and
no code that runs later (a function, a lambda, a generator) mentions it. Anything else is compared.
"""

from __future__ import annotations

import ast
import re
import sys
import types
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

_SIDE_WAYS = re.compile(
    r"(?m)^\s*[%!]|\b(globals|locals|vars|exec|eval|gc|sys|inspect|ctypes|builtins|get_ipython)\b"
    r"|\b(user_\w*ns|__\w+__|import_module|_getframe|setattr|In|Out)\b|import\s*\*"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _words(
    """
    abs all any bool dict divmod enumerate float frozenset int isinstance len list max min print
    range repr reversed round set sorted str sum tuple type zip
    """
)
_READERS = _words(
    """
    copy count difference get index intersection isdisjoint issubset issuperset items keys
    symmetric_difference union values
    """
)
_FRAME_METHODS = _words(
    """
    abs agg aggregate all any astype between clip contains copy corr count cummax cummin cumprod
    cumsum describe diff drop drop_duplicates dropna duplicated endswith explode ffill fillna
    first groupby head idxmax idxmin info isin isna isnull kurt last len lower lstrip max mean
    median melt memory_usage merge min mode nlargest notna notnull nsmallest nunique pct_change
    pivot pivot_table prod quantile rank reindex rename reset_index round rstrip sample
    select_dtypes sem set_index shift size skew sort_index sort_values stack startswith std
    strip sum tail title to_dict to_list to_string tolist unique unstack upper value_counts var
    zfill
    """
)
_FRAME_FUNCTIONS = _words(
    """
    abs ceil concat cos crosstab cut exp expm1 floor get_dummies isna isnull log log10 log1p
    log2 merge notna pivot_table qcut round sign sin sqrt to_datetime to_numeric to_timedelta
    where
    """
)
_ALTERING = frozenset({"inplace", "out", "copy", "buf"})


def goes_side_ways(raw: str) -> bool:
    """Tell whether a cell's text may reach names otherwise than by writing them."""
    return _SIDE_WAYS.search(raw) is not None


def is_alone(home: dict[str, Any], name: str) -> bool:
    """Tell whether nothing but its name refers to a value."""
    if sys.getrefcount(home[name]) > 2:
        return False
    try:
        return weakref.getweakrefcount(home[name]) == 0
    except TypeError:
        return True


def only_looked_at(tree: ast.Module, names: Iterable[str], home: dict[str, Any]) -> set[str]:
    """Return those names of flat lists, dicts and sets that a cell's text does not change."""
    left = set(names)
    seen: dict[str, int] = {}
    looks: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in left:
            seen[node.id] = seen.get(node.id, 0) + 1
        for name in _looks(node, home):
            looks[name] = looks.get(name, 0) + 1
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_store(n)}
    if not stored.isdisjoint(_BUILTINS):
        return set()
    return {name for name in left - stored if seen.get(name, 0) == looks.get(name, 0)}


def _looks(node: ast.AST, home: dict[str, Any]) -> Iterator[str]:
    """Yield the names that a node only looks at, each as often as it does."""
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        parts = [node.iter]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        parts = [node.value]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        parts = node.comparators if isinstance(node.ops[0], (ast.In, ast.NotIn)) else []
    elif isinstance(node, ast.FormattedValue):
        parts = [node.value]
    elif isinstance(node, ast.Call):
        parts = _looking_parts(node, home)
    else:
        return
    yield from (part.id for part in parts if isinstance(part, ast.Name))


def _looking_parts(node: ast.Call, home: dict[str, Any]) -> list[ast.expr]:
    function = node.func
    if isinstance(function, ast.Name) and function.id in _BUILTINS and function.id not in home:
        return node.args
    if isinstance(function, ast.Attribute) and function.attr in _READERS:
        return [function.value]
    if isinstance(function, ast.Attribute) and function.attr == "join":
        return node.args if isinstance(function.value, ast.Constant) else []
    return []


def _is_store(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


# ------------------------------------------------------------------ frames of pandas


def changed_frames(tree: ast.Module, names: Iterable[str], home: dict[str, Any]) -> set[str] | None:
    """Return the names that a cell of plain work on frames changes, None when it is not plain.

    None too where one of `names` holds no frame.

    Plain are methods and functions of pandas that give something new, and columns set by key. It
    takes frames that never share what they hold (copy on write, pandas 3).
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not _copies_on_write(pandas):
        return None
    reader = _Frames(home, pandas)
    if not all(reader.holds_frame(name) for name in names):
        return None
    for statement in tree.body:
        if not reader.statement(statement):
            return None
    return reader.changed


def _copies_on_write(pandas: Any) -> bool:
    version = str(getattr(pandas, "__version__", "0")).split(".", 1)[0]
    return version.isdigit() and int(version) >= 3


class _Frames:
    """Reads a cell of plain work on frames; `made` are the names that it made itself."""

    def __init__(self, home: dict[str, Any], pandas: Any) -> None:
        self.home = home
        self.kinds = (pandas.DataFrame, pandas.Series)
        self.made: set[str] = set()
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
            if not isinstance(value, (ast.Call, ast.BinOp, ast.Compare, ast.Constant)):
                return False  # another name for the same thing
            self.made.add(node.id)
            self.changed.add(node.id)
            return True
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        self.changed.add(node.value.id)
        return isinstance(node.slice, ast.Constant) and self.is_frame(node.value)

    def is_frame(self, node: ast.expr) -> bool:
        """Tell whether an expression gives a frame, or what methods of one give."""
        if isinstance(node, ast.Name):
            return node.id in self.made or self.holds_frame(node.id)
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Attribute) and self.plain(node)
        if isinstance(node, ast.Attribute):
            return node.attr in {"str", "dt", "T", "columns", "index"} and self.is_frame(node.value)
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
            return node.attr in {"shape", "size", "empty", "dtypes"} and self.is_frame(node.value)
        if isinstance(node, ast.Subscript):
            return self.is_frame(node)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List, ast.Dict)):
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
            return function.id in _BUILTINS and function.id not in self.home
        if not isinstance(function, ast.Attribute):
            return False
        if isinstance(function.value, ast.Name):
            owner = self.home.get(function.value.id)
            if type(owner) is types.ModuleType and owner.__name__ in {"pandas", "numpy"}:
                return function.attr in _FRAME_FUNCTIONS
        return function.attr in _FRAME_METHODS and self.is_frame(function.value)
