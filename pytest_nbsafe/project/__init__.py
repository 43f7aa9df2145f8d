"""The project that a notebook is part of: what it declares to need, and its own modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from pytest_nbsafe import files
from pytest_nbsafe.project import conda, import_paths, requirements, toml_files
from pytest_nbsafe.project.import_paths import ImportPaths
from pytest_nbsafe.project.requirements import Requirements
from pytest_nbsafe.values import dataclass

__all__ = ["Project", "forget", "normalised", "of"]

normalised = requirements.normalised


@dataclass(frozen=True, slots=True)
class Project:
    """What is declared in the folders from a notebook up to the root of its project.

    `declared` are the distributions (normalised as PyPI does) that any of `files` names, None when
    nothing is declared anywhere. `local` are the modules and packages that lie in those folders.
    `unknown` is a sentence that says why something may be declared that is not in `declared`,
    empty when all could be read. `folders` are those from the notebook up to the root, and `paths`
    where else modules are imported from.
    """

    declared: frozenset[str] | None
    local: frozenset[str]
    files: tuple[Path, ...] = ()
    unknown: str = ""
    folders: tuple[Path, ...] = ()
    paths: ImportPaths = ImportPaths()

    @property
    def key(self) -> str:
        """A hash of all that an answer about the project depends on."""
        import hashlib

        parts = (
            "none" if self.declared is None else " ".join(sorted(self.declared)),
            " ".join(sorted(self.local)),
            " ".join(file.name for file in self.files),
            self.unknown,
        )
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).hexdigest()


def of(path: Path) -> Project:
    """Return the project of a notebook; of a file that is broken `unknown` tells.

    The folders between the notebook and the root of its repository (where `.git` is) all count;
    outside of a repository the nearest folder that declares something is the root.
    """
    return _of_folder(files.real(path.parent))


def forget() -> None:
    """Read everything again when it is asked for again."""
    _of_folder.cache_clear()
    _declarations.cache_clear()


@cache
def _of_folder(folder: Path) -> Project:
    chain = _chain(folder)
    declaring = [item for at in chain for item in _declarations(at)]
    declared = frozenset(name for _, declaration in declaring for name in declaration.names)
    paths = import_paths.of(chain)
    searched = (*_with_sources(chain), *paths.all)
    return Project(
        declared=declared or None,
        local=frozenset(name for at in searched for name in _modules(at)),
        files=tuple(file for file, declaration in declaring if declaration.names),
        unknown=next((f"{file.name}: {d.unknown}" for file, d in declaring if d.unknown), ""),
        folders=tuple(chain),
        paths=paths,
    )


def _chain(folder: Path) -> Sequence[Path]:
    """Return the folders of the project that a folder is in, the nearest first."""
    upward = (folder, *folder.parents)
    for position, at in enumerate(upward, start=1):
        if (at / ".git").exists():
            return upward[:position]
    for position, at in enumerate(upward, start=1):
        if any(declared.names for _, declared in _declarations(at)):
            return upward[:position]
    for position, at in enumerate(upward, start=1):
        if any(files.is_file(at / name) for name in _ROOT_FILES):
            return upward[:position]
    return upward[:1]


_ROOT_FILES = ("pyproject.toml", "pytest.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py")
"""What stands at the root of a project that lies in no repository and declares nothing."""


def _with_sources(chain: Iterable[Path]) -> Iterator[Path]:
    for folder in chain:
        yield folder
        yield folder / "src"


# -- what a folder declares ------------------------------------------------------------------------

_WITHIN = ("requirements", "binder", ".binder")
"""Folders in a project that may hold nothing but declarations."""


def _setup(file: Path) -> Requirements:
    from pytest_nbsafe.project import setup_files  # which needs Python's parser

    return setup_files.read(file)


_READERS: dict[str, requirements.Reader] = {
    "pyproject.toml": toml_files.pyproject,
    "Pipfile": toml_files.pipfile,
    "setup.cfg": _setup,
    "setup.py": _setup,
}


@cache
def _declarations(folder: Path) -> tuple[tuple[Path, Requirements], ...]:
    """Return what each declaring file of a folder says, by file name."""
    files: list[tuple[Path, Requirements]] = []
    for name in _listed(folder):
        if reader := _READERS.get(name) or _by_pattern(name):
            files.append((folder / name, reader(folder / name)))
        elif name in _WITHIN:
            files += _inside(folder / name)
    return tuple(files)


def _inside(folder: Path) -> Iterator[tuple[Path, Requirements]]:
    requires = folder.name == "requirements"
    for name in _listed(folder):
        is_list = requires and name.endswith((".txt", ".in"))
        if reader := requirements.read if is_list else _by_pattern(name):
            yield folder / name, reader(folder / name)


def _by_pattern(name: str) -> requirements.Reader | None:
    if "requirements" in name and name.endswith((".txt", ".in")):
        return requirements.read
    if name.endswith((".yml", ".yaml")) and name.startswith(("environment", "conda", "env.")):
        return conda.read
    return None


# -- the modules of a folder -----------------------------------------------------------------------


def _modules(folder: Path) -> Iterator[str]:
    """Yield the modules and packages in a folder."""
    for name in _listed(folder):
        stem = name.partition(".")[0]  # a compiled one is `name.cpython-311-x.so`
        if not stem.isidentifier():
            continue
        if name.endswith((".py", ".so", ".pyd")) or (stem == name and _is_package(folder / name)):
            yield stem


def _is_package(folder: Path) -> bool:
    return any(name.endswith(".py") for name in _listed(folder))


def _listed(folder: Path) -> list[str]:
    """Return the names in a folder, sorted; none when it is no folder or cannot be read."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []
