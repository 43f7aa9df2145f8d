"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.errors import NbsafeError


def put(path: Path, content: bytes) -> None:
    """Put new content in the place of a file, with the rights that it has.

    Raises:
        NbsafeError: it cannot be written.

    """
    place = files.real(path)
    new = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        new.write_bytes(content)
        new.chmod(place.stat().st_mode)
        new.replace(place)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        message = f"{path} cannot be written: {error.strerror}"
        raise NbsafeError("cannot-write", message, "make it writable") from error
