"""The modules of a notebook's own repository, found by name and read as text: never imported.

A name that could lead to two files leads to none: which of them Python takes hangs on paths that
only a run knows.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.values import dataclass

_MOST_BYTES = 256 * 1024
_MOST_MODULES = 64
"""So many modules, of so many bytes together, are read for one notebook; others are unknown."""
_MOST_FOLDERS = 12
_MOST_PARTS = 8
_PLACES = ("src", "lib", "python")
"""Where in a folder of the repository its packages may lie, besides the folder itself."""
_ROOT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pytest.ini")
"""What stands at the root of a project that lies in no repository."""
_PACKAGE = "__init__.py"


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module of the repository: its dotted name, its path below the root, and its text."""

    name: str
    path: str
    text: str
    is_package: bool

    def absolute(self, module: str, level: int) -> str:
        """Return the dotted name that `from .module import` asks for here, "" for none."""
        if not level:
            return module
        parts = self.name.split(".")
        parts = parts[: len(parts) - level + self.is_package]
        return ".".join((*parts, module) if module else parts) if parts else ""


class ModuleFiles:
    """Finds the modules that one notebook imports, and remembers each question with its answer."""

    def __init__(self, notebook: Path) -> None:
        self._folders = _folders(str(files.real(notebook.parent)))
        self._found: dict[str, ModuleFile | None] = {}
        self.answers: dict[str, str] = {}

    def find(self, dotted: str) -> ModuleFile | None:
        """Return the one module of the repository with this name, None where that is not sure."""
        if dotted not in self._found:
            self._found[dotted], self.answers[dotted] = self._read(dotted)
        return self._found[dotted]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the modules that have been found so far."""
        return tuple(file.text for file in self._found.values() if file is not None)

    def is_there(self, top: str) -> bool:
        """Return whether anything in the repository may be the module or package of this name."""
        self.find(top)
        return bool(self.answers[top])

    def still(self, answers: Mapping[str, str]) -> bool:
        """Return whether the same questions have the same answers today."""
        for dotted in answers:
            self.find(dotted)
        return answers == self.answers

    def _read(self, dotted: str) -> tuple[ModuleFile | None, str]:
        top, *rest = dotted.split(".")
        if top in sys.stdlib_module_names or len(rest) >= _MOST_PARTS or not _is_name(dotted):
            return None, ""
        left = _MOST_BYTES - sum(map(len, self.texts))
        if left <= 0 or len(self.texts) >= _MOST_MODULES:
            return None, ""
        places = [place for place in self._places() if _may_hold(place, top)]
        candidates = {path for place in places for path in _at(Path(place), top, rest)}
        if len(candidates) != 1:
            return None, f"{len(candidates)} in {places}" if places else ""
        path = candidates.pop()
        root = self._folders[-1]
        try:
            content = files.read_bytes(path, left)
            text = content.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None, f"{path}: not read"
        real = files.real(path)
        if root not in real.parents:
            return None, f"{real}: outside"
        shown = path.relative_to(root).as_posix()
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        return ModuleFile(dotted, shown, text, path.name == _PACKAGE), f"{path}: {digest}"

    def _places(self) -> Iterator[str]:
        for folder in self._folders:
            yield str(folder)
            yield from (f"{folder}{os.sep}{name}" for name in _PLACES)


def _may_hold(place: str, top: str) -> bool:
    path = f"{place}{os.sep}{top}"
    return os.path.lexists(f"{path}.py") or os.path.isdir(path)  # noqa: PTH112 # many are asked for


def _is_name(dotted: str) -> bool:
    return all(part.isidentifier() for part in dotted.split("."))


def _at(place: Path, top: str, rest: list[str]) -> Iterator[Path]:
    """Yield the file of a module below a folder; of packages without a file only what is in them.

    As in Python, a package goes before a module, and what has a file before what has none.
    """
    folder = place
    for part in (top, *rest[:-1]) if rest else ():
        if files.is_file(folder / f"{part}.py") and not files.is_file(folder / part / _PACKAGE):
            return  # a module has no modules in it
        folder = folder / part
    last = rest[-1] if rest else top
    for path in (folder / last / _PACKAGE, folder / f"{last}.py"):
        if files.is_file(path):
            yield path
            return


@lru_cache(maxsize=256)
def _folders(folder: str) -> tuple[Path, ...]:
    """Return the folders from a notebook's up to the root of its repository."""
    chain = (Path(folder), *Path(folder).parents)[:_MOST_FOLDERS]
    for position, at in enumerate(chain, start=1):
        if (at / ".git").exists():
            return chain[:position]
    for position, at in enumerate(chain, start=1):
        if any(files.is_file(at / name) for name in _ROOT_FILES):
            return chain[:position]
    return chain[:1]
