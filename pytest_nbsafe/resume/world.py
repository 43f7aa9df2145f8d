"""What a run used beyond names, compared with how it is now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

from pytest_nbsafe.kernel.contract import ALL_VARIABLES
from pytest_nbsafe.kernel.hashes_contract import (
    hash_at,
    hash_of_modules_in,
    hash_of_names_in,
    hash_of_text,
    hash_of_variables,
)

if TYPE_CHECKING:
    from pytest_nbsafe.kernel.contract import CellRun, FileRead, Inputs, SurroundingsQuestion


class Uses(TypedDict):
    """What can change between two runs, of what one used beyond names: as in `Inputs`."""

    files: list[FileRead]
    modules: dict[str, str]
    places: dict[str, tuple[list[str], str]]
    folders: dict[str, str]
    variables: dict[str, str]


def of_runs(events: Iterable[CellRun | None]) -> list[Uses]:
    """Return what runs used, as far as they have told."""
    return [
        {
            "files": inputs["files"],
            "modules": inputs["modules"],
            "places": inputs["places"],
            "folders": inputs["folders"],
            "variables": inputs["variables"],
        }
        for event in events
        if event is not None and (inputs := event["inputs"]) is not None
    ]


def of_surroundings(asked: SurroundingsQuestion) -> list[Uses]:
    """Return what the answer to a question hangs on: the files that it names, as they are now."""
    paths = [f"{asked['home']}/{path}" for path in asked["files"]]
    states = {path: hash_at(path) for path in paths}
    return [{"files": [], "modules": states, "places": {}, "folders": {}, "variables": {}}]


def changed(inputs: Inputs | Uses, environ: Mapping[str, str]) -> str:
    """Return what is no longer as a run found it, as the beginning of a sentence; "" if all is.

    `environ` is the environment that a kernel would have now.
    """
    for read in inputs["files"]:
        is_same = os.path.realpath(read["path"]) == read["real"]
        if not is_same or hash_at(read["path"]) != read["hash"]:
            return f"{_name(read['path'])} {_what(read['hash'], read['path'])}"
    for path, digest in inputs["modules"].items():
        if hash_at(path) != digest:
            return f"{_name(path)} {_what(digest, path)}"
    for folder, (names, digest) in inputs["places"].items():
        if hash_of_modules_in(folder, names) != digest:
            return f"what lies in {_name(folder)} under the name of a module changed"
    for folder, digest in inputs["folders"].items():
        if hash_of_names_in(folder) != digest:
            return f"what lies in {_name(folder)} changed"
    for name, digest in inputs["variables"].items():
        if name == ALL_VARIABLES:
            if not digest:  # what it found is of one kernel alone
                return "it asks for all variables of the environment"
            if digest != hash_of_variables(environ):
                return "the environment changed"
        elif variable_hash(name, environ) != digest:
            return f"the variable {name} changed"
    return ""


def variable_hash(name: str, environ: Mapping[str, str]) -> str:
    """Return the hash of a variable, as a kernel tells it; empty where it is not set."""
    return hash_of_text(environ[name]) if name in environ else ""


def _what(was: str, path: str) -> str:
    if not was:
        return "is there now"
    return "changed" if os.path.exists(path) else "is gone"  # noqa: PTH110  # the path is a text


def _name(path: str) -> str:
    return os.path.basename(path) or path  # noqa: PTH119  # the path is a text
