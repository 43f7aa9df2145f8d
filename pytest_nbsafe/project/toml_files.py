"""What pyproject.toml and Pipfile declare, for each of the tools that write there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pytest_nbsafe import toml
from pytest_nbsafe.project import requirements
from pytest_nbsafe.project.requirements import Requirements, joined, names_of, normalised, text_of


def pyproject(file: Path) -> Requirements:
    """Return what a pyproject.toml declares: the project's needs, its extras, groups and itself."""
    table, unknown = _table(file)
    project = _at(table, "project")
    names = {*names_of(_standard(project)), *names_of(_groups(_at(table, "dependency-groups")))}
    tool = _at(table, "tool")
    names |= {*names_of(_lists(tool)), *_keys(tool)}
    dynamic = project.get("dynamic") if isinstance(project.get("dynamic"), list) else []
    if "dependencies" in (dynamic or []):
        dependencies = _dynamic(tool, file.parent)
        names |= dependencies.names
        unknown = unknown or dependencies.unknown
    return Requirements(frozenset(_with_itself(names, project, _at(tool, "poetry"))), unknown)


def pipfile(file: Path) -> Requirements:
    """Return what a Pipfile declares, in all of its categories."""
    table, unknown = _table(file)
    settings = {"source", "requires", "scripts", "pipenv"}
    groups = [group for key, group in table.items() if key not in settings]
    names = [key for group in groups if isinstance(group, dict) for key in group]
    return Requirements(frozenset(map(normalised, names)), unknown)


def _table(file: Path) -> tuple[dict[str, Any], str]:
    try:
        return toml.loads(text_of(file)), ""
    except (OSError, ValueError) as error:  # no UTF-8, or no TOML
        return {}, f"it cannot be read: {error}"


def _at(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a table in a table, empty when it is not there or no table."""
    at: Any = table
    for key in keys:
        at = at.get(key) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else {}


def _standard(project: dict[str, Any]) -> Iterator[Any]:
    yield from _items(project.get("dependencies"))
    for extra in _at(project, "optional-dependencies").values():
        yield from _items(extra)


def _groups(groups: dict[str, Any]) -> Iterator[Any]:
    """Yield the requirements of PEP 735's groups; one that is included stands in its own."""
    for group in groups.values():
        yield from _items(group)


def _lists(tool: dict[str, Any]) -> Iterator[Any]:
    """Yield the requirements that tools keep in lists."""
    for group in _at(tool, "pdm", "dev-dependencies").values():
        yield from _items(group)
    for name in ("uv", "rye"):
        yield from _items(_at(tool, name).get("dev-dependencies"))
    for environment in _at(tool, "hatch", "envs").values():
        if isinstance(environment, dict):
            yield from _items(environment.get("dependencies"))
            yield from _items(environment.get("extra-dependencies"))
    yield from _items(_at(tool, "flit", "metadata").get("requires"))


def _keys(tool: dict[str, Any]) -> Iterator[str]:
    """Yield the distributions that tools keep as the keys of a table."""
    poetry, pixi = _at(tool, "poetry"), _at(tool, "pixi")
    homes = [poetry, pixi, *_at(poetry, "group").values(), *_at(pixi, "feature").values()]
    for home in homes:
        if isinstance(home, dict):
            for key in ("dependencies", "dev-dependencies", "pypi-dependencies"):
                yield from (normalised(name) for name in _at(home, key) if name != "python")


def _dynamic(tool: dict[str, Any], folder: Path) -> Requirements:
    """Return what setuptools reads the dependencies from."""
    source = _at(tool, "setuptools", "dynamic", "dependencies")
    files = source.get("file")
    named = [files] if isinstance(files, str) else files
    if not isinstance(named, list) or not named:
        return Requirements(unknown="its dependencies are made when it is built")
    return joined(requirements.read(folder / str(name)) for name in named)


def _with_itself(names: Iterable[str], *homes: dict[str, Any]) -> Iterator[str]:
    """Yield the names, and where there are any the project's own."""
    declared = list(names)
    yield from declared
    for home in homes:
        if declared and isinstance(home.get("name"), str):
            yield normalised(home["name"])


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
