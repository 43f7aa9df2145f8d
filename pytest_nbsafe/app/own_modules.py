"""Whether a notebook imports modules of its own repository; only then is anything read of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_nbsafe import patterns
from pytest_nbsafe.libraries import datafiles, spellings
from pytest_nbsafe.module_files import ModuleFiles
from pytest_nbsafe.notebook.model import Notebook

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.modules import Modules

_IMPORT = patterns.compile(r"(?m)^[ \t]*(?:import[ \t]+(.+)|from[ \t]+(\w+)[\w.]*[ \t]+import\b)")


def of(notebook: Notebook) -> tuple[ModuleFiles | None, Modules | None]:
    """Return what was looked for beside a notebook, and the modules, None where there are none.

    What stands for a library whose functions are known is not looked for.
    """
    path = Path(notebook.path)
    known = _known(notebook.libraries)
    names = {name for cell in notebook.code_cells for name in _imported(cell.source)} - known
    if not names or notebook.python_major == 2 or not path.is_file():
        return None, None
    files = ModuleFiles(path)
    if not any(files.is_there(name) for name in sorted(names)):
        return files, None
    from pytest_nbsafe.analysis.modules import Modules

    return files, Modules(files, notebook.libraries, known)


def _imported(source: str) -> Iterator[str]:
    """Yield the top names that the import statements of a source seem to ask for."""
    if "import" not in source:
        return
    for plain, taken_from in _IMPORT.findall(source):
        if taken_from:
            yield taken_from
        for item in plain.split(","):
            yield item.split(" as ")[0].partition(".")[0].strip()


@cache
def _known(libraries: str) -> frozenset[str]:
    aliases = spellings.load(libraries).aliases.values()
    tops = {target.partition(".")[0] for target in aliases}
    return datafiles.words("library", "learns", libraries) | tops | sys.stdlib_module_names
