"""What pyproject.toml and Pipfile declare, for each of the tools that write there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_nbsafe import toml
from pytest_nbsafe.project import requirements
from pytest_nbsafe.project.requirements import Requirements, joined, names_of, normalised, text_of


def pyproject(file: Path) -> Requirements:
    """Return what a pyproject.toml declares: the project's needs, its extras, groups and itself."""
    table, unknown = read_table(file)
    project, tool = inner(table, "project"), inner(table, "tool")
    names = {*names_of(_listed(table)), *_keys(tool)}
    if "dependencies" in items(project.get("dynamic")):
        dependencies = _dynamic(tool, file.parent)
        names |= dependencies.names
        unknown = unknown or dependencies.unknown
    if names:
        itself = (project.get("name"), inner(tool, "poetry").get("name"))
        names.update(normalised(name) for name in itself if isinstance(name, str))
    return Requirements(frozenset(names), unknown)


def pipfile(file: Path) -> Requirements:
    """Return what a Pipfile declares, in all of its categories."""
    table, unknown = read_table(file)
    settings = {"source", "requires", "scripts", "pipenv"}
    groups = [group for key, group in table.items() if key not in settings]
    names = [key for group in groups if isinstance(group, dict) for key in group]
    return Requirements(frozenset(map(normalised, names)), unknown)


def read_table(file: Path) -> tuple[dict[str, Any], str]:
    """Return what a file of TOML holds, and why that is unknown, empty where it is known."""
    try:
        return toml.loads(text_of(file)), ""
    except (OSError, ValueError) as error:  # no UTF-8, or no TOML
        return {}, f"it cannot be read: {error}"


def inner(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a table in a table, empty when it is not there or no table."""
    at: Any = table
    for key in keys:
        at = at.get(key) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else {}


def _listed(table: dict[str, Any]) -> list[Any]:
    """Return the requirements that stand in lists, those of the standard and those of tools.

    A group of PEP 735 that another one includes stands in its own list, too.
    """
    project, tool = inner(table, "project"), inner(table, "tool")
    environments = [e for e in inner(tool, "hatch", "envs").values() if isinstance(e, dict)]
    lists = [
        project.get("dependencies"),
        *inner(project, "optional-dependencies").values(),
        *inner(table, "dependency-groups").values(),
        *inner(tool, "pdm", "dev-dependencies").values(),
        *(inner(tool, name).get("dev-dependencies") for name in ("uv", "rye")),
        *(e.get(key) for e in environments for key in ("dependencies", "extra-dependencies")),
        inner(tool, "flit", "metadata").get("requires"),
    ]
    return [item for entry in lists for item in items(entry)]


def _keys(tool: dict[str, Any]) -> Iterator[str]:
    """Yield the distributions that tools keep as the keys of a table."""
    poetry, pixi = inner(tool, "poetry"), inner(tool, "pixi")
    homes = [poetry, pixi, *inner(poetry, "group").values(), *inner(pixi, "feature").values()]
    for home in homes:
        if isinstance(home, dict):
            for key in ("dependencies", "dev-dependencies", "pypi-dependencies"):
                yield from (normalised(name) for name in inner(home, key) if name != "python")


def _dynamic(tool: dict[str, Any], folder: Path) -> Requirements:
    """Return what setuptools reads the dependencies from."""
    source = inner(tool, "setuptools", "dynamic", "dependencies")
    files = source.get("file")
    named = [files] if isinstance(files, str) else files
    if not isinstance(named, list) or not named:
        return Requirements(unknown="its dependencies are made when it is built")
    return joined(requirements.read(folder / str(name)) for name in named)


def items(value: Any) -> list[Any]:
    """Return a list, empty when it is none."""
    return value if isinstance(value, list) else []
