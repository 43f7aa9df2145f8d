"""Hashes of files, each read once as long as nothing shows that it was written to since."""

from __future__ import annotations

import hashlib
import os

from .contract import HASH_DIGITS

_CHUNK = 1024 * 1024
_known: dict[tuple[str, int, int, int, int], str] = {}


def hash_of(data: bytes | memoryview) -> str:
    """Return the hash of some bytes, as all that is compared between kernels has it.

    Measured, processors that know SHA-256 hash twice as much in a second with it as with BLAKE2.
    """
    return hashlib.sha256(data).hexdigest()[:HASH_DIGITS]


def hash_of_text(text: str) -> str:
    """Return the hash of a text."""
    return hash_of(text.encode("utf-8", "surrogateescape"))


def hash_of_file(path: str, status: os.stat_result) -> str:
    """Return the hash of what is in a file of this status.

    Raises:
        OSError: it cannot be read.

    """
    key = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if key not in _known:
        digest = hashlib.sha256()
        with open(path, "rb") as stream:  # noqa: PTH123  # the path is a text
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        _known[key] = digest.hexdigest()[:HASH_DIGITS]
    return _known[key]
