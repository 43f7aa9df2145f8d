"""Loads values from files and binds their names: all that are asked for, or none of them."""

from __future__ import annotations

import json
from typing import Any

from .. import bootstrap
from ..checkpoint_contract import Restored, RestoreItem, RestoreQuestion
from . import blobs, pickling
from .undisturbed import undisturbed


def ask(question: str) -> None:
    """Restore what the host asks for; the answer leaves with the reply to its request."""
    asked: RestoreQuestion = json.loads(question)
    tracer = bootstrap.tracers[-1]
    done = [restored(tracer, item, asked["folder"]) for item in asked["covariables"]]
    bootstrap.answer(json.dumps(done))


def restored(tracer: Any, item: RestoreItem, folder: str) -> Restored:
    """Load a co-variable, bind its names, and return what became of it."""
    about: Restored = {"names": item["names"], "fingerprints": {}, "cause": ""}
    try:
        # a library that is imported now asks whether it is in a notebook, as in a cell
        with undisturbed(), tracer.shell.builtin_trap:
            values = _values(item, folder)
    except Exception as error:
        return {**about, "cause": f"it cannot be loaded: {type(error).__name__}: {error}"}
    for name in item["names"]:
        about["fingerprints"][name] = tracer.snapshot.fingerprint(values[name])
    tracer.home.update(values)
    tracer.name_fingerprints.forget(values)
    return about


def _values(item: RestoreItem, folder: str) -> dict[str, Any]:
    stream, *buffers = (blobs.read(folder, file) for file in item["files"])
    values = pickling.load(stream, buffers)
    if not values.keys() >= {*item["names"]}:
        message = f"the files hold {', '.join(sorted(values))}"
        raise ValueError(message)
    return {name: values[name] for name in item["names"]}
