"""pandas: frames, series, their indexes and columns."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import weakref
from collections.abc import Mapping
from typing import Any

from ..aspects import COLUMNS, MANY, mean, table
from ..hashing import bulk, instances, object_arrays
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from ..tracing import read_only_uses
from . import Table, _plain_tables, _shared_tables, of_columns
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


part_of_table = _shared_tables.part_of_table
lazily_copied = _shared_tables.lazily_copied
never_written = _shared_tables.never_written
blocks_of = _shared_tables.blocks_of
lazy_holders_of = _shared_tables.lazy_holders_of


def reduced(value: Any) -> Any:
    """Return how a table or column is pickled with its ties to others, which pandas leaves out.

    A part of a table is written as it lies in memory: pandas 3 makes a copy without gaps. An index
    in which something was looked up has made a table for that, which counts as memory.
    """
    pandas = sys.modules["pandas"]
    if isinstance(value, sys.modules["pandas._libs.internals"].Block):
        return value.__reduce_ex__(4)
    if isinstance(value, pandas.Index):
        return (looked_up, value.__reduce_ex__(4)[:2]) if knows_places(value) else NotImplemented
    if not isinstance(value, (pandas.DataFrame, pandas.Series)):
        return NotImplemented
    ties = _ties(value)
    if not ties:
        return NotImplemented
    make, arguments, state = value.__reduce_ex__(4)[:3]
    return make, arguments, (state, ties), None, None, tie


def knows_places(value: Any) -> bool:
    """Return whether something was looked up in an index, or by that of a table or column."""
    pandas = sys.modules["pandas"]
    index = value.index if isinstance(value, (pandas.DataFrame, pandas.Series)) else value
    if not isinstance(index, pandas.Index):
        return False
    engine = getattr(index, "_cache", {}).get("_engine")
    return bool(getattr(engine, "is_mapping_populated", False))


def looked_up(make: Any, arguments: Any) -> Any:
    """Return an index in which something was looked up; files refer to it by its name."""
    index = make(*arguments)
    with contextlib.suppress(Exception):  # what cannot be looked up
        index.get_loc(index[0])
    return index


def tie(value: Any, state: tuple[Any, dict[str, Any]]) -> None:
    """Give a table or column its state and its ties; files refer to it by its name."""
    value.__setstate__(state[0])
    for name, held in state[1].items():
        object.__setattr__(value, name, _as_tied(name, held))


def _as_tied(name: str, held: Any) -> Any:
    """Return how a table or column holds one of its ties."""
    if name == "_cacher":
        return held[0], weakref.ref(held[1])
    return weakref.ref(held) if name == "_is_copy" and type(held) is not str else held


def _ties(value: Any) -> dict[str, Any]:
    """Return what ties a table or column of pandas 2 to others that are still there.

    `_is_copy` is the table that it was cut from, or a warning to give: writing into it warns. A
    column writes into the table of its `_cacher` too; `_item_cache` are those that it gave away.
    """
    held, ties = vars(value), {}
    source = held.get("_is_copy")
    source = source() if isinstance(source, weakref.ref) else source
    if source is not None:
        ties["_is_copy"] = source
    label, table = held.get("_cacher") or ("", _nothing)
    if table() is not None:
        ties["_cacher"] = label, table()
    if held.get("_item_cache"):
        ties["_item_cache"] = held["_item_cache"]
    return ties


def _nothing() -> None:
    """Stand for a reference to what is no longer there."""


# ------------------------------------------------------------------ hashing


def _frame(hasher: Hasher, value: Any) -> None:
    arrays = _column_arrays(value)
    if not hasher.context.memory and _number_bytes(arrays) > hasher.size:
        raise UnknownValue(TOO_LARGE)  # before all that fits is looked at, for nothing
    hasher.tag(f"frame {qualified(type(value))}")
    _index(hasher, value.columns)
    _index(hasher, value.index)
    for array in arrays:
        _column(hasher, array)
    _beside(hasher, value)


def _beside(hasher: Hasher, value: Any) -> None:
    """Write what a table or series keeps beside its values."""
    hasher.add(dict(value.attrs))
    if not value.flags.allows_duplicate_labels:
        hasher.tag("no two labels alike")
    if hasher.context.in_form:
        hasher.add(sorted(_ties(value)))
    done, held = {*_shared_tables.OWN_FIELDS, "_attrs", "_name"}, vars(value).items()
    beside = {n: each for n, each in held if n not in done and not _is_accessor(value, n, each)}
    hasher.attributes(beside)


def _is_accessor(value: Any, name: str, held: Any) -> bool:
    """Tell whether an attribute is but a way to its parts (`.str`, `.plot`) that pandas 2 keeps."""
    definition = inspect.getattr_static(type(value), name, None)
    by_pandas = type(held).__module__.startswith("pandas.")
    return by_pandas and type(definition).__name__ == "CachedAccessor"


def _column_arrays(value: Any) -> list[Any]:
    iterate = getattr(value, "_iter_column_arrays", None)  # leaves no cached column behind
    return [*iterate()] if iterate else [column.array for _, column in value.items()]


def _number_bytes(arrays: list[Any]) -> int:
    """Return how many bytes of numbers and moments columns hold, of which each will be read."""
    plain = [getattr(array, "_ndarray", array) for array in arrays]
    numbers = sys.modules["numpy"].ndarray
    return sum(p.nbytes for p in plain if isinstance(p, numbers) and p.dtype.kind in "biufcmM")


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
    dtype = array.dtype
    hasher.tag(_column_of(dtype) if isinstance(dtype, numpy.dtype) else f"column {dtype}")
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
        hasher.tag(f"{array.kind} {len(array)}")
        add_array(hasher, numpy.asarray(array.sp_values))
        add_array(hasher, numpy.asarray(array.sp_index.indices))
        hasher.add(array.fill_value)
    elif isinstance(getattr(array, "_mask", None), numpy.ndarray):
        add_array(hasher, array._mask)  # noqa: SLF001  # as it lies
        add_array(hasher, _known_values(hasher, array))
    elif hasattr(array, "_pa_array"):
        hasher.add(array.__arrow_array__())
    elif type(array).__module__.startswith("pandas."):
        add_objects(hasher, array.astype(object).tolist())
    else:
        instances.add_instance(hasher, array)


@functools.lru_cache(maxsize=64)
def _column_of(dtype: Any) -> str:
    return f"column {dtype}"  # numpy takes its time for that


def _known_values(hasher: Hasher, array: Any) -> Any:
    """Return the values of a column beside its mask; what lies below a missing one is nobody's."""
    data, mask = array._data, array._mask  # noqa: SLF001  # as it lies
    if hasher.context.memory or not mask.any():
        return data
    data = data.copy()
    data[mask] = 0
    return data


def _missing(hasher: Hasher, value: object) -> None:
    hasher.tag(f"missing {type(value).__name__}")


def _moment(hasher: Hasher, value: Any) -> None:
    kept = getattr(value, "unit", ""), str(getattr(value, "tz", ""))
    hasher.tag(f"moment {qualified(type(value))} {value.isoformat()} {kept!r}")


def _add_texts(hasher: Hasher, array: Any) -> bool:
    """Write an array of objects of pandas that holds but texts and missing values, if it does."""
    numpy, pandas = sys.modules["numpy"], sys.modules["pandas"]
    array = array.ravel()
    if not object_arrays.kinds_in(numpy, array) <= _kinds_of_texts():
        return False  # texts of another class may hold more
    where = object_arrays.holes(numpy, array, (None, numpy.nan, pandas.NA, pandas.NaT))
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


def _kinds_of_texts() -> set[int]:
    numpy, pandas = sys.modules["numpy"], sys.modules["pandas"]
    missing = float, type(None), type(pandas.NA), type(pandas.NaT)
    return {*map(id, (str, numpy.str_, *missing))}


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

# ------------------------------------------------------------------ plain work

changed_names = _plain_tables.changed_names
