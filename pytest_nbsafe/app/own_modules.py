"""What a notebook does through modules of its own repository: these are read, never imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pytest_nbsafe import patterns
from pytest_nbsafe.analysis.build import build
from pytest_nbsafe.analysis.model import Graph
from pytest_nbsafe.libraries import datafiles, spellings
from pytest_nbsafe.module_files import ModuleFile, ModuleFiles
from pytest_nbsafe.notebook.model import Notebook
from pytest_nbsafe.values import replace

_IMPORT = patterns.compile(r"(?m)^[ \t]*(?:import[ \t]+(.+)|from[ \t]+([\w.]+)[ \t]+import\b)")


def linked_graph(notebook: Notebook) -> tuple[Graph, ModuleFiles | None]:
    """Return the graph of a notebook with what is known of the modules that it imports.

    With it comes what was looked for beside the notebook, None where nothing was. What stands for a
    library whose functions are known is not looked for.
    """
    path = Path(notebook.path)
    known = _known(notebook.libraries)
    names = {name for cell in notebook.code_cells for name in _imported(cell.source)} - known
    if not names or notebook.python_major == 2 or not path.is_file():
        return build(notebook), None
    files = ModuleFiles(path)
    if not any(files.is_there(name) for name in sorted(names)):
        return build(notebook), files
    return _linked(notebook, files, known), files


def _linked(notebook: Notebook, files: ModuleFiles, known: frozenset[str]) -> Graph:
    from pytest_nbsafe.analysis.modules import linking, star_imports

    def find(name: str) -> ModuleFile | None:
        return None if name.partition(".")[0] in known else files.find(name)

    spelled = star_imports.spelled_out(notebook, find)
    graph = build(spelled)
    if spelled is not notebook:  # what runs, and what is shown, is the text as it stands
        graph = replace(graph, notebook=notebook, kept={})
    linked = linking.link(graph, find)
    return graph if linked is None else linking.with_modules(graph, linked)


def _imported(source: str) -> Iterator[str]:
    """Yield the top names that the import statements of a source seem to ask for."""
    if "import" not in source:
        return
    for plain, taken_from in _IMPORT.findall(source):
        if taken_from:
            yield taken_from.partition(".")[0]
        for item in plain.split(","):
            yield item.split(" as ")[0].partition(".")[0].strip()


@cache
def _known(libraries: str) -> frozenset[str]:
    aliases = spellings.load(libraries).aliases.values()
    tops = {target.partition(".")[0] for target in aliases}
    return datafiles.words("library", "learns", libraries) | tops | sys.stdlib_module_names
