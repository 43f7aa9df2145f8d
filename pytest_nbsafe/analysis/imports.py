"""What the import statements of a cell bind, and whether a missing module is expected there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pytest_nbsafe.analysis.model import Span
from pytest_nbsafe.analysis.scopes import catches
from pytest_nbsafe.values import dataclass

STAR = "*"
"""The name and the attribute of `from m import *`."""
_FAILURES = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class Import:
    """One name that an import statement binds.

    `module` is the dotted module without the dots of a relative import, which `level` counts;
    `attribute` is what is taken from it ("" for `import m`, "*" for all of it); `name` is the name
    bound ("*" for all) and `target` what it stands for: `import a.b` binds `a` to "a".
    `guarded`: a missing module is expected (in `try` with a handler for it, in that handler, under
    TYPE_CHECKING). `function` is the enclosing function as "outer.inner" or "Class.method", ""
    where the name is the notebook's own.
    """

    name: str
    module: str
    attribute: str
    level: int
    span: Span
    guarded: bool
    function: str
    target: str


@dataclass(frozen=True, slots=True)
class _Suite:
    """Statements still to be read: the scope they stand in, the function, what is expected."""

    body: list[ast.stmt]
    path: str = ""
    function: str = ""
    guarded: bool = False


def bound(tree: ast.Module, span_of: Callable[[ast.AST], Span]) -> tuple[Import, ...]:
    """Return what each import statement of a tree binds, by place."""
    imports: list[Import] = []
    todo = [_Suite(tree.body)]
    while todo:
        suite = todo.pop()
        for statement in suite.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                imports.extend(_names(statement, suite, span_of))
            else:
                todo.extend(_inside(statement, suite))
    return tuple(sorted(imports, key=lambda i: (i.span.line, i.span.column)))


def _names(
    statement: ast.Import | ast.ImportFrom, suite: _Suite, span_of: Callable[[ast.AST], Span]
) -> Iterator[Import]:
    scope = suite.guarded, suite.function
    for alias in statement.names:
        name, span = alias.asname or alias.name, span_of(alias)
        if isinstance(statement, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            yield Import(name, alias.name, "", 0, span, *scope, target)
            continue
        module, level = statement.module or "", statement.level
        target = "." * level + (f"{module}.{alias.name}" if module else alias.name)
        target = "" if alias.name == STAR else target
        yield Import(name, module, alias.name, level, span, *scope, target)


def _inside(statement: ast.stmt, suite: _Suite) -> Iterator[_Suite]:
    """Yield the suites of a compound statement."""
    path, function, guarded = suite.path, suite.function, suite.guarded
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        path = function = dotted_path(path, statement.name)
    elif isinstance(statement, ast.ClassDef):
        path = dotted_path(path, statement.name)
    elif isinstance(statement, ast.If | ast.With | ast.AsyncWith):
        guarded = guarded or _expects_failure(statement)
    elif isinstance(statement, ast.Try) or type(statement).__name__ == "TryStar":
        guarded = guarded or any(catches(h.type, _FAILURES) for h in statement.handlers)  # type: ignore[attr-defined] # TryStar is 3.11's
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for part in getattr(statement, name, None) or ():
            if isinstance(part, ast.stmt):
                yield _Suite(getattr(statement, name), path, function, guarded)
                break
            yield _Suite(part.body, path, function, guarded)


def dotted_path(path: str, name: str) -> str:
    """Return the dotted name of a function or class in the scope with this path."""
    return f"{path}.{name}" if path else name


def _expects_failure(statement: ast.If | ast.With | ast.AsyncWith) -> bool:
    """Tell whether this is `if TYPE_CHECKING` or `with suppress(ImportError)`."""
    if isinstance(statement, ast.If):
        test = statement.test
        return "TYPE_CHECKING" in {getattr(test, "id", ""), getattr(test, "attr", "")}
    calls = [i.context_expr for i in statement.items if isinstance(i.context_expr, ast.Call)]
    return any(catches(argument, _FAILURES) for call in calls for argument in call.args)
