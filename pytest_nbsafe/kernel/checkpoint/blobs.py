"""Files named by the hash of what they hold, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from ..checkpoint_contract import KeptFile
from ..hashes_contract import hash_of
from . import zstd

PART = ".part"


def write(folder: str, data: Any, *, pack_s: float = 0.0) -> KeptFile:
    """Write bytes to a file of the folder, unless it is there.

    They are compressed if that pays, and takes about `pack_s` seconds.

    Raises:
        OSError: it cannot be written; nothing is left of it.

    """
    whole = memoryview(data).cast("B")
    view = memoryview(zstd.packed(whole, pack_s)) if pack_s > 0 else whole
    name = hash_of(view)
    path = os.path.join(folder, name)  # noqa: PTH118  # the kernel's `pathlib` may be patched
    if _size(path) != view.nbytes:
        _write_new(path, view)
    return {"name": name, "size": view.nbytes, "whole": whole.nbytes}


def read(folder: str, file: KeptFile) -> bytearray:
    """Return what a file of the folder holds.

    Raises:
        OSError: it cannot be read.
        ValueError: it has another size.
        Exception: what is compressed is damaged, or nothing is there that reads it.

    """
    path = os.path.join(folder, file["name"])  # noqa: PTH118  # as above
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    with open(fd, "rb", buffering=0) as stream:  # noqa: PTH123  # as above
        size, whole = file["size"], file["whole"]
        source = stream if size == whole else zstd.opened(stream, size, whole)
        data = bytearray(whole)
        if os.fstat(fd).st_size != size or not _gives_all(source, data):
            message = f"the file {file['name']} has another size than it was written with"
            raise ValueError(message)
    return data


def _gives_all(source: Any, data: bytearray) -> bool:
    """Fill bytes with what a source gives; return whether that is as much."""
    at = 0
    with memoryview(data) as view:
        while at < len(data) and (count := source.readinto(view[at:])):
            at += count
    return at == len(data) and not source.read(1)


def _write_new(path: str, view: memoryview) -> None:
    part = f"{path}.{os.getpid()}{PART}"
    try:
        with open(part, "wb", buffering=0) as stream:  # noqa: PTH123  # as above
            left = view
            while left:
                left = left[stream.write(left) :]
        os.replace(part, path)  # noqa: PTH105  # as above
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)  # noqa: PTH108  # as above
        raise


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116  # as above
    except OSError:
        return -1
