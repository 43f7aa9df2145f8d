"""Where a run has looked for modules, and what was there: another file may come to stand before."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib.machinery import FileFinder
from typing import Any

from .. import audit
from ..hashes_contract import hash_of_modules_in
from ..installed_files import UsersFiles


class ModulePlaces:
    """The names under which modules were looked for in the current run, whether found or not."""

    def __init__(self, users_files: UsersFiles) -> None:
        self._users_files = users_files
        self._sought: set[str] = set()

    def install(self) -> None:
        """Listen from now on."""
        audit.listen(self._imported, ["import"])

    def start(self) -> None:
        """Forget the last run."""
        self._sought = set()

    def _imported(self, _: str, args: tuple[Any, ...]) -> None:
        self._sought.add(args[0])

    def told(self, used: Iterable[str]) -> dict[str, tuple[list[str], str]]:
        """Return the folders of the user in which modules were looked for, or may be.

        Each comes with the last part of their names, sorted, and a hash of what is called so there.
        `used` are further modules, whose own names count; those of packages are looked for in
        these alone.
        """
        by_folder: dict[str, set[str]] = {}
        used = [*used]
        for name in self._sought.union(used, (name.partition(".")[0] for name in used)):
            package, _, last = name.rpartition(".")
            for folder in _searched(package):
                if not self._users_files.is_installed(f"{folder}{os.sep}"):
                    by_folder.setdefault(folder, set()).add(last)
        return {
            folder: (sorted(names), hash_of_modules_in(folder, names))
            for folder, names in sorted(by_folder.items())
        }


def _searched(package: str) -> list[str]:
    """Return the folders in which the modules of a package are looked for, "" for all others.

    What has a finder of its own (an archive, what stands for an editable installation) is none.
    """
    where = getattr(sys.modules.get(package), "__path__", ()) if package else sys.path
    finders = sys.path_importer_cache
    folders = (
        folder
        for folder in where
        if type(folder) is str and type(finders.get(folder)) in {FileFinder, type(None)}
    )
    return [os.path.abspath(folder) for folder in folders]  # noqa: PTH100  # texts throughout
