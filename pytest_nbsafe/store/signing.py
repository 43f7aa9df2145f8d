"""Signatures of what is kept: a secret beside it, or one that the pipeline gives."""

from __future__ import annotations

import hashlib
import hmac
import os
from contextlib import suppress
from pathlib import Path

from pytest_nbsafe.store.list_hash import framed

VARIABLE = "NBSAFE_STORE_SECRET"
"""The variable of the environment that holds a secret, instead of the file beside the store."""
_FILE = "secret"
_BYTES = 32


class Unsigned(Exception):  # noqa: N818  # it completes "raise Unsigned"
    """There is no secret to sign with; the message says why."""


def given() -> bool:
    """Return whether the environment holds the secret."""
    return bool(os.environ.get(VARIABLE))


def secret(folder: Path) -> bytes:
    """Return the secret of a store in a folder, made when there is none yet.

    Raises:
        Unsigned: the file that holds it can be read by others, or cannot be read or written.

    """
    named = os.environ.get(VARIABLE, "")
    if named:
        return named.encode("utf-8", "surrogateescape")
    file = folder / _FILE
    try:
        if not file.exists():
            _write_new(file)
        state = file.lstat()
        if os.name == "posix" and state.st_mode & 0o077:
            raise Unsigned(f"others may read its secret ({file}): remove it, or `chmod 600` it")
        held = file.read_bytes()
    except OSError as error:
        raise Unsigned(f"its secret cannot be kept: {error.strerror or error}") from None
    if len(held) != _BYTES:
        raise Unsigned(f"its secret ({file}) is not as it was written: remove it")
    return held


def _write_new(file: Path) -> None:
    """Write a secret, unless another process is quicker: then that one's stands."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
    part = file.with_name(f"{_FILE}.{os.getpid()}.{os.urandom(4).hex()}.part")
    with os.fdopen(os.open(part, flags, 0o600), "wb") as stream:
        stream.write(os.urandom(_BYTES))
    try:
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink()


def sign(key: bytes, *parts: bytes) -> bytes:
    """Return the signature of parts in their order: no two lists of parts have the same."""
    content = b"".join(map(framed, parts))
    return hmac.new(key, content, digestmod=hashlib.blake2b).digest()[:_BYTES]


def is_signed(key: bytes, signature: bytes, *parts: bytes) -> bool:
    """Return whether a signature is that of the parts."""
    return hmac.compare_digest(signature, sign(key, *parts))
