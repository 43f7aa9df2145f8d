"""pandas: frames, series, their indexes and columns."""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ..aspects import COLUMNS, MANY, mean, table
from ..hashing import bulk, instances
from ..hashing.hasher import Handler, Hasher, qualified
from ..tracing import read_only_uses
from . import Table, of_columns
from .numpy import CHANGING, add_array, add_content, add_objects

WATCHED = frozenset({"pandas.concat", "pandas.DataFrame.sample"})
_BY_LABEL, _BY_PLACE = ("_LocIndexer", "_AtIndexer"), ("_iLocIndexer", "_iAtIndexer")
_INDEXERS = {**dict.fromkeys(_BY_LABEL, "loc"), **dict.fromkeys(_BY_PLACE, "iloc")}


def missing_values() -> tuple[Any, ...]:
    """Return what stands for a missing value in a column of objects."""
    pandas = sys.modules["pandas"]
    return pandas.NA, pandas.NaT


def aspects(value: Any) -> dict[str, str]:
    """Return the shape, the columns and their means."""
    pandas = sys.modules["pandas"]
    if type(value) is pandas.Series:
        return {"length": str(len(value)), **mean("mean", value)}
    if type(value) is not pandas.DataFrame:
        return {}
    names = [column if type(column) in (str, int) else "?" for column in value.columns[:COLUMNS]]
    words = table(value.shape, [*map(str, names)])
    for index, name in enumerate(names if value.size <= MANY else ()):
        words.update(mean(f"mean of {name!r}", value.iloc[:, index]))
    return words


def settings() -> Mapping[str, object]:
    """Return how frames are read, computed and shown."""
    config = sys.modules.get("pandas._config.config")
    return {"pandas": _flat(getattr(config, "_global_config", {}))}


def _flat(options: dict[str, Any]) -> dict[str, Any]:
    return {name: _flat(value) if type(value) is dict else value for name, value in options.items()}


def access_kind(value: Any) -> dict[str, Any]:
    """Return what a value is as far as parts go: a frame with its columns, an indexer of one."""
    word = type(value).__name__
    if word == "DataFrame":
        return {"word": "frame", "columns": value.columns, "changing": CHANGING}
    frame: Any = value.obj if word in _INDEXERS else None
    if type(frame).__name__ == "DataFrame":
        return {"word": _INDEXERS[word], "columns": frame.columns}
    return {"word": "array", "changing": CHANGING}


# ------------------------------------------------------------------ rows


def table_of(value: Any) -> Table | None:
    """Return a frame or a series as a table."""
    pandas = sys.modules["pandas"]
    frames: Any = getattr(pandas, "DataFrame", ())  # it may not be there yet
    series: Any = getattr(pandas, "Series", ())
    if isinstance(value, series):
        table = of_columns([value.array])
    elif isinstance(value, frames):
        table = of_columns(_column_arrays(value))
        table.n = len(value.index)
    else:
        return None
    table.index = value.index
    return table


def values(column: Any, rows: Any) -> Any:
    """Return some rows of a column that pandas keeps in an array of its own."""
    numpy, array = sys.modules["numpy"], column[rows]
    kind = type(array).__name__
    plain = getattr(array, "_ndarray", None)  # numbers, moments, texts
    if kind == "Categorical":
        return array.categories.array, array.codes
    if isinstance(plain, numpy.ndarray):
        return plain
    if kind == "SparseArray":
        return numpy.asarray(array)
    if array.dtype.kind in "fiub":
        return array.to_numpy(dtype=numpy.float64, na_value=numpy.nan)
    return array.tolist()


# ------------------------------------------------------------------ memory

IS_BY_VALUE = True
CACHES = frozenset({"_cache"})
CONSTANTS = read_only_uses.words(
    """
    ArrowDtype BlockPlacement CategoricalDtype DatetimeTZDtype Interval IntervalDtype NAType
    NaTType Period PeriodDtype StringDtype Timedelta Timestamp
    """
)


def lazily_copied(value: Any) -> list[Any] | None:
    """Return what a table, an index or an array of such holds, None of what is no such thing.

    Where it is copied before it is written to, two tables may share it and need not know of one
    another: None else. Caches are left out, which they share too.
    """
    pandas = sys.modules["pandas"]
    if isinstance(value, pandas.api.extensions.ExtensionArray):
        return [getattr(value, name) for name in _ARRAYS if hasattr(value, name)]
    if not isinstance(value, (pandas.DataFrame, pandas.Series, pandas.Index)):
        return None
    mode = pandas.options.mode
    if not _copies_on_write(pandas) and getattr(mode, "copy_on_write", False) is not True:
        return None
    if isinstance(value, pandas.MultiIndex):
        return [*value.levels, *value.codes, *value.names]
    if isinstance(value, pandas.Index):
        return [] if isinstance(value, pandas.RangeIndex) else [value.array, *value.names]
    held = [item for name, item in vars(value).items() if name not in _OWN_FIELDS]
    return [*held, *value._mgr.axes, *value._mgr.arrays]  # noqa: SLF001  # as it lies


def lazy_holders_of(value: Any) -> list[Any]:
    """Return the columns of tables that share memory until one of them is written to.

    `value` may be what pandas itself keeps of who shares memory: weak references.
    """
    if type(value).__name__ != "BlockValuesRefs":
        return []
    return [column for held in value.referenced_blocks if (column := held()) is not None]


_ARRAYS = ("_ndarray", "_data", "_mask", "_codes", "_left", "_right", "_sparse_values")
"""Where the arrays of pandas keep those of numpy."""
_OWN_FIELDS = frozenset({"_mgr", "_item_cache", "_flags", "_cacher", "_typ"})


# ------------------------------------------------------------------ hashing


def _frame(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"frame {qualified(type(value))}")
    _index(hasher, value.columns)
    _index(hasher, value.index)
    for array in _column_arrays(value):
        _column(hasher, array)
    _beside(hasher, value)


def _beside(hasher: Hasher, value: Any) -> None:
    """Write what a table or series keeps beside its values."""
    hasher.add(dict(value.attrs))
    if not value.flags.allows_duplicate_labels:
        hasher.tag("no two labels alike")
    done = {*_OWN_FIELDS, "_attrs", "_name"}
    hasher.attributes({name: held for name, held in vars(value).items() if name not in done})
    instances.add_own(hasher, type(value))


def _column_arrays(value: Any) -> list[Any]:
    iterate = getattr(value, "_iter_column_arrays", None)  # leaves no cached column behind
    return [*iterate()] if iterate else [column.array for _, column in value.items()]


def _series(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"series {qualified(type(value))}")
    hasher.add(value.name)
    _index(hasher, value.index)
    _column(hasher, value.array)
    _beside(hasher, value)


def _index(hasher: Hasher, value: Any) -> None:
    kind = type(value).__name__
    hasher.tag(f"index {kind}")
    hasher.add(list(value.names))
    if kind == "RangeIndex":
        hasher.all("range", [value.start, value.stop, value.step])
    elif kind == "MultiIndex":
        for level, codes in zip(value.levels, value.codes):  # noqa: B905  # as many of both
            _column(hasher, level.array)
            add_array(hasher, codes)
    else:
        _column(hasher, value.array)
        if getattr(value, "freq", None) is not None:
            hasher.tag(f"every {value.freq!r}")


def _column(hasher: Hasher, array: Any) -> None:
    """Write one array of pandas, whichever way it stores its values."""
    numpy = sys.modules["numpy"]
    plain = getattr(array, "_ndarray", array)  # NumpyExtensionArray, datetimes, strings
    hasher.tag(f"column {array.dtype}")
    if type(array).__name__ == "Categorical":  # its numbers are an array of numpy, its words not
        hasher.add(bool(array.ordered))
        add_array(hasher, numpy.asarray(array.codes))
        _index(hasher, array.categories)
    elif isinstance(plain, numpy.ndarray) and plain.dtype.kind == "O":
        hasher.tag(str(plain.shape))
        if not _add_texts(hasher, plain):
            add_objects(hasher, plain.ravel().tolist())
    elif isinstance(plain, numpy.ndarray):
        add_array(hasher, plain)
    elif type(array).__name__ == "SparseArray":
        add_array(hasher, numpy.asarray(array.sp_values))
        add_array(hasher, numpy.asarray(array.sp_index.indices))
        hasher.add(array.fill_value)
    elif hasattr(array, "_pa_array"):
        hasher.add(array.__arrow_array__())
    elif type(array).__module__.startswith("pandas."):
        add_objects(hasher, array.astype(object).tolist())
    else:
        instances.add_instance(hasher, array)


def _missing(hasher: Hasher, value: object) -> None:
    hasher.tag(f"missing {type(value).__name__}")


def _moment(hasher: Hasher, value: Any) -> None:
    kept = getattr(value, "unit", ""), str(getattr(value, "tz", ""))
    hasher.tag(f"moment {qualified(type(value))} {value.isoformat()} {kept!r}")


def _add_texts(hasher: Hasher, array: Any) -> bool:
    """Write an array of objects of pandas that holds but texts and missing values, if it does."""
    numpy, pandas = sys.modules["numpy"], sys.modules["pandas"]
    array = array.ravel()
    where = bulk.holes(numpy, array, (None, numpy.nan, pandas.NA, pandas.NaT))
    joined = _joined(numpy, array, where)
    if joined is None:
        other = pandas.isna(array) & (where == 0)  # not a number, but not that very object
        if not other.any() or any(type(value) is not float for value in array[other]):
            return False
        where[other] = 2
        joined = _joined(numpy, array, where)
    if joined is None:
        return False
    hasher.tag("texts")
    hasher.raw(bulk.numbers(numpy, where))
    add_content(hasher, numpy.frombuffer(joined, numpy.uint8))
    return True


def _joined(numpy: Any, array: Any, where: Any) -> bytes | None:
    """Return the texts of an array as one, without its holes; None when not all are texts."""
    texts = array[where == 0] if where.any() else array
    with contextlib.suppress(TypeError):
        return bulk.joined(texts.tolist(), numpy)
    return None


HASHED: dict[str, dict[str, Handler]] = {
    "pandas": {
        "DataFrame": _frame,
        "Series": _series,
        "Index": _index,
        "api.extensions.ExtensionArray": _column,
        "Timestamp": _moment,
        "Timedelta": _moment,
    },
    "pandas._libs.missing": {"NAType": _missing},
    "pandas._libs.tslibs.nattype": {"NaTType": _missing},
}

# ------------------------------------------------------------------ plain work on frames

_FRAME_METHODS = read_only_uses.words(
    """
    abs agg aggregate all any astype between clip contains copy corr count cummax cummin cumprod
    cumsum describe diff drop drop_duplicates dropna duplicated endswith explode ffill fillna
    first groupby head idxmax idxmin info isin isna isnull kurt last len lower lstrip max mean
    median melt memory_usage merge min mode nlargest notna notnull nsmallest nunique pct_change
    pivot pivot_table prod quantile rank reindex rename reset_index round rstrip sample
    select_dtypes sem set_index shift size skew sort_index sort_values stack startswith std var
    strip sum tail title to_dict to_list to_string tolist unique unstack upper value_counts zfill
    """
)
_FRAME_FUNCTIONS = read_only_uses.words(
    """
    abs ceil concat cos crosstab cut exp expm1 floor get_dummies isna isnull log log10 log1p
    log2 merge notna pivot_table qcut round sign sin sqrt to_datetime to_numeric to_timedelta where
    """
)
_ALTERING = frozenset({"inplace", "out", "copy", "buf"})


def changed_names(tree: ast.Module, names: Iterable[str], home: dict[str, Any]) -> set[str] | None:
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
            if not isinstance(value, (ast.Call, ast.BinOp, ast.Compare, ast.Constant)):
                return False  # another name for the same thing
            self.own_names.add(node.id)
            self.changed.add(node.id)
            return True
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        self.changed.add(node.value.id)
        return isinstance(node.slice, ast.Constant) and self.is_frame(node.value)

    def is_frame(self, node: ast.expr) -> bool:
        """Tell whether an expression gives a frame, or what methods of one give."""
        if isinstance(node, ast.Name):
            return node.id in self.own_names or self.holds_frame(node.id)
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
            return function.id in read_only_uses.BUILTINS and function.id not in self.home
        if not isinstance(function, ast.Attribute):
            return False
        if isinstance(function.value, ast.Name):
            owner = self.home.get(function.value.id)
            if type(owner) is types.ModuleType and owner.__name__ in {"pandas", "numpy"}:
                return function.attr in _FRAME_FUNCTIONS
        return function.attr in _FRAME_METHODS and self.is_frame(function.value)
