"""The question that asks to keep values, and how this very process answers it, without a kernel."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from pytest_nbsafe.kernel.checkpoint import blobs, keeping
from pytest_nbsafe.kernel.checkpoint_contract import CoVariable, KeepQuestion
from pytest_nbsafe.kernel.hashing.function_texts import Texts


def question(folder: str, *names: str, limit_s: float = 60) -> KeepQuestion:
    """Ask for names; what it took to make them is not known, none is likelier than others."""
    return {
        "names": [*names],
        "took_s": {},
        "folder": folder,
        "limit_s": limit_s,
        "likely": [],
        "likely_s": 0.0,
        "waits": False,
    }


def kept_here(home: dict[str, Any], texts: Texts, asked: KeepQuestion) -> Iterator[CoVariable]:
    """Keep names of a module that stands for `__main__`."""
    tracer: Any = types.SimpleNamespace(
        home=home,
        shell=object(),
        texts=texts,
        own_names=lambda: [name for name in home if not name.startswith("__")],
        name_fingerprints=types.SimpleNamespace(known=dict),
    )
    write: Any = functools.partial(blobs.write, asked["folder"])
    return keeping.kept(tracer, asked, write, keeping.surface_of(tracer))
