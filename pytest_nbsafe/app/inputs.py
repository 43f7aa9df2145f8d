"""The settings of each notebook, and what they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.values import replace


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


def standing_for(path: Path, config: Config) -> Iterator[str]:
    """Yield what an answer hangs on beside the page: settings, the baseline's entries, the project.

    Raises:
        NbsafeError: the baseline cannot be read.

    """
    which = replace(config, folder="", per_file_ignores=(), exclude=(), include=())
    yield repr(replace(which, respect_gitignore=True, cache=True, jobs=1, baseline=None))
    if config.baseline:
        from pytest_nbsafe.app import baseline

        known = baseline.of_notebook(baseline.read(Path(config.baseline)), path)
        yield repr(known)
    if reads_project(config):
        from pytest_nbsafe import project

        yield project.of(path).key


def working_folder(path: Path, config: Config) -> Path:
    """Return where the kernels of a notebook run.

    Raises:
        NbsafeError: the configuration names what is no folder.

    """
    if config.cwd is None:
        return path.resolve().parent
    folder = Path(config.cwd)
    if not folder.is_dir():
        message = f"{path}: there is no folder {folder} to run it in"
        raise NbsafeError("no-folder", message, "cwd is relative to the file of the settings")
    return folder.resolve()
