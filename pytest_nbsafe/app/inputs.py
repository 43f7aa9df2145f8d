"""From the paths that were given to notebooks, and to the settings of each."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError


def notebooks_in(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the .ipynb files that `paths` name or contain, sorted, checkpoints left out.

    A file that is named is taken whatever its suffix.

    Raises:
        NbsafeError: a path does not exist.

    """
    notebooks: dict[Path, None] = {}
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError as error:
            raise _no_path(path, error) from None
        if stat.S_ISDIR(mode):
            notebooks.update(dict.fromkeys(sorted(_walk(path))))
        else:
            notebooks[path] = None
    return tuple(sorted(notebooks))


def _no_path(path: Path, error: OSError) -> NbsafeError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NbsafeError("no-such-path", f"there is no file or folder {path}")
    return NbsafeError("no-such-path", f"cannot look at {path}: {error.strerror}")


def _walk(folder: Path) -> list[Path]:
    files: list[Path] = []
    for root, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "node_modules"]
        files.extend(Path(root, name) for name in names if name.endswith(".ipynb"))
    return files


def reads_project(config: Config) -> bool:
    """Return whether an answer hangs on the project around a notebook, too."""
    return configs.is_asked("NBS408", config) or bool(config.contracts)


def configuration(path: Path, settings: Mapping[str, Any]) -> Config:
    """Return a notebook's settings: its nearest file's, under those given by hand.

    Raises:
        NbsafeError: a setting is not understood, names a file that cannot be read, or holds a
            contract that cannot be asked, or a table or expression that is not understood.

    """
    config = configs.of_notebook(path, settings)
    if config.libraries:
        from pytest_nbsafe.libraries import own_tables

        own_tables.read(config.libraries)
    if config.baseline:
        from pytest_nbsafe.app import baseline

        baseline.read(Path(config.baseline))
    if config.sanitizers or config.sanitize_with:
        from pytest_nbsafe.app import expected

        expected.sanitizers_of(config)
    if config.contracts:
        from pytest_nbsafe.contracts import queries

        queries.prepared(config.contracts)
    return config
