"""What to do about a cell that raised, where its exception says what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

from pytest_nbsafe.analysis import files, syntax
from pytest_nbsafe.notebook.model import is_skipped
from pytest_nbsafe.rules.base import Facts
from pytest_nbsafe.trace.results import CellResult, Failure, undefined_name

if TYPE_CHECKING:
    from pytest_nbsafe.project import Project

MAGIC = "load the extension that the magic comes with, or drop it"
DEBUGGER = "remove it: nobody answers a debugger in a test run"
_DEBUGGER = re.compile(r"\bbreakpoint\(|\bset_trace\(|%debug\b")
_MISSING = re.compile(r"No module named '([^']{1,200})'(; '[^']{1,200}' is not a package)?")
_OPTIONAL = re.compile(r"(?:Missing optional dependency|[Pp]lease install) [`']?([\w.-]{1,100})")
_NOT_IN = re.compile(r"cannot import name '([^']{1,200})' from '([^']{1,200})'")
_PATH = re.compile(r"\[Errno 2\] No such file or directory: '([^']{1,1000})'")


def remedy(facts: Facts, result: CellResult) -> str:
    """Return what to do about a cell that raised, "" where its exception alone does not tell."""
    failure = result.failure
    kind = _KINDS.get(failure.ename) if failure is not None else None
    return kind(facts, result, failure) if kind and failure else ""


# -- modules ---------------------------------------------------------------------------------------


def _import(facts: Facts, result: CellResult, failure: Failure) -> str:
    """Return how to get what is imported: from this repository, or the distribution it is in."""
    absent, lacking = _MISSING.search(failure.evalue), _NOT_IN.search(failure.evalue)
    if absent:
        return _absent(facts, result, failure, absent[1])
    if lacking:
        return _lacking(facts, f"`{lacking[1]}`", lacking[2])
    if optional := _OPTIONAL.search(failure.evalue):
        return _install(optional[1])
    return "install what is imported into the environment of the notebook's kernel"


def _absent(facts: Facts, result: CellResult, failure: Failure, module: str) -> str:
    from pytest_nbsafe.project import distributions, own_files

    if writer := _written_below(facts, result, f"{module.replace('.', '/')}.py"):
        return writer
    top, _, below = module.partition(".")
    if below:
        return _lacking(facts, f"module `{below}`", module.rpartition(".")[0])
    if distributions.was_pythons_own(top):
        return f"this Python has no `{top}` any more: import what took its place"
    project = facts.project
    if project is not None and not distributions.is_well_known(top):
        place = own_files.module(project, _imported(facts, result, failure, top))
        if place is not None:
            return _not_importable(project, *place)
    return _install(top)


def _imported(facts: Facts, result: CellResult, failure: Failure, top: str) -> str:
    """Return the module below `top` that the failing line imports, `top` where it imports none."""
    cell, line = failure.frames[-1] if failure.frames else (result.cell, failure.line)
    return next(
        (
            imported.module
            for imported in syntax.imports(facts.graph, cell)
            if imported.span.line <= line <= imported.span.end_line
            and imported.module.partition(".")[0] == top
        ),
        top,
    )


def _not_importable(project: Project, path: Path, folder: Path) -> str:
    from pytest_nbsafe.project import import_paths

    root = project.folders[-1]
    settings = import_paths.pytest_settings(project.folders)
    where = path.relative_to(root).as_posix()
    return (
        f"{where} is in this repository but not importable: add {settings.with_path(folder, root)}"
    )


def _lacking(facts: Facts, what: str, module: str) -> str:
    """Return what to do about a module that is there, but has not what is imported from it."""
    from pytest_nbsafe.project import distributions, own_files

    top = module.partition(".")[0]
    place = own_files.module(facts.project, module) if facts.project is not None else None
    if place is not None and facts.project is not None and not distributions.is_well_known(top):
        file = place[0].relative_to(facts.project.folders[-1]).as_posix()
        return f"{file} has no {what}: add it there, or mend the import"
    if distributions.needs_none(top):
        return f"mend the import: this Python's `{module}` has no {what}"
    name = distributions.distribution(top)
    return f"mend the import, or install a version of {name} whose `{module}` has {what}"


def _install(module: str) -> str:
    from pytest_nbsafe.project import distributions

    name = distributions.distribution(module)
    return f"`pip install {name}` into the environment of the notebook's kernel, and declare it"


# -- what else is not there ------------------------------------------------------------------------


def _written_below(facts: Facts, result: CellResult, path: str) -> str:
    """Return that a cell further down writes a file and belongs above, "" where none does."""
    writers = facts.graph.binders.get(files.symbol_of(path), ())
    writer = next((cell for cell in writers if cell > result.cell), 0)
    is_first = writer and writer == writers[0]
    return f"move cell {writer}, which writes '{path}', above this one" if is_first else ""


def _file(facts: Facts, result: CellResult, failure: Failure) -> str:
    """Return where a file is that was not found, or where it is to be put."""
    from pytest_nbsafe.project import own_files

    missing = _PATH.search(failure.evalue)
    if missing is None:
        return "keep the file with the notebook: relative paths start in the notebook's folder"
    path, project = missing[1].replace("\\\\", "\\"), facts.project
    if writer := _written_below(facts, result, path):
        return writer
    there = own_files.file(project, path) if project is not None else None
    starts = "relative paths start in the notebook's folder"
    if there is not None and project is not None:
        import os

        right = Path(os.path.relpath(there, project.folders[0])).as_posix()
        if right != path:
            return f"write '{right}' for '{path}': {starts}"
    if PureWindowsPath(path).anchor:  # of a machine, whichever its system
        return f"keep the file with the notebook, and write a path relative to it for '{path}'"
    return f"put '{path}' there before the notebook runs, or commit it: {starts}"


def _line(facts: Facts, result: CellResult, failure: Failure) -> str:
    """Return the line of a cell at which an exception was raised."""
    cell, line = failure.frames[-1] if failure.frames else (result.cell, failure.line)
    return facts.notebook.cell(cell).line(line)


def _variable(facts: Facts, result: CellResult, failure: Failure) -> str:
    """Return that a variable is to be set which `os.environ[...]` did not have.

    Not one that a cell sets.
    """
    name, text = failure.evalue.strip("'"), _line(facts, result, failure)
    is_read = f"environ['{name}']" in text or f'environ["{name}"]' in text
    if not is_read or f"os.environ['{name}']" in facts.graph.binders:
        return ""
    return (
        f"set the environment variable {name} where the notebook is run: "
        "in a pipeline, as a variable or secret of the job"
    )


def _name(facts: Facts, result: CellResult, failure: Failure) -> str:
    """Return that the one cell above that makes a missing name is told to be skipped."""
    name = undefined_name(failure.ename, failure.evalue)
    makers = [cell for cell in facts.graph.binders.get(name or "", ()) if cell < result.cell]
    if not makers or not all(is_skipped(facts.notebook.cell(cell)) for cell in makers):
        return ""
    return f"let cell {makers[-1]}, which makes `{name}` and is skipped, run, or skip this one, too"


def _answer(facts: Facts, result: CellResult, failure: Failure) -> str:
    if _DEBUGGER.search(_line(facts, result, failure)):
        return DEBUGGER
    return "nobody can type an answer in a test run: set the value, or tag it skip-execution"


def _magic(_facts: Facts, _result: CellResult, _failure: Failure) -> str:
    return MAGIC


_KINDS: dict[str, Callable[[Facts, CellResult, Failure], str]] = {
    "KeyError": _variable,
    "NameError": _name,
    "StdinNotImplementedError": _answer,
    "ModuleNotFoundError": _import,
    "ImportError": _import,
    "FileNotFoundError": _file,
    "UsageError": _magic,
}
