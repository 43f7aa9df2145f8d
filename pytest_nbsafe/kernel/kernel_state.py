"""What the kernel holds between two runs: every name of the notebook, and what no name shows."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import bootstrap
from .adapters import answers
from .contract import Sweep
from .hashes_contract import hash_of, hash_of_file
from .hashing.hasher import BYTE_LIMIT, LARGE_BYTE_LIMIT, LARGE_NODE_LIMIT, NODE_LIMIT
from .python_state import PLACES
from .tracing.names import without_pythons

_FILES = 2_000
_LARGE_WORK = 1_250_000_000
"""How much work large values may be, looked at more closely than after each run (some 5 s)."""
_LIMITS = (NODE_LIMIT, BYTE_LIMIT)
_SHORTEST = 4  # `/` and `/tmp` are everywhere
_FILE_BYTES = 4 * 1024 * 1024


def ask(names: bool) -> None:  # noqa: FBT001  # called by the host, in an expression
    """Tell what the kernel holds; the answer leaves with the reply to the request."""
    bootstrap.answer(json.dumps(sweep(bootstrap.tracers[-1], names=names)))


def sweep(tracer: Any, *, names: bool = True) -> Sweep:
    """Return the fingerprints of all names of the notebook, and of the state beside them."""
    known = without_pythons(tracer.own_names()) if names else []
    look = tracer.snapshot
    usual, places, left = look.places, _places(tracer.shell), _LARGE_WORK
    fingerprints, shared = {}, {}
    look.judging = True
    try:
        for name in known:
            look.limits = (LARGE_NODE_LIMIT, LARGE_BYTE_LIMIT) if left > 0 else _LIMITS
            look.places, look.placed = places, False
            fingerprints[name] = look.fingerprint(tracer.home[name])
            left -= look.work
            if look.placed:
                shared[name] = fingerprints[name]["hash"]
                look.places = usual
                fingerprints[name] = look.fingerprint(tracer.home[name])
                left -= look.work
    finally:
        look.judging, look.places, look.limits = False, usual, _LIMITS
    return {"names": fingerprints, "shared": shared, "beside": _beside()}


def _places(shell: Any) -> tuple[tuple[str, str], ...]:
    """Return the folders that this kernel alone has, each with a word that all kernels share.

    The longest come first: one may lie in another.
    """
    temporary = os.environ.get("TMPDIR", "")
    cells = f"{tempfile.tempdir or temporary}{os.sep}ipykernel_{os.getpid()}"
    folders = ((cells, "cells:"), (temporary, "temporary:"), (str(shell.starting_dir), "here:"))
    usable = (pair for pair in folders if len(pair[0]) > _SHORTEST)
    return tuple(sorted(usable, key=lambda pair: -len(pair[0])))


def _beside() -> dict[str, str]:
    """Return digests of state that no name holds: random numbers, settings, files."""
    digests: dict[str, str] = {}
    for place, look in PLACES.items():
        module = sys.modules.get(place)
        if module is not None:
            try:
                digests[place] = _digest(look(module))
            except Exception:  # noqa: S112  # what cannot be looked at is not told
                continue
    for states in answers("state_beside"):
        digests.update((place, _digest(state)) for place, state in states.items())
    digests.update(_files())
    return digests


def _files() -> dict[str, str]:
    """Return digests of the files in the working folder, hidden ones and large ones left out."""
    digests: dict[str, str] = {}
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "__pycache__")))
        for name in sorted(names):
            if len(digests) >= _FILES:
                return digests
            if not name.startswith("."):
                path = Path(folder, name)
                digests[f"file:{path}"] = _file(path)
    return digests


def _file(path: Path) -> str:
    """Return a file's digest; of a large one how large it is."""
    try:
        about = path.stat()
        if about.st_size > _FILE_BYTES or not path.is_file():
            return f"{about.st_size} bytes"
        return hash_of_file(str(path), about)
    except OSError:
        return ""


def _digest(state: object) -> str:
    return hash_of(repr(state).encode())
