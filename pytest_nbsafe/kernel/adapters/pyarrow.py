"""pyarrow: tables, and the arrays that they are made of.

What they hold is read from their buffers: functions of the library would import more of it.
"""

from __future__ import annotations

import sys
from typing import Any

from ..aspects import table
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue
from . import Table, of_columns
from .numpy import add_content

_OFFSETS = {"string": "i4", "binary": "i4", "large_string": "i8", "large_binary": "i8"}


def aspects(value: Any) -> dict[str, str]:
    """Return the shape and the columns of a table, the length of an array."""
    if hasattr(value, "column_names"):
        return table((value.num_rows, value.num_columns), value.column_names)
    return {"length": str(len(value))} if hasattr(value, "null_count") else {}


# ------------------------------------------------------------------ rows


def table_of(value: Any) -> Table | None:
    """Return a table or an array as a table."""
    arrow = sys.modules["pyarrow"]
    if isinstance(value, (arrow.Table, arrow.RecordBatch)):
        return of_columns([*value.columns])
    return of_columns([value]) if isinstance(value, (arrow.Array, arrow.ChunkedArray)) else None


def values(column: Any, rows: Any) -> Any:
    """Return some rows of an array."""
    if not isinstance(rows, slice):
        return [column[row].as_py() for row in rows.tolist()]
    kind = str(column.type)
    if column.null_count or not kind.startswith(("int", "uint", "float", "double")):
        return column.to_pylist()
    return column.to_numpy()


# ------------------------------------------------------------------ memory


def places_of(value: Any) -> list[tuple[int, int]]:
    """Return where the buffers of a table or an array lie, which may be made of other arrays."""
    arrow = sys.modules["pyarrow"]
    if isinstance(value, (arrow.Table, arrow.RecordBatch)):
        return [place for column in value.columns for place in places_of(column)]
    if isinstance(value, arrow.ChunkedArray):
        return [place for chunk in value.chunks for place in places_of(chunk)]
    if isinstance(value, arrow.Buffer):
        return [(value.address, value.size)]
    buffers = value.buffers() if isinstance(value, arrow.Array) else ()
    return [(buffer.address, buffer.size) for buffer in buffers if buffer is not None]


# ------------------------------------------------------------------ hashing


def _table(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"arrow {type(value).__name__} {value.num_rows}")
    _schema(hasher, value.schema)
    for column in value.columns:
        _array(hasher, column)


def _schema(hasher: Hasher, value: Any) -> None:
    hasher.all("schema", [str(field) for field in value])
    hasher.add(value.metadata)
    hasher.all("metadata", [field.metadata for field in value])


def _chunked(hasher: Hasher, value: Any) -> None:
    hasher.tag(f"arrow chunked {value.type} {len(value)}")
    _array(hasher, value)


def _array(hasher: Hasher, value: Any) -> None:
    """Write what an array holds, in however many pieces it is kept."""
    if value.nbytes > hasher.size:
        raise UnknownValue(TOO_LARGE)
    if hasattr(value, "chunks"):
        value = value.chunk(0) if value.num_chunks == 1 else _in_one_piece(value)
    hasher.tag(f"arrow array {value.type} {len(value)}")
    if hasattr(value, "storage"):
        _array(hasher, value.storage)
    elif hasattr(value, "dictionary"):
        _array(hasher, value.indices)
        _array(hasher, value.dictionary)
    elif not _add_buffers(hasher, value):
        hasher.all("values", value.to_pylist())


def _in_one_piece(value: Any) -> Any:
    """Return a chunked array as one; of dictionaries only pieces that agree can be joined."""
    joined = value.combine_chunks()
    if hasattr(joined, "chunks"):
        raise UnknownValue("an array in pieces that cannot be joined is not compared")
    return joined


def _add_buffers(hasher: Hasher, value: Any) -> bool:
    """Write the buffers of an array of numbers, moments or texts; False for any other.

    What stands in the place of a missing value means nothing, and is left out.
    """
    numpy: Any = sys.modules.get("numpy")
    kind, count, start = value.type, len(value), value.offset
    width = 0 if str(kind) in _OFFSETS else _bits(kind)
    if numpy is None or not count or (not width and str(kind) not in _OFFSETS):
        return False
    validity, *buffers = value.buffers()
    missing = None
    if value.null_count:
        missing = _unpacked(numpy, validity, start, count) == 0
        add_content(hasher, missing)
    if width == 1:
        values = _unpacked(numpy, buffers[0], start, count)
    elif width:
        size = width // 8
        raw = numpy.frombuffer(buffers[0], numpy.uint8, count * size, start * size)
        values = raw.reshape(count, size)
    else:
        words = numpy.dtype(_OFFSETS[str(kind)])
        offsets = numpy.frombuffer(buffers[0], words, count + 1, start * words.itemsize)
        values = numpy.diff(offsets)
        if missing is not None and values[missing].any():
            return False
        if buffers[1] is not None and offsets[-1] > offsets[0]:
            length = int(offsets[-1] - offsets[0])
            add_content(hasher, numpy.frombuffer(buffers[1], numpy.uint8, length, int(offsets[0])))
    if missing is not None:
        values = values.copy()
        values[missing] = 0
    add_content(hasher, values)
    return True


def _bits(kind: Any) -> int:
    """Return the bits of each value of a type of one width, 0 for any other type."""
    if getattr(kind, "num_fields", 0) or getattr(kind, "num_buffers", 2) != 2:
        return 0
    try:
        return int(kind.bit_width)
    except ValueError:
        return 0


def _unpacked(numpy: Any, buffer: Any, start: int, count: int) -> Any:
    """Return some bits of a buffer, each as a number."""
    packed = numpy.frombuffer(buffer, numpy.uint8)
    return numpy.unpackbits(packed, bitorder="little", count=start + count)[start:]


def _named(hasher: Hasher, value: object) -> None:
    hasher.tag(f"arrow {type(value).__name__} {value}")


HASHED: dict[str, dict[str, Handler]] = {
    "pyarrow": {
        "Table": _table,
        "RecordBatch": _table,
        "ChunkedArray": _chunked,
        "Array": _array,
        "Schema": _schema,
        "DataType": _named,
    },
}
