"""What setup.cfg declares."""

from __future__ import annotations

from pathlib import Path

from pytest_nbsafe.project import requirements
from pytest_nbsafe.project.requirements import Requirements, joined, names_of, normalised, text_of


def read(file: Path) -> Requirements:
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
    declared = joined(_of_value(value, file.parent) for value in values)
    name = parser.get("metadata", "name", fallback="")
    itself = {normalised(name)} if declared.names and name else set()
    return Requirements(declared.names | itself, declared.unknown)


def _of_value(value: str, folder: Path) -> Requirements:
    if not value.startswith("file:"):
        return Requirements(names_of(line for line in value.splitlines() if line[:1] != "#"))
    files = [name.strip() for name in value.removeprefix("file:").split(",")]
    return joined(requirements.read(folder / name) for name in files)
