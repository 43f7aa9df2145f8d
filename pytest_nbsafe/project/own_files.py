"""Where a file, or a module, lies in a project: for what was looked for and is not where it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.project import Project

_MOST_FOLDERS = 2_000


def module(project: Project, dotted: str) -> tuple[Path, Path] | None:
    """Return the file (or package) of a module, and the folder that it is imported from.

    Where only the package of a submodule is there, it is the package. None without one.
    """
    top, *rest = dotted.split(".")
    if not all(part.isidentifier() for part in (top, *rest)):
        return None
    for folder, folders, names in _walk(project):
        package = folder / top
        if top in folders and _holds_python(package):
            inside = package.joinpath(*rest)
            candidates = (inside.with_suffix(".py"), inside) if rest else ()
            return next((path for path in candidates if path.exists()), package), folder
        if f"{top}.py" in names:
            return folder / f"{top}.py", folder
    return None


def file(project: Project, path: str) -> Path | None:
    """Return the file of the project that ends in this path, or else is called so."""
    parts = [part for part in Path(path).parts if part not in {"..", os.sep}]
    if not parts or "\0" in path:
        return None
    called: Path | None = None
    for folder, _, names in _walk(project):
        if parts[-1] in names:
            whole = folder / parts[-1]
            if whole.parts[-len(parts) :] == tuple(parts):
                return whole
            called = called or whole
    return called


def _walk(project: Project) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield the folders of a project, each with those in it and its files, the nearest first.

    They come level by level, first those below the notebook's own folder.
    """
    visited: set[Path] = set()
    for start in project.folders:
        level = [start]
        while level:
            below: list[Path] = []
            for folder in level:
                if folder in visited:
                    continue
                visited.add(folder)
                if len(visited) > _MOST_FOLDERS:
                    return
                folders, names = _entries(folder)
                yield folder, folders, names
                below += [folder / name for name in folders if not files.is_of_tools(folder / name)]
            level = below


def _entries(folder: Path) -> tuple[list[str], list[str]]:
    folders: list[str] = []
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else names).append(entry.name)
    except OSError:
        return [], []
    return sorted(folders), sorted(names)


def _holds_python(folder: Path) -> bool:
    return any(name.endswith(".py") for name in _entries(folder)[1])
