"""A session in IPython's `history.sqlite`, its cells told apart by how alike their texts are."""

from __future__ import annotations

from pathlib import Path

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook.recorded import Recorded


def read(path: Path, session: int | None) -> Recorded:
    """Return a session of a history file."""
    raise NbsafeError("todo", f"{path} {session}")
