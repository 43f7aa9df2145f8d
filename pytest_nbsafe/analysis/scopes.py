"""Which scope a name belongs to, and which names are there before any cell has run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from pytest_nbsafe import patterns

IPYTHON_NAMES = frozenset({
    "In", "Out", "_", "__", "___", "_i", "_ii", "_iii", "_ih", "_oh", "_dh", "_sh", "_exit_code",
    "exit", "quit", "copyright", "credits", "license", "get_ipython", "display",
    "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__",
    "__builtin__", "__builtins__", "__IPYTHON__", "__session__",
    "WindowsError",  # a builtin on Windows only, and this tool may run elsewhere than the kernel
})  # fmt: skip
"""Names that IPython and site put in front of a notebook; `__file__` is not among them."""

PY2_BUILTINS = frozenset({
    "apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long",
    "raw_input", "reduce", "reload", "unichr", "unicode", "xrange", "StandardError",
})  # fmt: skip

_NEWER_BUILTINS = frozenset({
    "BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError", "EncodingWarning",
    "aiter", "anext",
})  # fmt: skip
_PY3_NAMES = frozenset(dir(builtins)) | _NEWER_BUILTINS | IPYTHON_NAMES
_PY2_NAMES = _PY3_NAMES | PY2_BUILTINS
_HISTORY = patterns.compile(r"_i?[0-9]+\Z")


def known_names(python_major: int) -> frozenset[str]:
    """Return the names that no cell has to define, history names such as `_3` left out."""
    return _PY2_NAMES if python_major == 2 else _PY3_NAMES


def is_known(name: str, python_major: int = 3) -> bool:
    """Tell whether a name exists without any cell defining it."""
    return name in known_names(python_major) or (name[0] == "_" and bool(_HISTORY.match(name)))


def stored_names(target: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that an assignment target binds, left to right."""
    kind = type(target)
    if kind is ast.Name:
        yield target  # type: ignore[misc]
    elif kind is ast.Tuple or kind is ast.List:
        for element in target.elts:  # type: ignore[attr-defined]
            yield from stored_names(element)
    elif kind is ast.Starred:
        yield from stored_names(target.value)  # type: ignore[attr-defined]


def root(node: ast.AST) -> ast.Name | None:
    """Return the name at the bottom of a chain of attributes and subscripts, if there is one."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def words(node: ast.AST) -> list[str]:
    """Return the names of `a.b.c`, none for anything else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return [node.id, *reversed(attributes)] if isinstance(node, ast.Name) else []


def last_word(node: ast.AST) -> str:
    """Return the last word of a name or an attribute: `sort` of `xs.sort`, "" for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def catches(caught: ast.expr | None, names: frozenset[str]) -> bool:
    """Tell whether `except caught` handles one of these exceptions; a bare `except` handles all."""
    if isinstance(caught, ast.Tuple):
        return any(catches(element, names) for element in caught.elts)
    return caught is None or last_word(caught) in names


class ClassFrame:
    """The scope of a class body: seen by its own statements, not by functions inside it.

    `sure` are the names that it has bound on every path so far, `maybe` those on some;
    `depth` is how deep in branches the body itself stands.
    """

    __slots__ = ("depth", "maybe", "outside", "sure")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.sure = {"__module__", "__qualname__"}
        self.maybe: set[str] = set()
        self.outside: set[str] = set()


class NamesFrame:
    """The scope of a comprehension or of type parameters: it hides exactly these names."""

    __slots__ = ("names",)

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names


Frame = ClassFrame | NamesFrame
