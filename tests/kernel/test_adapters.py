"""The kernel's adapters: one file a library, which imports nothing of it."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
from pathlib import Path

import pytest

from pytest_nbsafe.kernel import adapters
from pytest_nbsafe.kernel.adapters import Adapter
from pytest_nbsafe.kernel.aside import fork

FOLDER = Path(adapters.__path__[0])
KNOWN = {name for name in (*vars(Adapter), *Adapter.__annotations__) if not name.startswith("_")}
"""What the engines ask for, and what adapters share with one another."""


def test_every_file_is_an_adapter() -> None:
    files = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")}
    assert files == set(adapters.names)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_an_adapter_imports_no_library(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    imported = {
        a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names
    }
    absolute = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and not n.level}
    outside = {module.split(".")[0] for module in imported | set(filter(None, absolute))}
    assert outside <= set(sys.stdlib_module_names) - {name}


@pytest.mark.parametrize("name", adapters.names)
def test_an_adapter_answers_what_is_asked(name: str) -> None:
    held = vars(adapters.adapter_of(name))
    public = {
        key for key, value in held.items() if not key.startswith("_") and key != "annotations"
    }
    constants = {
        key for key in public if key.isupper() and key not in {"TOO_LARGE", "TYPE_CHECKING"}
    }
    assert constants - {"BUILTINS", "COLUMNS", "MANY"} <= KNOWN
    assert public & KNOWN


def test_adapters_load_where_their_libraries_are_missing() -> None:
    code = (
        "import sys\n"
        "from pytest_nbsafe.kernel import adapters\n"
        "found = [adapters.adapter_of(name) for name in adapters.names]\n"
        "assert all(found)\n"
        "print(sorted(set(adapters.names) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_library_whose_name_is_no_text_has_no_adapter() -> None:
    assert adapters.of_module(3) is None
    assert adapters.of_module("nobody.knows") is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
@pytest.mark.parametrize("library", ["jax", "tensorflow"])
def test_some_libraries_do_not_live_through_a_fork(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in adapters.names:
        if name != library and not getattr(adapters.adapter_of(name), "MAY_BE_FORKED", True):
            monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, types.ModuleType(library))
    assert fork.obstacle() == f"a kernel that has loaded {library} cannot be forked"
