"""What rows hold, as 64-bit hashes: equal rows of equal tables, whatever they are stored in.

A table is anything with rows: an array, a frame, a sparse matrix, a list. Each value becomes a
*word* (of a number the bits of its float, of a text its hash), each row the sum of its words, each
mixed with its column's number. So a frame, its `.values`, a list of lists, a sparse matrix and
either order of storage agree, zeros of a sparse matrix cost nothing, and missing values are equal.
Hashes hold within one process.

This module is loaded when a library that needs numpy has been: it imports nothing new.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..adapters import Table, of_class, of_columns

MAX_CELLS = 100_000_000  # hashed in a second; of a larger table nothing is known
MAX_CELLS_A_RUN = 2_000_000_000  # of one cell: a loop over large tables is not followed to its end
MAX_OBJECTS = 5_000_000
SAMPLE = 64
_BLOCK = 16_384  # words: what is mixed stays in the cache
_WIDE = 512  # columns, above which they are not told apart

_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
MISSING = np.uint64(0x7FF8DEADDEADDEAD)
_TEXT = np.uint64(0x5851F42D4C957F2D)
_MOMENT = np.uint64(0x2545F4914F6CDD1D)
_EXACT = 2**53
_PLAIN = frozenset({"builtins", "datetime", "decimal", "fractions", "uuid"})


class Unknown(Exception):  # noqa: N818  # it completes "raise Unknown"
    """The rows of a value cannot be told."""


_R = TypeVar("_R")
if TYPE_CHECKING:  # from Python 3.10 on
    from typing import ParamSpec

    _P = ParamSpec("_P")


def _foreign(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make unknown what the code of other libraries stumbles over, and let numpy not warn of it.

    Values are of any kind.
    """

    @functools.wraps(function)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            raise Unknown from error

    return guarded


@_foreign
def table_of(value: Any, most_cells: int = MAX_CELLS) -> Table:
    """Return a value as a table, without copying it.

    Raises:
        Unknown: it is no table, or one of more than `most_cells`.

    """
    table = _table(value)
    if table.cells() > most_cells:
        raise Unknown
    return table


@_foreign
def hashes(table: Table) -> Any:
    """Return one uint64 a row."""
    if table.sparse is not None:
        return _sparse_hashes(table.sparse, slice(None))
    if table.matrix is not None and table.matrix.flags.c_contiguous:
        return _matrix_hashes(table.matrix)
    sums: Any = np.zeros(table.n, np.uint64)
    columns = table.columns if table.matrix is None else table.matrix.T
    for number, column in enumerate(columns):
        _add_column(sums, words(column, slice(None)), number)
    return sums


@_foreign
def sampled(table: Table) -> Any:
    """Return the words of some rows, spread over the table: (rows, columns) of uint64.

    The columns of a wide or sparse table are not told apart: one word a row stands for them.
    """
    rows = spread(table.n)
    if table.sparse is not None:
        return _sparse_hashes(table.sparse, rows).reshape(-1, 1)
    if table.matrix is not None:
        row_words = words(table.matrix[rows], slice(None))
    else:
        row_words = np.empty((len(rows), table.width), np.uint64)
        for number, column in enumerate(table.columns):
            row_words[:, number] = words(column, rows)
    if table.width <= _WIDE:
        return row_words
    salts = _salts(np.arange(table.width, dtype=np.uint64))
    return np.add.reduce(_mix(row_words ^ salts), axis=1).reshape(-1, 1)


def spread(n: int) -> Any:
    """Return positions of up to `SAMPLE` rows out of n, spread evenly."""
    if n <= SAMPLE:
        return np.arange(n)
    return (np.arange(SAMPLE) * (n - 1)) // (SAMPLE - 1)


@_foreign
def column(table: Table, number: int) -> Any:
    """Return the words of one column, numbered from 0."""
    source = table.matrix[:, number] if table.matrix is not None else table.columns[number]
    return words(source, slice(None))


def fingerprint(sequence: Any) -> int:
    """Return a hash of a sequence of words that depends on their order."""
    salts = _salts(np.arange(len(sequence), dtype=np.uint64))
    return int(np.add.reduce(_mix(sequence ^ salts)))


def mix(values: Any) -> Any:
    """Return uint64 values, scrambled one to one."""
    return _mix(values.copy())


# ------------------------------------------------------------------ what is a table


def _table(value: Any) -> Table:
    if isinstance(value, np.ndarray):
        return _of_array(np.ndarray.view(value, np.ndarray))
    if isinstance(value, (list, tuple)):
        return _of_list(value)
    adapter = of_class(type(value))
    table = adapter.table_of(value) if hasattr(adapter, "table_of") else None
    if table is None:
        raise Unknown
    return table if isinstance(table, Table) else _table(table)


def _of_array(array: Any) -> Table:
    if array.ndim == 0 or array.dtype.names or array.size > MAX_CELLS:
        raise Unknown
    if array.ndim == 1:
        return of_columns([array])
    if array.ndim > 2:
        array = array.reshape(len(array), -1)
    table = Table(*array.shape)
    if array.dtype.kind in "fiub" and table.width:
        table.matrix = array
    else:
        table.columns = list(array.T)
    return table


def _of_list(values: Any) -> Table:
    first = values[0] if values else None
    if isinstance(first, (str, bytes)) or (not values):
        return of_columns([values])
    if not isinstance(first, (bool, int, float, list, tuple, np.ndarray, np.generic)):
        raise Unknown
    if len(values) > MAX_OBJECTS:
        raise Unknown
    array = np.asarray(values)
    if array.dtype.kind in "US":  # of mixed rows numpy makes texts
        array = np.asarray(values, object)
    return _of_array(array)


# ------------------------------------------------------------------ words


def words(values: Any, rows: Any) -> Any:
    """Return the words of some rows of an array, of a column of a frame, of a list.

    Raises:
        Unknown: for values that cannot be told.

    """
    if isinstance(values, np.ndarray):
        return array_words(values[rows])
    if isinstance(values, (list, tuple)):
        picked = values if isinstance(rows, slice) else [values[i] for i in rows]
        return object_words(picked)
    picked = of_class(type(values)).values(values, rows)
    if isinstance(picked, tuple):
        kinds, places = picked
        return np.append(words(kinds, slice(None)), MISSING)[places]
    return array_words(picked) if isinstance(picked, np.ndarray) else object_words(picked)


def array_words(array: Any) -> Any:
    """Return the words of an array, in its shape."""
    kind = array.dtype.kind
    if kind in "fiub":
        if kind in "iu" and array.dtype.itemsize == 8 and array.size and _is_large(array):
            return array.astype(np.uint64) ^ _STEP  # as floats they would run together
        return float_words(array)
    if kind in "mM":
        moments = array.view(np.int64).astype(np.uint64) ^ _MOMENT
        moments[np.isnat(array)] = MISSING
        return moments
    if kind == "c":
        return float_words(array.real) + mix(float_words(array.imag))
    if kind in "OUST":
        return object_words(array.ravel().tolist()).reshape(array.shape)
    raise Unknown


def _is_large(array: Any) -> bool:
    return int(array.max()) > _EXACT or int(array.min()) < -_EXACT


def float_words(array: Any) -> Any:
    """Return the words of an array of numbers that floats can hold."""
    floats = np.add(array, 0.0, dtype=np.float64)  # -0.0 becomes 0.0
    bits = floats.view(np.uint64)
    if np.isnan(np.add.reduce(floats, axis=None)):
        bits[np.isnan(floats)] = MISSING
    return bits


def object_words(values: Any) -> Any:
    """Return the words of a list of values of any kind."""
    if len(values) > MAX_OBJECTS:
        raise Unknown
    if len(values) and type(values[0]) is str and set(map(type, values)) == {str}:
        return np.fromiter(map(hash, values), np.int64, len(values)).view(np.uint64) ^ _TEXT
    return np.fromiter(map(_word, values), np.uint64, len(values))


def _word(value: Any) -> int:
    kind = type(value)
    if kind is str or kind is bytes:
        return (hash(value) & 0xFFFF_FFFF_FFFF_FFFF) ^ int(_TEXT)
    if value is None or kind.__name__ in {"NAType", "NaTType"}:
        return int(MISSING)
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return _number_word(value)
    if kind is tuple or kind is list or kind is np.ndarray:
        return int(fingerprint(object_words(list(value)))) ^ 1
    if kind.__module__ in _PLAIN or kind.__name__ in {"Timestamp", "Timedelta", "Period"}:
        return (hash(value) & 0xFFFF_FFFF_FFFF_FFFF) ^ int(_MOMENT)
    raise Unknown  # its __hash__ is the user's own code


def _number_word(value: Any) -> int:
    if isinstance(value, int) and abs(value) > _EXACT:
        return (hash(value) & 0xFFFF_FFFF_FFFF_FFFF) ^ int(_STEP)
    number = np.float64(value) + 0.0
    return int(MISSING) if np.isnan(number) else int(number.view(np.uint64))


# ------------------------------------------------------------------ rows


def _mix(values: Any) -> Any:
    """Scramble uint64 values in place, one to one, and return them.

    Source: the finalizer of SplitMix64 (Steele et al. 2014). Every bit moves half of the others,
    so that floats, which are mostly zero bits, add up to hashes that do not meet.
    """
    values ^= values >> _S30
    values *= _M1
    values ^= values >> _S27
    values *= _M2
    values ^= values >> _S31
    return values


def _salts(numbers: Any) -> Any:
    return _mix((numbers + np.uint64(1)) * _STEP)


def _add_column(sums: Any, column_words: Any, number: int) -> None:
    salt = _salts(np.array([number], np.uint64))
    for start in range(0, len(sums), _BLOCK):
        block = slice(start, start + _BLOCK)
        sums[block] += _mix(column_words[block] ^ salt)


def _matrix_hashes(matrix: Any) -> Any:
    n, width = matrix.shape
    salts = _salts(np.arange(width, dtype=np.uint64))
    sums = np.empty(n, np.uint64)
    height = max(1, _BLOCK // width)
    for start in range(0, n, height):
        block = array_words(matrix[start : start + height])
        block ^= salts
        np.add.reduce(_mix(block), axis=1, out=sums[start : start + height])
    return sums


def _sparse_hashes(matrix: Any, rows: Any) -> Any:
    """Return what a dense matrix of the same numbers gets; its zeros are not looked at."""
    part = matrix if isinstance(rows, slice) else matrix[rows]
    if not part.has_canonical_format:
        part = part.copy()
        part.sum_duplicates()
    salts = _salts(np.arange(part.shape[1], dtype=np.uint64))
    of_zeros = mix(salts)
    terms = array_words(part.data)
    for start in range(0, len(terms), _BLOCK):
        block = terms[start : start + _BLOCK]
        columns = part.indices[start : start + _BLOCK]
        block ^= salts[columns]
        _mix(block)
        block -= of_zeros[columns]
    sums = np.concatenate([np.zeros(1, np.uint64), np.add.accumulate(terms)])
    return sums[part.indptr[1:]] - sums[part.indptr[:-1]] + np.add.reduce(of_zeros)
