"""Which modules of the project are loaded, and which libraries a run has imported."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..content_hashes import hash_of_file
from ..installed_files import UsersFiles
from .callers import MACHINERY


class ModuleUses:
    """The modules that have been imported since the kernel was there.

    A file is hashed when its module was imported, and again when that was reloaded.
    """

    def __init__(self, users_files: UsersFiles) -> None:
        self._users_files = users_files
        self._known = set(sys.modules)
        self._libraries = {name.partition(".")[0] for name in self._known} | MACHINERY
        self._own: dict[str, tuple[Any, str, str]] = {}

    def look(self) -> tuple[dict[str, str], list[str]]:
        """Return the files of the project's modules with hashes, and the libraries that are new."""
        new = sys.modules.keys() - self._known
        self._known |= new
        libraries: set[str] = set()
        for name in new:
            module = sys.modules.get(name)
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and self._users_files.is_users_code(file):
                self._own[name] = (None, file, "")
            elif name[:1] != "_" and name.partition(".")[0] not in sys.stdlib_module_names:
                libraries.add(name.partition(".")[0])
        for name, (spec, file, _) in self._own.items():
            present = getattr(sys.modules.get(name), "__spec__", None)
            if present is not spec or spec is None:
                self._own[name] = (present, file, _hash(file))
        libraries -= self._libraries
        self._libraries |= libraries
        return {file: digest for _, file, digest in self._own.values()}, sorted(libraries)


def _hash(file: str) -> str:
    try:
        return hash_of_file(file, os.stat(file))  # noqa: PTH116  # the path is a text
    except OSError:
        return ""
