"""The store of what runs gave, and what a run hangs on before it begins; light to import."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pytest_nbsafe.resume import environment_key
from pytest_nbsafe.runner.installed_kernels import NoSuchKernel, described
from pytest_nbsafe.runner.jupyter_folders import of_ipython
from pytest_nbsafe.store import database, place, signing
from pytest_nbsafe.store.database import Store, StoreRefused

FOLDER = "runs"
"""The store's folder in the user's own."""
_ENVIRONMENT = re.compile(
    r"PYTHON\w*|LANG|LC_\w+|TZ|MPLBACKEND|\w+_NUM_THREADS|CUDA_VISIBLE_DEVICES|TF_\w+|HOME|PATH"
)
"""Variables that kernels and libraries heed, whether or not a cell asks for them."""


def of_notebook(path: Path) -> Store:
    """Return the store that the runs of a notebook are kept in.

    Raises:
        StoreRefused: there is none that only the user, or the pipeline, writes to.

    """
    return _opened(os.getpid(), _home(path))


def forget() -> None:
    """Open the store again when it is asked for again."""
    _opened.cache_clear()


@lru_cache(maxsize=4)
def _opened(process: int, folder: Path) -> Store:  # noqa: ARG001  # a fork has its own connection
    return database.opened(folder)


def _home(notebook: Path) -> Path:
    from pytest_nbsafe import project

    folder = place.folder()
    if folder is None:
        raise StoreRefused(f"the folder for it cannot be used (see {place.VARIABLE})")
    root = project.of(notebook).folders[-1]
    if folder.resolve().is_relative_to(root.resolve()) and not signing.given():
        raise StoreRefused(
            f"{folder} lies in the repository, where a commit could bring a store along; "
            f"set {signing.VARIABLE} to a secret of the pipeline, or {place.VARIABLE} to a folder "
            "outside"
        )
    return folder / FOLDER


def heeded() -> dict[str, str]:
    """Return the variables of the environment that count though no cell asks for them."""
    return {name: text for name, text in os.environ.items() if _ENVIRONMENT.fullmatch(name)}


def environment(kernel: str, given: Mapping[str, str]) -> str | None:
    """Return what stands for what a kernel runs in, and how it starts; None where unknown.

    It is `given` variables that lie over those of this process.
    """
    try:
        program, command = described(kernel)
    except NoSuchKernel:
        return None
    key = environment_key.key(program) if program else None
    if key is None:
        return None
    ipython = of_ipython({**os.environ, **given})
    return f"{key} {command} {environment_key.shell_key(program, ipython)}"
