"""What setup.cfg declares."""

from __future__ import annotations

from pathlib import Path

from pytest_nbsafe.project import requirements
from pytest_nbsafe.project.requirements import Declaration, names_of, normalised, text_of


def read(file: Path) -> Declaration:
    """Return what a setup.cfg declares, with the files that it names by `file:`."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text_of(file))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        return Declaration(unknown=f"it cannot be read: {error}".splitlines()[0])
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    found = [_of_value(value, file.parent) for value in values]
    names = {name for one in found for name in one.names}
    name = parser.get("metadata", "name", fallback="")
    if names and name:
        names.add(normalised(name))
    return Declaration(frozenset(names), next((one.unknown for one in found if one.unknown), ""))


def _of_value(value: str, folder: Path) -> Declaration:
    if not value.startswith("file:"):
        return Declaration(names_of(line for line in value.splitlines() if line[:1] != "#"))
    files = [name.strip() for name in value.removeprefix("file:").split(",")]
    found = [requirements.read(folder / name) for name in files]
    names = frozenset(name for one in found for name in one.names)
    return Declaration(names, next((one.unknown for one in found if one.unknown), ""))
