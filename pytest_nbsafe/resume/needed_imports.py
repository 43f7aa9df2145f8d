"""Which imports a kernel needs that catches up: a heavy library that nothing to come uses is left.

Imports are run again since they may do what no value shows. Those of a few libraries do nothing of
the kind, and take most of the time in which a kernel comes up: such a library is left out where
no name that its imports bind is needed, by what follows or by the rest of their cell. Values that
are loaded import what they need themselves.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pytest_nbsafe.libraries import datafiles
from pytest_nbsafe.resume.bound_names import name_of
from pytest_nbsafe.resume.words import words_of
from pytest_nbsafe.values import dataclass

if TYPE_CHECKING:
    from pytest_nbsafe.resume.past_runs import PastRun

_TELLING = frozenset(
    {"warnings", "filters", "matrix", "environ", "environb", "getenv", "putenv", "system"}
    | {"subprocess", "Popen", "modules", "copyreg", "gc", "importlib", "pkgutil", "tracemalloc"}
)
"""Words of texts that may tell whether a quiet library was imported: SciPy filters a warning of
NumPy's matrices, scikit-learn sets variables of OpenMP."""
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_OF_A_CELL = re.compile(r"^[ \t]*%%", re.MULTILINE)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@cache
def quiet() -> Mapping[str, str]:
    """Return the libraries whose import does nothing that a text without `_TELLING` words sees.

    It registers nothing with others, draws no number and changes no other setting. Each with the
    one together with which it is left out: a module of the one may be there since the other has
    imported it.
    """
    pairs = (word.partition(":") for word in datafiles.words("imports", "quiet"))
    return {library: other for library, _, other in pairs}


@dataclass(frozen=True, slots=True)
class Import:
    """A statement that imports quiet libraries, and where it stands: lines from 1, bytes from 0.

    `bound` are the names that it binds, each with the library that they are of.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    statement: ast.Import | ast.ImportFrom
    bound: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is run of a text, and the names that it does not bind for that."""

    source: str
    left_out: frozenset[str] = frozenset()


def may_tell(words: Collection[str]) -> bool:
    """Return whether texts with these words may tell which libraries were imported."""
    return not _TELLING.isdisjoint(words)


def reduced(past: Sequence[PastRun], wanted: Sequence[Collection[str]]) -> list[Reduced]:
    """Return the texts of runs without the imports that nothing needs.

    `wanted` are, for each run, the names that are needed after it, none for one that is not made.
    """
    imports = [_imports(run.source) if _may_be_reduced(run) else () for run in past]
    used = set[str]()
    for run, found, names in zip(past, imports, wanted, strict=True):
        rest = words_of(_without(run.source, found, frozenset())) if found else set()
        for each in found:
            used.update(lib for name, lib in each.bound.items() if name in names or name in rest)
    return [
        Reduced(
            _without(run.source, found, used),
            frozenset(n for each in found for n, lib in each.bound.items() if lib not in used),
        )
        for run, found in zip(past, imports, strict=True)
    ]


def _without(source: str, imports: Sequence[Import], used: Collection[str]) -> str:
    """Return a text without what it imports of libraries that are not used; its lines stay."""
    if not imports:
        return source
    lines = source.encode().split(b"\n")
    for each in reversed(imports):
        kept = _kept(each, used)
        if kept is each.statement:
            continue
        (first, column), (last, end) = each.start, each.end
        text = b"pass" if kept is None else ast.unparse(kept).encode()
        head, tail = lines[first - 1][:column], lines[last - 1][end:]
        lines[first - 1 : last] = [head + text + tail, *[b""] * (last - first)]
    return b"\n".join(lines).decode()


def _kept(each: Import, used: Collection[str]) -> ast.stmt | None:
    """Return what is left of a statement: itself where all of it is needed, None where nothing."""
    statement = each.statement
    if {*used} >= {*each.bound.values()}:
        return statement
    if isinstance(statement, ast.ImportFrom):
        return None
    names = [a for a in statement.names if each.bound.get(name_of(a)) in {None, *used}]
    return ast.Import(names) if names else None


def _may_be_reduced(run: PastRun) -> bool:
    """Return whether a run did nothing that hangs on its imports or on its whole text."""
    event, inputs = run.executed.event, run.inputs
    if event is None or inputs is None or run.executed.status != "ok" or event["raised"]:
        return False
    return quiet().keys().isdisjoint(map(_stem, inputs["modules"]))


def _stem(path: str) -> str:
    """Return what a module of the project may be imported as."""
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1][:-3]


def _imports(source: str) -> tuple[Import, ...]:
    """Return the statements of a text that import quiet libraries, none where it defines anything.

    A function holds the text of its cell, which a traceback shows.
    """
    if _OF_A_CELL.search(source) or not any(name in source for name in quiet()):
        return ()
    try:
        tree = ast.parse(_MAGIC.sub(r"\1pass", source))
    except (SyntaxError, ValueError):
        return ()
    if any(isinstance(node, _DEFINES) for node in ast.walk(tree)):
        return ()
    return tuple(_found(tree.body, source.split("\n")))


def _found(statements: Sequence[ast.stmt], lines: Sequence[str]) -> Iterator[Import]:
    for statement in statements:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound = dict(_quiet_names(statement))
            end = statement.end_lineno or statement.lineno, statement.end_col_offset or 0
            tail = lines[end[0] - 1].encode()[end[1] :].decode().strip()
            is_in_one = end[0] == statement.lineno or not tail or tail.startswith("#")
            if bound and is_in_one:
                yield Import((statement.lineno, statement.col_offset), end, statement, bound)


def _quiet_names(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement binds to what is of a quiet library."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            library = quiet().get(alias.name.partition(".")[0])
            if library is not None:
                yield name_of(alias), library
        return
    library = quiet().get((statement.module or "").partition(".")[0])
    if library is None or statement.level or any(a.name == "*" for a in statement.names):
        return
    for alias in statement.names:
        yield alias.asname or alias.name, library
