"""From which folders of a repository modules are imported, besides the notebook's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import files
from pytest_nbsafe.project.requirements import text_of
from pytest_nbsafe.project.toml_files import inner, items, read_table
from pytest_nbsafe.values import dataclass

_PACKAGE_MARK = "__init__.py"


@dataclass(frozen=True, slots=True)
class ImportPaths:
    """Folders that are searched for modules.

    `tests` are those that pytest puts before what is installed (its `pythonpath`, and the folders
    of conftest files); `sources` hold packages of the project as it would be installed.
    """

    tests: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[Path, ...]:
        """All of them, in the order in which they are searched."""
        return tuple(map(Path, (*self.tests, *self.sources)))


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """What a file says to pytest: `table` is where its options stand, `file` None without one."""

    file: Path | None
    table: str
    pythonpath: tuple[str, ...] = ()
    options: str = ""

    def with_path(self, folder: Path, root: Path) -> str:
        """Return what to write, and where, so that a folder is searched too."""
        file = self.file or root / "pyproject.toml"
        added = Path(os.path.relpath(folder, files.real(file.parent))).as_posix()
        paths = [*self.pythonpath, added]
        quoted = "[" + ", ".join(f'"{path}"' for path in paths) + "]"
        value = quoted if file.suffix == ".toml" else " ".join(paths)
        return f"`pythonpath = {value}` to [{self.table}] in {file.name}"


def of(chain: Sequence[Path]) -> ImportPaths:
    """Return the import paths of a notebook; `chain` are the folders of its project upward."""
    settings = pytest_settings(chain)
    tests: dict[str, None] = {}
    if settings.file is not None:
        for name in settings.pythonpath:
            tests.update(_folder(settings.file.parent / name))
    if "importlib" not in settings.options:
        for folder in reversed(chain):
            if files.is_file(folder / "conftest.py"):
                tests.update(_folder(_outside_of_packages(folder)))
    sources = dict(pair for folder in chain for pair in _sources(folder).items())
    return ImportPaths(tuple(tests), tuple(name for name in sources if name not in tests))


def _folder(path: Path) -> dict[str, None]:
    """Return a folder as the key of a dictionary, none where there is no such folder."""
    return {str(files.real(path)): None} if files.is_folder(path) else {}


def _outside_of_packages(folder: Path) -> Path:
    """Return the nearest folder upward that is no package: pytest imports from there."""
    while files.is_file(folder / _PACKAGE_MARK) and folder.parent != folder:
        folder = folder.parent
    return folder


# -- what pytest is told ---------------------------------------------------------------------------


def pytest_settings(chain: Sequence[Path]) -> PytestSettings:
    """Return the options of pytest in the nearest file that holds some.

    Source: pytest's documentation, "Initialization: determining rootdir and configfile".
    """
    for folder in chain:
        for name, read in _PYTEST_FILES.items():
            file = folder / name
            settings = read(file) if files.is_file(file) else None
            if settings is not None:
                return settings
    return PytestSettings(None, "tool.pytest.ini_options")


def _of_toml(*tables: str) -> Callable[[Path], PytestSettings | None]:
    def read(file: Path) -> PytestSettings | None:
        document, _ = read_table(file)
        for table in tables:
            keys = table.split(".")
            if isinstance(inner(document, *keys[:-1]).get(keys[-1]), dict):
                options = inner(document, *keys)
                return PytestSettings(
                    file, table, _words(options.get("pythonpath")), str(options.get("addopts", ""))
                )
        return None

    return read


def _of_ini(section: str) -> Callable[[Path], PytestSettings | None]:
    def read(file: Path) -> PytestSettings | None:
        sections = _sections(file)
        if section not in sections:
            return None
        options = sections[section]
        paths = _words(options.get("pythonpath"))
        return PytestSettings(file, section, paths, options.get("addopts", ""))

    return read


def _words(value: Any) -> tuple[str, ...]:
    """Return the paths of an option: a list of them, or a text with spaces between."""
    listed = value.split() if isinstance(value, str) else items(value)
    return tuple(item for item in listed if isinstance(item, str) and "\0" not in item)


_PYTEST_FILES: dict[str, Callable[[Path], PytestSettings | None]] = {
    "pytest.toml": _of_toml("pytest"),
    ".pytest.toml": _of_toml("pytest"),
    "pytest.ini": _of_ini("pytest"),
    ".pytest.ini": _of_ini("pytest"),
    "pyproject.toml": _of_toml("tool.pytest.ini_options", "tool.pytest"),
    "tox.ini": _of_ini("pytest"),
    "setup.cfg": _of_ini("tool:pytest"),
}


def _sections(file: Path) -> dict[str, dict[str, str]]:
    """Return the sections of an ini file, none where it cannot be read."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text_of(file))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


# -- where the packages of a project lie -----------------------------------------------------------


def _sources(folder: Path) -> dict[str, None]:
    """Return the folders in a folder of the project whose packages are installed from there."""
    names = [*_of_pyproject(folder / "pyproject.toml"), *_of_setup_cfg(folder / "setup.cfg")]
    if _holds_package(folder / "src"):
        names.append("src")
    root = files.real(folder)
    sources: dict[str, None] = {}
    for name in names:
        if isinstance(name, str) and "\0" not in name:
            path = files.real(folder / name)
            if root in path.parents:
                sources.update(_folder(path))
    return sources


def _of_pyproject(file: Path) -> Iterator[object]:
    """Yield what the tools that build a project say of where its packages lie."""
    if not files.is_file(file):
        return
    tool = inner(read_table(file)[0], "tool")
    setuptools = inner(tool, "setuptools")
    yield inner(setuptools, "package-dir").get("")
    yield from items(inner(setuptools, "packages", "find").get("where"))
    for hatch in (inner(tool, "hatch", "build"), inner(tool, "hatch", "build", "targets", "wheel")):
        yield from items(hatch.get("sources"))
        for package in items(hatch.get("packages")):
            yield str(Path(str(package)).parent)
    for package in items(inner(tool, "poetry").get("packages")):
        yield package.get("from") if isinstance(package, dict) else None
    yield inner(tool, "pdm", "build").get("package-dir")
    yield inner(tool, "uv", "build-backend").get("module-root")
    yield inner(tool, "maturin").get("python-source")


def _of_setup_cfg(file: Path) -> Iterator[str]:
    sections = _sections(file) if files.is_file(file) else {}
    for line in sections.get("options", {}).get("package_dir", "").splitlines():
        package, _, folder = line.partition("=")
        if folder and not package.strip():
            yield folder.strip()
    yield sections.get("options.packages.find", {}).get("where", "").strip()


def _holds_package(folder: Path) -> bool:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return False
    return any(files.is_file(entry / _PACKAGE_MARK) for entry in entries)
