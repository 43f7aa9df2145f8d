"""Which notebooks are looked at: the same for the command line and for pytest."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe import files, suffixes
from pytest_nbsafe.config import Config
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.values import dataclass


@dataclass(frozen=True, slots=True)
class Which:
    """Which of the notebooks are meant.

    With `force_exclude` a file that is named is left out like any other, with `changed_since` all
    that do not rest on what has changed since that commit.
    """

    force_exclude: bool = False
    changed_since: str = ""


def notebooks_in(
    paths: Sequence[Path], settings: Mapping[str, Any], which: Which | None = None
) -> tuple[Path, ...]:
    """Return the notebooks that `paths` name or contain, sorted.

    A file that is named is taken, whatever its suffix, unless `which` says otherwise.

    Raises:
        NbsafeError: a path does not exist, a setting is not understood, or git cannot say what has
            changed.

    """
    notebooks: dict[Path, None] = {}
    for path in paths:
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            raise _no_path(path, error) from None
        if stat.S_ISDIR(mode):
            notebooks.update(dict.fromkeys(below(path, settings)))
        elif not (which and which.force_exclude and is_excluded(path, settings)):
            notebooks[path] = None
    if which and which.changed_since:
        from pytest_nbsafe.app import changes

        touched = (path for path in notebooks if changes.is_touched(path, which.changed_since))
        return tuple(sorted(touched))
    return tuple(sorted(notebooks))


def is_excluded(path: Path, settings: Mapping[str, Any]) -> bool:
    """Return whether a file is left out, by itself or with a folder that it lies in.

    Raises:
        NbsafeError: a setting is not understood.

    """
    config = _chosen(path, settings)
    real, top = files.real(path), files.real(Path(config.folder))
    folders = [folder for folder in real.parents if top in folder.parents]
    return any(map(files.is_of_tools, folders)) or _is_left_out(real, folders, config)


def below(folder: Path, settings: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the notebooks below a folder that was named, which is taken itself in any case.

    Left out are hidden folders, environments and what is built, what `exclude` names, what
    `include` does not name, and what git ignores.

    Raises:
        NbsafeError: a setting is not understood.

    """
    notebooks: list[Path] = []
    asked_of_git: list[Path] = []
    for inner, names in _walk(folder, _chosen(folder, settings)):
        chosen, folders = _chosen(inner, settings), _between(inner, folder)
        paths = (inner / name for name in names)
        taken = [path for path in paths if not _is_left_out(path, folders, chosen)]
        notebooks += taken
        asked_of_git += taken if chosen.respect_gitignore else []
    ignored = _ignored(folder, asked_of_git)
    return tuple(path for path in notebooks if path not in ignored)


def _walk(folder: Path, own: Config) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folders that hold notebooks, with their names."""
    for root, folders, names in os.walk(folder):
        inner = Path(root)
        folders[:] = [name for name in sorted(folders) if _is_entered(inner / name, own)]
        notebooks = sorted(name for name in names if suffixes.is_notebook(name))
        if notebooks:
            yield inner, notebooks


def _is_entered(folder: Path, own: Config) -> bool:
    return not files.is_of_tools(folder) and not any(
        configs.fits(folder, glob, base) for base, glob in own.exclude
    )


def _between(inner: Path, folder: Path) -> tuple[Path, ...]:
    """Return the folders from one upward that lie below another."""
    upward = (inner, *inner.parents)
    return upward[: upward.index(folder)]


def _is_left_out(path: Path, folders: Sequence[Path], config: Config) -> bool:
    """Return whether `exclude` means a file, or a folder that it lies in, or `include` does not."""
    if any(
        configs.fits(at, glob, base) for base, glob in config.exclude for at in (path, *folders)
    ):
        return True
    globs = config.include
    if suffixes.is_text(path.name):  # READMEs and modules are text, too: a glob must mean its kind
        globs = tuple((base, glob) for base, glob in globs if glob.endswith(path.suffix))
        return not any(configs.fits(path, glob, base) for base, glob in globs)
    return bool(globs) and not any(configs.fits(path, glob, base) for base, glob in globs)


def _chosen(path: Path, settings: Mapping[str, Any]) -> Config:
    return configs.merge(configs.for_path(path), settings, "options")


def _ignored(folder: Path, notebooks: Sequence[Path]) -> frozenset[Path]:
    """Return what git ignores; nothing, where the folder that was named is ignored itself."""
    if not notebooks:
        return frozenset()
    from pytest_nbsafe import git

    real = files.real(folder)
    if git.repository(real) != real and git.ignored((real,)):
        return frozenset()
    paths = {real / path.relative_to(folder): path for path in notebooks}
    return frozenset(paths[path] for path in git.ignored(paths))


def _no_path(path: Path, error: OSError | ValueError) -> NbsafeError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NbsafeError("no-such-path", f"there is no file or folder {path}")
    reason = error.strerror if isinstance(error, OSError) else error
    return NbsafeError("no-such-path", f"cannot look at {path}: {reason}")
