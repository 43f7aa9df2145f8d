"""Which modules of the project are loaded, and which libraries a run has imported."""

from __future__ import annotations

import os
import sys
from types import CodeType, ModuleType
from typing import Any

from ..hashes_contract import hash_of_file
from ..installed_files import UsersFiles
from .callers import MACHINERY
from .project_reach import ProjectModule


class ModuleUses:
    """The modules that have been imported since the kernel was there.

    `are_new` tells that some were imported in the last run, `new` which of the project,
    `new_submodules` which within packages, where each part of their name is for all to use. A file
    is hashed when its module was imported, and again when that was reloaded. `codes` is the code
    that was executed of each file of the project.
    """

    def __init__(self, users_files: UsersFiles) -> None:
        self._users_files = users_files
        self._known = set(sys.modules)
        self._libraries = {name.partition(".")[0] for name in self._known} | MACHINERY
        self.are_new = False
        self.new: list[ProjectModule] = []
        self.new_submodules: list[str] = []
        self._specs: dict[str, Any] = {}
        self.own: dict[str, ProjectModule] = {}
        self.codes: dict[str, CodeType] = {}

    def look(self) -> list[str]:
        """Return the libraries that have been imported since the last time; know `own` modules."""
        new = sys.modules.keys() - self._known
        self._known |= new
        self.are_new, self.new = bool(new), []
        self.new_submodules = sorted(filter(_is_within_a_package, new))
        libraries: set[str] = set()
        for name in new:
            file = _file_of(name)
            if file and self._users_files.is_users_code(file):
                self._specs[name] = None
            elif name[:1] != "_" and name.partition(".")[0] not in sys.stdlib_module_names:
                libraries.add(name.partition(".")[0])
        for name, spec in self._specs.items():
            present = getattr(sys.modules.get(name), "__spec__", None)
            if name not in self.own or present is not spec:
                self._specs[name], file = present, _file_of(name) or self.own[name].file
                self.own[name] = ProjectModule(name, file, _hash(file), self.codes.get(file))
                self.new.append(self.own[name])
        libraries -= self._libraries
        self._libraries |= libraries
        return sorted(libraries)

    def home_of(self, file: str) -> dict[str, Any] | None:
        """Return the names of the module of the project that stands in a file, None for none."""
        names = (name for name, module in self.own.items() if module.file == file)
        modules = (sys.modules.get(name) for name in names)
        return next((vars(module) for module in modules if module is not None), None)


def _is_within_a_package(name: str) -> bool:
    """Return whether a module is an attribute of its package for all, and only since it came.

    A package that imports its modules when they are asked for has them in any case.
    """
    package, _, own = name.rpartition(".")
    if not package or any(part[:1] == "_" or part == "tests" for part in name.split(".")):
        return False
    holder = sys.modules.get(package)
    is_plain = type(holder) is ModuleType and not {"__getattr__", "__dir__"} <= vars(holder).keys()
    try:
        return is_plain or own not in dir(holder)
    except Exception:  # what a library defines may do anything
        return True


def _file_of(name: str) -> str:
    file = getattr(sys.modules.get(name), "__file__", None)
    return file if isinstance(file, str) else ""


def _hash(file: str) -> str:
    try:
        return hash_of_file(file, os.stat(file))  # noqa: PTH116  # the path is a text
    except OSError:
        return ""
