"""Fingerprints of what numpy, pandas, scipy, torch and sqlite3 hold; none is imported here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import bulk, figures, snapshot

if TYPE_CHECKING:
    from .snapshot import Handler, Hasher


def handler_of(cls: type) -> Handler | None:
    """Return how values of a library's class are written, None when it is none of these."""
    for library, named in _TABLE.items():
        module = sys.modules.get(library)
        if module is None:
            continue
        for path, handler in named.items():
            base: Any = module
            for part in path.split("."):
                base = getattr(base, part, None)
            if isinstance(base, type) and issubclass(cls, base):
                return handler
    if cls.__module__.split(".")[0] in {"matplotlib", "mpl_toolkits"}:
        return figures.add
    return None


# ------------------------------------------------------------------ numpy


def _array(hasher: Hasher, value: Any) -> None:
    numpy = sys.modules["numpy"]
    plain = numpy.ndarray.view(value, numpy.ndarray)
    hasher.tag(f"array {snapshot.qualified(type(value))} {plain.shape!r}")
    mask = getattr(value, "_mask", None) if type(value).__name__ == "MaskedArray" else None
    if mask is not None:
        hasher.add(numpy.asarray(mask))
    hasher.tag("dtype %s" % (plain.dtype.descr if plain.dtype.names else plain.dtype.str))
    _content(hasher, plain)


def _content(hasher: Hasher, plain: Any) -> None:
    numpy = sys.modules["numpy"]
    if not plain.dtype.names and (plain.dtype.hasobject or plain.dtype.kind == "T"):
        _objects(hasher, plain.ravel().tolist())
        return
    if plain.dtype.names:  # field by field: the bytes between fields are nobody's
        for name in plain.dtype.names:
            _content(hasher, plain[name])
        return
    if plain.nbytes > hasher.size:
        raise snapshot.UnknownValue(snapshot.TOO_LARGE)
    hasher.size -= plain.nbytes
    hasher.raw(bulk.numbers(numpy, numpy.ascontiguousarray(plain)))


def _objects(hasher: Hasher, values: list[Any]) -> None:
    """Write a column of objects; missing values of pandas do not make it slow."""
    pandas = sys.modules.get("pandas")
    missing = () if pandas is None else (pandas.NA, pandas.NaT)
    kinds = {type(item) for item in missing}
    kind_of = hasher.snapshot.texts.kind_of
    if kinds and not kinds.isdisjoint(map(kind_of, values)):
        where = bytes(kind_of(value) in kinds for value in values)
        hasher.raw(where)
        hasher.all("holes", [str(v) for v in values if kind_of(v) in kinds])
        values = [value for value in values if kind_of(value) not in kinds]
    hasher.all("objects", values)


def _texts(hasher: Hasher, pandas: Any, array: Any) -> bool:
    """Write an array of objects of pandas that holds but texts and missing values, if it does."""
    numpy = sys.modules["numpy"]
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
    _content(hasher, numpy.frombuffer(joined, numpy.uint8))
    return True


def _joined(numpy: Any, array: Any, where: Any) -> bytes | None:
    """Return the texts of an array as one, without its holes; None when not all are texts."""
    texts = array[where == 0] if where.any() else array
    try:
        return bulk.joined(texts.tolist(), numpy)
    except TypeError:
        return None


def _scalar(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"scalar {value.dtype.str}")
    hasher.raw(value.tobytes())


def _dtype(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"dtype {value!r}")


def _generator(hasher: Hasher, value: Any) -> None:
    hasher.tag("generator")
    hasher.add(value.bit_generator.state)


def _bit_generator(hasher: Hasher, value: Any) -> None:
    hasher.tag("bit generator")
    hasher.add(value.state)


def _random_state(hasher: Hasher, value: Any) -> None:
    hasher.tag("random state")
    hasher.add(value.get_state(legacy=False))


def _ufunc(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"ufunc {value.__name__}")


# ------------------------------------------------------------------ pandas


def _frame(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"frame {snapshot.qualified(type(value))}")
    _index(hasher, value.columns)
    _index(hasher, value.index)
    for array in _columns(value):
        _column(hasher, array)
    hasher.add(dict(value.attrs))


def _columns(value: Any) -> list[Any]:
    iterate = getattr(value, "_iter_column_arrays", None)  # leaves no cached column behind
    if iterate is not None:
        return list(iterate())
    return [column.array for _, column in value.items()]


def _series(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"series {snapshot.qualified(type(value))}")
    hasher.add(value.name)
    _index(hasher, value.index)
    _column(hasher, value.array)
    hasher.add(dict(value.attrs))


def _index(hasher: Hasher, value: Any) -> None:
    kind = type(value).__name__
    hasher.tag(f"index {kind}")
    hasher.add(list(value.names))
    if kind == "RangeIndex":
        hasher.all("range", [value.start, value.stop, value.step])
    elif kind == "MultiIndex":
        for level in range(value.nlevels):
            _column(hasher, value.get_level_values(level).array)
    else:
        _column(hasher, value.array)


def _column(hasher: Hasher, array: Any) -> None:
    """Write one array of pandas, whichever way it stores its values."""
    numpy = sys.modules["numpy"]
    plain = getattr(array, "_ndarray", array)  # NumpyExtensionArray, datetimes, strings
    hasher.tag(f"column {array.dtype}")
    if isinstance(plain, numpy.ndarray) and plain.dtype.kind == "O":
        hasher.tag(str(plain.shape))
        if not _texts(hasher, sys.modules["pandas"], plain):
            _objects(hasher, plain.ravel().tolist())
    elif isinstance(plain, numpy.ndarray):
        _array(hasher, plain)
    elif type(array).__name__ == "Categorical":
        hasher.add(bool(array.ordered))
        _array(hasher, numpy.asarray(array.codes))
        _index(hasher, array.categories)
    elif type(array).__name__ == "SparseArray":
        _array(hasher, numpy.asarray(array.sp_values))
        _array(hasher, numpy.asarray(array.sp_index.indices))
    elif hasattr(array, "_pa_array"):
        _objects(hasher, array.__arrow_array__().to_pylist())
    else:
        _objects(hasher, array.astype(object).tolist())


def _missing(hasher: Hasher, value: object) -> None:
    hasher.tag(f"missing {type(value).__name__}")


def _moment(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"moment {snapshot.qualified(type(value))} {value.isoformat()}")


# ------------------------------------------------------------------ others


def _sparse(hasher: Hasher, value: Any) -> None:
    parts = ("data", "indices", "indptr", "row", "col", "coords", "offsets", "rows")
    held = {name: vars(value)[name] for name in parts if name in vars(value)}
    if not held:
        raise snapshot.UnknownValue("a sparse matrix of this form is not compared")
    hasher.all(f"sparse {type(value).__name__}", list(value.shape))
    hasher.attributes(held)


def _tensor(hasher: Hasher, value: Any) -> None:
    if str(value.layout) != "torch.strided" or value.is_meta:
        raise snapshot.UnknownValue("a tensor of this layout is not compared")
    if value.numel() * value.element_size() > hasher.size:
        raise snapshot.UnknownValue(snapshot.TOO_LARGE)
    hasher.tag(f"tensor {value.dtype} {value.requires_grad}")
    _array(hasher, value.detach().cpu().numpy())


# ------------------------------------------------------------------ sqlite3


def _database(hasher: Hasher, value: Any) -> None:
    """Write what a small database in memory holds, what is not committed too, read from a copy.

    One in a file is what the file is. Before Python 3.11 there is no way to copy one in the midst
    of a transaction.
    """
    sqlite3 = sys.modules["sqlite3"]
    about = sqlite3.Connection.cursor(value, sqlite3.Cursor)
    about.row_factory = None
    files = [file for _, _, file in about.execute("pragma database_list")]
    pages = about.execute("pragma page_count").fetchone()[0]
    about.close()
    if any(files) or pages > _PAGES or not hasattr(value, "serialize"):
        raise snapshot.UnknownValue("a database that is large or in a file is not compared")
    copy = sqlite3.connect(":memory:")
    try:
        if pages:
            copy.deserialize(sqlite3.Connection.serialize(value))
        hasher.all("database", list(copy.iterdump()))
    finally:
        copy.close()


_PAGES = 250  # a megabyte

_TABLE: dict[str, dict[str, Handler]] = {
    "numpy": {
        "ndarray": _array,
        "generic": _scalar,
        "dtype": _dtype,
        "random.Generator": _generator,
        "random.BitGenerator": _bit_generator,
        "random.RandomState": _random_state,
        "ufunc": _ufunc,
    },
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
    "scipy.sparse": {"spmatrix": _sparse, "sparray": _sparse},
    "torch": {"Tensor": _tensor},
    "sqlite3": {"Connection": _database},
}
