"""What the kernel's code may not say, since the Python of a notebook may be as old as 3.8."""

from __future__ import annotations

import ast
import collections.abc
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe import kernel

FOLDER = Path(kernel.__path__[0])
OLDEST = (3, 8)
PLAIN = {"dict", "frozenset", "list", "set", "tuple", "type"}
GENERIC = PLAIN | {*collections.abc.__all__}
"""Classes that say of what they are (`list[int]`) from Python 3.9 on."""
OF_TYPING = {"Annotated", "Concatenate", "Never", "ParamSpec", "Self", "TypeAlias", "TypeGuard"}


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what of a module is evaluated: no annotation, and nothing that is for types alone."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    yield node
    for name, field in ast.iter_fields(node):
        if name in {"annotation", "returns"}:
            continue
        for each in field if isinstance(field, list) else [field]:
            if isinstance(each, ast.AST):
                yield from evaluated(each)


def is_new(node: ast.AST) -> bool:
    """Tell whether an older Python would raise where it evaluates this."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id in GENERIC
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = (node.left, node.right)
        names = (side.id for side in sides if isinstance(side, ast.Name))
        nones = (side for side in sides if isinstance(side, ast.Constant) and side.value is None)
        return any(name in PLAIN for name in names) or any(True for _ in nones)
    if isinstance(node, ast.ImportFrom) and node.module == "typing":
        return any(each.name in OF_TYPING for each in node.names)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
        return any(each.arg == "strict" for each in node.keywords)
    return False


def too_new(text: str) -> list[int]:
    """Return the lines of a text that an older Python cannot evaluate.

    Raises:
        SyntaxError: it cannot be read by one.

    """
    tree = ast.parse(text, feature_version=OLDEST)
    return [getattr(node, "lineno", 0) for node in evaluated(tree) if is_new(node)]


@pytest.mark.parametrize(
    "text",
    [
        "Held = dict[str, int]",
        "Held = None | int",
        "from collections.abc import Callable\nclass Own(Callable[[int], None]): pass",
        "from typing import ParamSpec",
        "pairs = [*zip('ab', 'cd', strict=True)]",
    ],
)
def test_what_is_too_new(text: str) -> None:
    assert too_new(text)


def test_what_is_never_evaluated() -> None:
    assert (
        too_new("if TYPE_CHECKING:\n    Held = list[int]\ndef f(x: list[int]) -> int | None: 1")
        == []
    )


@pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER))
)
def test_the_code_of_the_kernel(path: Path) -> None:
    assert too_new(path.read_text(encoding="utf-8")) == []
