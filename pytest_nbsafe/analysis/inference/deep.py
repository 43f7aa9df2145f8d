"""Astroid's answer to the class of a name, over the statements that the name depends on alone."""

from __future__ import annotations

import ast
import sys
import sysconfig
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.analysis import trees
from pytest_nbsafe.analysis.inference.text import UnknownError
from pytest_nbsafe.analysis.reruns.symbols import names
from pytest_nbsafe.analysis.scopes import root, stored_names

if TYPE_CHECKING:
    from pytest_nbsafe.analysis.graph import Graph

_STATEMENTS = 300
_CALLS = 1_000_000
"""So many calls of Python functions may one question take, about a second; counted, not timed, so
that the answer is the same on every machine."""
_VALUES = 8
_SLICE = "nbsafe_slice"
_NAMES = {"_io.TextIOWrapper": "file", "io.TextIOWrapper": "file", "builtins.generator": "iterator"}
_LOCK = threading.Lock()
_LIBRARY = Path(sysconfig.get_path("stdlib"))
_modules: dict[str, Any] = {}


def inferred(graph: Graph, name: str, cell: int) -> tuple[str, ...]:
    """Return the classes that a name may have when a cell starts.

    Raises:
        UnknownError: astroid cannot tell, or it takes too long.

    """
    try:
        code = sliced(graph, name, cell)
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _warm()
            with _library_only(), _bounded():
                return tuple(sorted(set(_classes(code, name))))
    except _TooLongError as error:
        raise UnknownError("astroid takes too long") from error
    except RecursionError as error:
        raise UnknownError("astroid cannot follow so deep") from error


# -- the slice -----------------------------------------------------------------------------------


def sliced(graph: Graph, name: str, cell: int) -> str:
    """Return the statements of the cells above that a name depends on, as one program.

    Source: Weiser 1984, backward slicing, over whole statements at the top of cells: one that binds
    a needed name (or an attribute of it) is in, and then what it mentions is needed too.
    """
    needed = {name}
    kept: list[ast.stmt] = []
    for number in sorted((n for n in graph.cells if n < cell), reverse=True):
        for statement in reversed(trees.of(graph, number).body):
            if not needed.isdisjoint(_binds(statement)):
                kept.append(statement)
                needed |= names(statement)
        if len(kept) > _STATEMENTS:
            raise UnknownError("it depends on too much")
    kept.reverse()
    return "\n".join([*map(ast.unparse, kept), name])


def _binds(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
        return
    for part in ast.walk(statement):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            bottom = root(part)
            if bottom is not None:
                yield bottom.id
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield part.name
        elif isinstance(part, ast.For):
            yield from (n.id for n in stored_names(part.target))


# -- astroid, held back --------------------------------------------------------------------------


@cache
def _warm() -> None:
    """Let astroid build what it knows of the builtins, which is not part of any question."""
    import astroid

    astroid.parse("")


def _classes(code: str, name: str) -> Iterator[str]:
    import astroid
    from astroid.exceptions import AstroidError

    try:
        module = astroid.parse(code, module_name=_SLICE)
        values = list(islice(module.body[-1].value.infer(), _VALUES + 1))
    except AstroidError as error:
        raise UnknownError(f"astroid cannot tell what `{name}` holds") from error
    if len(values) > _VALUES:
        raise UnknownError(f"`{name}` may hold too many things")
    for value in values:
        if value is astroid.Uninferable:
            raise UnknownError(f"astroid cannot tell what `{name}` holds")
        yield _class_name(value)


def _class_name(value: Any) -> str:
    """Return the qualified name of the class of what astroid inferred."""
    found = str(value.pytype()).removeprefix(f"{_SLICE}.").removeprefix("__astroid_synthetic.")
    return _NAMES.get(found, found.removeprefix("builtins.").removeprefix("_py"))


@contextmanager
def _library_only() -> Iterator[None]:
    """Let astroid read nothing but the source of Python's own library, and import nothing."""
    from astroid.exceptions import AstroidImportError
    from astroid.manager import AstroidManager

    def from_name(manager: Any, modname: str, *_: object, **__: object) -> Any:
        if modname == "builtins":
            return manager.builtins_module
        if modname.partition(".")[0] not in sys.stdlib_module_names:
            raise AstroidImportError(f"{modname} is not of Python's own library", modname=modname)
        if modname not in _modules:
            _modules[modname] = _from_library(manager, modname)
        return _modules[modname]

    before = AstroidManager.ast_from_module_name
    AstroidManager.ast_from_module_name = from_name
    try:
        yield
    finally:
        AstroidManager.ast_from_module_name = before
        AstroidManager().astroid_cache.pop(_SLICE, None)


def _from_library(manager: Any, modname: str) -> Any:
    """Return the tree of a module of Python's library; one without source is empty."""
    from astroid.builder import AstroidBuilder

    path = _LIBRARY.joinpath(*modname.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            source = file.read_text(encoding="utf-8")
            return AstroidBuilder(manager).string_build(source, modname, str(file))
    return AstroidBuilder(manager).string_build("", modname)


class _TooLongError(BaseException):
    """Not an Exception, so that astroid does not take it for a failed inference."""


@contextmanager
def _bounded() -> Iterator[None]:
    """Stop what makes too many calls; under a profiler, whose hook this needs, nothing is."""
    if sys.getprofile() is not None:
        yield
        return
    left = _CALLS

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        if event == "call":
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise _TooLongError

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
