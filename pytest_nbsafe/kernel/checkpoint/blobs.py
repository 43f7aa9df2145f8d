"""Files named by the hash of what they hold, written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import Any

from ..checkpoint_contract import KeptFile

PART = ".part"


def write(folder: str, data: Any) -> KeptFile:
    """Write bytes to a file of the folder, unless it is there.

    Raises:
        OSError: it cannot be written; nothing is left of it.

    """
    view = memoryview(data).cast("B")
    name = hashlib.blake2b(view, digest_size=16).hexdigest()
    path = os.path.join(folder, name)  # noqa: PTH118  # the kernel's `pathlib` may be patched
    if _size(path) != view.nbytes:
        _write_new(path, view)
    return {"name": name, "size": view.nbytes}


def read(folder: str, file: KeptFile) -> bytearray:
    """Return what a file of the folder holds.

    Raises:
        OSError: it cannot be read.
        ValueError: it has another size.

    """
    path = os.path.join(folder, file["name"])  # noqa: PTH118  # as above
    data = bytearray(file["size"])
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    with open(fd, "rb", buffering=0) as stream:  # noqa: PTH123  # as above
        at = 0
        with memoryview(data) as view:
            while at < file["size"] and (count := stream.readinto(view[at:])):
                at += count
        if at != file["size"] or stream.read(1):
            message = f"the file {file['name']} has another size than it was written with"
            raise ValueError(message)
    return data


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
