"""keras: its models learn by an interface of their own, and say when they were saved."""

from __future__ import annotations

import zipfile
from typing import Any

from ..functions.reach import fields
from ..hashing import bulk
from ..hashing.hasher import Handler, Hasher, qualified

LEARNERS_WATCHED = False
_WHEN = "metadata.json"
_ASKED = "_called"


def _model(hasher: Hasher, value: Any) -> None:
    """Write a model, a layer or an optimizer as it would be saved, and its plain attributes."""
    hasher.tag(f"saved {qualified(type(value))}")
    file: Any = type(value).__reduce__(value)[1][0]  # type: ignore[call-arg]  # of `KerasSaveable`
    with zipfile.ZipFile(file) as saved:
        for name in sorted({*saved.namelist()} - {_WHEN}):
            hasher.all(name, [saved.read(name)])
    held = fields(value) or {}
    hasher.attributes({k: v for k, v in held.items() if type(v) in bulk.PLAIN and k != _ASKED})


HASHED: dict[str, dict[str, Handler]] = {
    "keras.src.saving.keras_saveable": {"KerasSaveable": _model},
}
