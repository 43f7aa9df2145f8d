"""The name of a library stands in its data file and in the kernel's adapters, nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.libraries import datafiles, spellings

PACKAGE = Path(datafiles.__file__).parents[1]
HOMES = ("libraries", "kernel/adapters")
"""Where names of libraries stand."""
_CLUSTERS = {"dask", "Dask", "ray", "Ray"}
TOOLS = {"kernel": {"numpy", "np"}, "trace": {"PIL"}, "app": _CLUSTERS, "cli": _CLUSTERS}
"""What a room computes with where it is there: numpy hashes arrays, Pillow reads pixels, and
notebooks are worked on by clusters."""
NOT_ALONE = {"python", "transformers", "xr"}
"""Names that mean something else too: the language, steps of a pipeline, a kernel for R."""
FILES = {file.stem for file in datafiles.FOLDER.glob("*.toml")}
NAMES = (FILES | set(spellings.load().aliases)) - NOT_ALONE
_NAMED = re.compile(rf"\b(?:{'|'.join(sorted(NAMES))})\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\[a-zA-Z]")
EXAMPLES = {"bad", "good", "BAD", "GOOD", "contract"}
"""What rules show to a reader, who knows libraries by their names."""


def _is_at_home(path: Path) -> bool:
    place = path.relative_to(PACKAGE).as_posix()
    return place.startswith(tuple(f"{home}/" for home in HOMES))


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if not _is_at_home(path))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_example(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(name, ast.Name) and name.id in EXAMPLES for name in targets)


def _words(node: ast.AST) -> Iterator[str]:
    """Yield the texts and identifiers in a piece of code, but for docstrings and examples."""
    if _is_text(node) or _is_example(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield _ESCAPE.sub(" ", node.value)
    for field in ("id", "attr", "arg", "name", "asname", "module"):
        if isinstance(word := getattr(node, field, None), str):
            yield word.replace("_", " ")
    for child in ast.iter_child_nodes(node):
        yield from _words(child)


def named(source: str) -> list[str]:
    """Return the names of libraries that the code of a module holds."""
    return [name for word in _words(ast.parse(source)) for name in _NAMED.findall(word)]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_an_engine_names_no_library(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    found = named(path.read_text(encoding="utf-8"))
    assert [name for name in found if name not in TOOLS.get(room, ())] == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = 'pandas.DataFrame'", ["pandas"]),
        ("_NUMPY_SCALAR = 1", ["NUMPY"]),
        (r"p = r'\bnp\.int'", ["np"]),
        ("import torch.nn as net", ["torch"]),
        ("def of_polars(): pass", ["polars"]),
        ("'''Reads pandas.'''\nbad = 'import pandas'", []),
        ("input_, unplotted = 1, 'to_numpy'", []),
    ],
)
def test_what_counts_as_a_name(source: str, names: list[str]) -> None:
    assert named(source) == names
