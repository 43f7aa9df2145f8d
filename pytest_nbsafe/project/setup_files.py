"""What setup.py and setup.cfg declare; neither is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_nbsafe.project import requirements
from pytest_nbsafe.project.requirements import Requirements, joined, names_of, normalised, text_of

_KEYWORDS = ("install_requires", "extras_require", "tests_require")


def read(file: Path) -> Requirements:
    """Return what a setup.py or a setup.cfg declares."""
    return _script(file) if file.suffix == ".py" else _configuration(file)


def _script(file: Path) -> Requirements:
    """Return what a setup.py declares in literals; what it computes is unknown.

    It mostly computes them from a requirements file beside it, which is read by itself.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text_of(file))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        return Requirements(unknown=f"it cannot be read: {error}")
    constants = dict(_constants(tree))
    names: set[str] = set()
    unknown = ""
    for keyword, value in _given(tree):
        texts = _literal(value, constants)
        if texts is None:
            beside = (file.parent / "requirements.txt").exists()
            unknown = unknown or ("" if beside else f"{keyword} is computed")
        elif keyword == "name":
            names |= {normalised(name) for name in texts if names}
        else:
            names |= names_of(line for item in texts for line in item.splitlines())
    return Requirements(frozenset(names), unknown)


def _given(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the keywords of `setup()` that matter, its name last."""
    given = {
        keyword.arg: keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node.func) == "setup"
        for keyword in node.keywords
    }
    for name in (*_KEYWORDS, "name"):
        if name in given:
            yield name, given[name]


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value


def _literal(node: ast.expr, constants: Mapping[str, ast.expr]) -> list[str] | None:
    """Return the texts of a literal, or of the name of one; None when it is neither."""
    try:
        value = ast.literal_eval(
            constants.get(node.id, node) if isinstance(node, ast.Name) else node
        )
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    return list(_texts(value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _texts(part)


# -- setup.cfg ------------------------------------------------------------------------------------


def _configuration(file: Path) -> Requirements:
    """Return what a setup.cfg declares, with the files that it names by `file:`."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text_of(file))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        return Requirements(unknown=f"it cannot be read: {error}".splitlines()[0])
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    declared = joined(_configured(value, file.parent) for value in values)
    name = parser.get("metadata", "name", fallback="")
    itself = {normalised(name)} if declared.names and name else set()
    return Requirements(declared.names | itself, declared.unknown)


def _configured(value: str, folder: Path) -> Requirements:
    if not value.startswith("file:"):
        return Requirements(names_of(line for line in value.splitlines() if line[:1] != "#"))
    files = [name.strip() for name in value.removeprefix("file:").split(",")]
    return joined(requirements.read(folder / name) for name in files)
