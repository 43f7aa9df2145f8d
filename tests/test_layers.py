"""Who may import whom: the table of the house, held against the imports in every module."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "pytest_nbsafe"

# Each room, and the rooms (or single modules) that it may import from.
_ANALYSED = {"errors", "locations", "notebook", "analysis"}
_RULES = {
    "errors",
    "locations",
    "codes",
    "findings",
    "config",
    "notebook",
    "analysis",
    "absint",
    "order",
    "trace",
    "project",
    "contracts",
}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "locations": set(),
    "codes": set(),
    "kernel": set(),
    "findings": {"locations", "codes"},
    "config": {"errors", "codes", "findings"},
    "project": {"errors"},
    "notebook": {"errors", "locations"},
    "analysis": {"errors", "locations", "notebook"},
    "absint": _ANALYSED,
    "order": _ANALYSED,
    "trace": {"locations", "notebook", "analysis", "kernel.contract"},
    "runner": {"errors", "config", "notebook", "analysis", "trace", "kernel.contract"},
    "rules": _RULES,
    "check": _RULES | {"rules", "runner", "paths", "baseline"},
    "contracts": {"errors", "config"},
    "paths": {"errors", "config", "baseline", "contracts"},
    "static": {"errors", "config", "findings", "paths", "baseline", "cache", "check", "project"},
    "cache": {"codes", "locations", "findings"},
    "baseline": {"errors", "locations", "findings"},
    "reports": {"findings", "locations", "codes", "notebook"},
    "plugin": {"errors", "config", "findings", "paths", "check", "reports"},
    "cli": {"errors", "config", "findings", "check", "static", "reports"},
    "__main__": {"errors", "config", "findings", "check", "reports", "cli"},
    "__init__": set(),
    "values": set(),
    "patterns": set(),
}
EVERYWHERE = {"values", "patterns"}
"""What stands in for `dataclasses` and `re`: every room may import it."""

HEAVY = {"astroid", "nbclient", "nbformat", "jupyter_client", "IPython"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def _module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def _imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, without the package's own name."""
    found: set[str] = set()
    here = path.relative_to(PACKAGE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.startswith("pytest_nbsafe.")}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = (*here[: len(here) - node.level + 1], *(node.module or "").split("."))
                module = ".".join(("pytest_nbsafe", *filter(None, base)))
            else:
                module = node.module or ""
            if module == "pytest_nbsafe":
                found |= {f"pytest_nbsafe.{a.name}" for a in node.names if a.name[0] != "_"}
            elif module.startswith("pytest_nbsafe."):
                found.add(module)
    return {name.removeprefix("pytest_nbsafe.") for name in found}


@pytest.mark.parametrize("path", MODULES, ids=_module)
def test_a_module_imports_only_from_rooms_below_it(path: Path) -> None:
    room = _module(path).split(".")[0]
    allowed = MAY_IMPORT[room] | EVERYWHERE
    outside = {
        name
        for name in _imports(path)
        if name.split(".")[0] != room and not {name, name.split(".")[0]} & allowed
    }
    assert outside == set()


def test_every_room_of_the_table_may_only_name_rooms_of_the_table() -> None:
    named = {name.split(".")[0] for allowed in MAY_IMPORT.values() for name in allowed}
    assert named <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", MODULES, ids=_module)
def test_no_module_imports_a_heavy_package_at_its_top(path: Path) -> None:
    if _module(path).startswith("kernel."):
        return
    top = ast.parse(path.read_text(encoding="utf-8")).body
    names = {
        (alias.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
        for node in top
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names & HEAVY == set()
