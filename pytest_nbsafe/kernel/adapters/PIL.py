"""PIL: pictures, of which those from a file are read when their pixels are first asked for."""  # noqa: N999  # named like its library

from __future__ import annotations

import io
from typing import Any

from ..functions.reach import fields, is_own
from ..hashing import bulk
from ..hashing.hasher import TOO_LARGE, Handler, Hasher, UnknownValue, qualified
from ..hashing.instances import add_instance


class _FromFiles:
    """The names of classes of pictures from files: each format has one."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.endswith("ImageFile")


NOT_KEPT = _FromFiles()
"""Pickle leaves out their texts, their frames, and all that only their formats have."""
_READ_BY_SEEKING = (io.BufferedReader, io.BytesIO)
_OF_READING = frozenset({"readonly"})


def _picture(hasher: Hasher, value: Any) -> None:
    """Write a picture: its pixels, and what is said of it, but not what its Exif was changed to.

    One that is not read yet stays so: it can still be told how it is to be read.
    """
    if is_own(type(value)):
        add_instance(hasher, value)
        return
    if value.size[0] * value.size[1] * len(value.getbands()) > hasher.size:
        raise UnknownValue(TOO_LARGE)
    held = fields(value) or {}
    is_read = not held.get("tile") and held.get("_im", held.get("im")) is not None
    read = value if is_read else _read_apart(hasher, value)
    hasher.tag(f"picture {qualified(type(value))}")
    hasher.all("about", [value.mode, value.size, value.tell(), read.getpalette()])
    hasher.attributes({**read.info, **value.info})
    hasher.attributes(
        {
            name: part
            for name, part in {**vars(read), **held}.items()
            if name[:1] != "_" and name not in _OF_READING
            if part is not None and type(part) in bulk.PLAIN
        }
    )
    hasher.raw(read.tobytes())


def _read_apart(hasher: Hasher, value: Any) -> Any:
    """Return the same picture, read from a copy of its file."""
    file = value.fp
    if type(file) not in _READ_BY_SEEKING or file.closed:
        raise UnknownValue("a picture that is not read yet is not compared")
    place = file.tell()
    try:
        if file.seek(0, io.SEEK_END) > hasher.size:
            raise UnknownValue(TOO_LARGE)
        file.seek(0)
        content = file.read()
    finally:
        file.seek(place)
    copy = type(value)(io.BytesIO(content), value.filename)
    copy.seek(value.tell())
    if (copy.tile, copy.mode, copy.size) != (value.tile, value.mode, value.size):
        raise UnknownValue("a picture that is to be read in another way is not compared")
    copy.load()
    return copy


HASHED: dict[str, dict[str, Handler]] = {"PIL.Image": {"Image": _picture}}
