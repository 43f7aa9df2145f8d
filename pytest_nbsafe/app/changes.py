"""Which notebooks a branch touches: changed ones, and those that rest on a changed file.

Known imprecision: what a notebook reads is told by names that stand in its text, a path that is put
together while it runs is not known. A name too many only checks a notebook too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from pytest_nbsafe import files, git, project
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.notebook import load

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<base>[\w.]+)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<modules>[^\n]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.]+")
_TEXT = re.compile(r"""["']([^"'\n]{1,300})["']""")


def is_touched(path: Path, reference: str) -> bool:
    """Return whether a notebook, or a file that it rests on, differs since a commit of its branch.

    Raises:
        NbsafeError: the notebook lies in no git repository, or there is no such commit.

    """
    real = files.real(path)
    root = git.repository(real.parent)
    if root is None:
        message = f"{path} lies in no git repository"
        raise NbsafeError("no-repository", message, "--changed-since asks git what has changed")
    changed = _changed(root, reference)
    if not changed or real in changed:
        return real in changed
    try:
        cells = load.read(path).code_cells
    except load.Unreadable:  # it says so itself, once it is checked
        return False
    source = "\n".join(cell.source for cell in cells)
    return _reads(source, real.parent, changed) or _imports(source, real, changed)


@cache
def _changed(root: Path, reference: str) -> frozenset[Path]:
    return git.changed_since(reference, root)


# -- files -----------------------------------------------------------------------------------------


def _reads(source: str, folder: Path, changed: frozenset[Path]) -> bool:
    """Return whether the text names a changed file, or a folder that holds one."""
    names = {file.name for file in changed if file.name in source}
    if any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", source) for name in names):
        return True
    holding = _holding(changed) - {folder, *folder.parents}
    return any(files.real(folder / text) in holding for text in _paths(source))


@cache
def _holding(changed: frozenset[Path]) -> frozenset[Path]:
    return frozenset(parent for file in changed for parent in file.parents)


def _paths(source: str) -> Iterator[str]:
    """Yield the texts that may be paths."""
    return (text for text in dict.fromkeys(_TEXT.findall(source)) if "\0" not in text)


# -- modules ---------------------------------------------------------------------------------------


def _imports(source: str, notebook: Path, changed: frozenset[Path]) -> bool:
    """Return whether a changed module is imported, by the notebook or by what that imports."""
    if not any(file.suffix == ".py" for file in changed):
        return False
    around = project.of(notebook)
    folders = (*(at for folder in around.folders for at in (folder, folder / "src")),)
    roots = tuple(dict.fromkeys((notebook.parent, *folders, *around.paths.all)))
    waiting = [file for name in _imported(source) for file in _files_of(name, roots)]
    visited: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in changed:
            return True
        if file in visited or not files.is_file(file):
            continue
        visited.add(file)
        for name in _imported(_text(file)):
            waiting += _files_of(name, roots, file.parent)
    return False


@cache
def _text(file: Path) -> str:
    try:
        return files.read_text(file)
    except (OSError, ValueError):
        return ""


def _imported(source: str) -> Iterator[str]:
    """Yield the dotted names that may be modules; those of a relative import begin with dots."""
    for statement in _IMPORT.finditer(source):
        base = statement["base"]
        if base is None:
            parts = (part.split(" as ")[0].strip() for part in statement["modules"].split(","))
            yield from (part for part in parts if part)
            continue
        yield base
        for name in _NAME.findall(statement["names"]):
            yield f"{base}{name}" if base.endswith(".") else f"{base}.{name}"


def _files_of(name: str, roots: Iterable[Path], package: Path | None = None) -> Iterator[Path]:
    """Yield where the file of a module, and of the packages it is in, may lie."""
    dotted = name.lstrip(".")
    level = len(name) - len(dotted)
    if level:
        roots = () if package is None else (package, *package.parents)[level - 1 : level]
    parts = [part for part in dotted.split(".") if part]
    for root in roots:
        inner = root
        for part in parts:
            inner /= part
            yield inner / "__init__.py"
        if parts:
            yield inner.with_suffix(".py")
        else:
            yield inner / "__init__.py"
