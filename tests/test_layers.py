"""Who may import whom: docs/ARCHITECTURE.md, held against the imports of every file.

Imports run downward only, between rooms and between files, and never in a circle. An import counts
wherever it stands: at the top, within a function, or for types alone.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pytest_nbsafe"

DOCUMENT = Path(__file__).parents[1] / "docs" / "ARCHITECTURE.md"


def _drawing() -> list[list[str]]:
    """Return the rooms of each line of the drawing, the topmost first."""
    lines = DOCUMENT.read_text(encoding="utf-8").partition("## The rooms")[2].splitlines()
    drawn = [line.strip() for line in lines if line.startswith("    ")]
    return [re.split(r" {3,}", line)[0].split() for line in drawn]


def _table() -> dict[str, set[str]]:
    """Return the rows of the table: each room, and the rooms or single files it may import."""
    rows = re.findall(
        r"^\| `(\w+)` \|([^|]*)\|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {room: {name.strip() for name in imports.split(",")} - {""} for room, imports in rows}


LEVELS = {room: level for level, rooms in enumerate(_drawing()) for room in rooms}
MAY_IMPORT = _table()
EVERYWHERE = {"values", "patterns", "sentences", "__init__"}
"""What stands in for `dataclasses` and `re`, words, and the version: for every room."""

HEAVY = {"astroid", "nbclient", "nbformat", "jupyter_client", "IPython"}

MOST_LINES = 400


def _module(path: Path) -> str:
    """Return the name of a file without the package's own: `trace.model`, `plugin.__init__`."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


FILES = {_module(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _asked_for(path: Path) -> Iterator[str]:
    """Yield the full dotted names that a file imports; those of a `from` end in what it takes."""
    folder = ("pytest_nbsafe", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _file_of(name: str) -> str | None:
    """Return the file that a dotted name leads to, or None: it is none of the package's."""
    parts = name.split(".")
    if parts[0] != "pytest_nbsafe":
        return None
    for end in range(len(parts), 0, -1):
        inner = ".".join(parts[1:end])
        for file in (inner, f"{inner}.__init__".lstrip(".")):
            if file in FILES:
                return file
    return None


def _imports(path: Path) -> set[str]:
    """Return the files of the package that a file imports, but itself."""
    imported = {_file_of(name) for name in _asked_for(path)}
    return {file for file in imported if file and FILES[file] != path}


@functools.cache
def all_imports() -> Mapping[str, set[str]]:
    """Return by file what it imports; asked for by tests alone, since every tier collects."""
    return {name: _imports(path) for name, path in FILES.items()}


def _below(start: str, imports: Mapping[str, Iterable[str]]) -> set[str]:
    """Return all that `start` imports, at first hand or through others."""
    reached: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        if (name := waiting.pop()) not in reached:
            reached.add(name)
            waiting += imports[name]
    return reached


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the groups of names that import one another, each with its names in order."""
    reached = {name: _below(name, imports) for name in imports}
    groups = {
        frozenset(other for other in below if name in reached[other])
        for name, below in reached.items()
    }
    return sorted(sorted(group) for group in groups if group)


def _shown(group: list[str]) -> str:
    inner = [f"{a} -> {b}" for a in group for b in sorted(all_imports()[a] & set(group))]
    return f"a circle of {len(group)} files:\n  " + "\n  ".join(inner)


# -- rooms -----------------------------------------------------------------------------------------


def test_the_drawing_and_the_table_hold_every_room_once() -> None:
    rooms = sorted({name.split(".")[0] for name in FILES})
    assert sorted(room for line in _drawing() for room in line) == rooms
    assert sorted(MAY_IMPORT) == rooms


def test_the_table_goes_down_the_drawing() -> None:
    upward = {
        (room, name)
        for room, allowed in MAY_IMPORT.items()
        for name in allowed
        if LEVELS[name.split(".")[0]] <= LEVELS[room]
    }
    assert upward == set()


@pytest.mark.parametrize("name", FILES)
def test_a_file_imports_only_from_rooms_below_it(name: str) -> None:
    room = name.split(".", maxsplit=1)[0]
    allowed = MAY_IMPORT[room] | EVERYWHERE
    outside = {
        file
        for file in all_imports()[name]
        if file.split(".")[0] != room and not {file, file.split(".")[0]} & allowed
    }
    assert outside == set()


def test_the_table_allows_nothing_that_is_not_used() -> None:
    used: dict[str, set[str]] = {room: set() for room in MAY_IMPORT}
    for name, imported in all_imports().items():
        used[name.split(".")[0]] |= {*imported, *(file.split(".")[0] for file in imported)}
    unused = {room: allowed - used[room] for room, allowed in MAY_IMPORT.items()}
    assert {room: names for room, names in unused.items() if names} == {}


PLACES = re.findall(
    r"`([\w/]+\.(?:py|toml)|[\w/]+/)`",
    DOCUMENT.read_text(encoding="utf-8").partition("## The path of a notebook")[2],
)


@pytest.mark.parametrize("place", [place for place in PLACES if "NAME" not in place])
def test_the_places_that_it_names_exist(place: str) -> None:
    assert (PACKAGE / place).exists() or (PACKAGE.parent / place).exists()


# -- files -----------------------------------------------------------------------------------------


def test_circles_are_seen() -> None:
    imports = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}, "e": {"a"}}
    assert circles(imports) == [["b", "c"], ["d"]]


def test_no_files_import_one_another() -> None:
    groups = circles(all_imports())
    assert groups == [], "\n".join(map(_shown, groups))


def test_no_file_is_too_long_to_read() -> None:
    lines = {name: len(path.read_bytes().splitlines()) for name, path in FILES.items()}
    assert {name for name, count in lines.items() if count > MOST_LINES} == set()


LOADED_LATE = {"runner.forking_provisioner", "runner.kernel_client"}
"""By what has loaded such a package itself, and when the first kernel starts."""


@pytest.mark.parametrize("name", FILES)
def test_no_file_imports_a_heavy_package_at_its_top(name: str) -> None:
    if name.startswith("kernel.") or name in LOADED_LATE:
        return
    top = ast.parse(FILES[name].read_text(encoding="utf-8")).body
    packages = {
        (alias.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
        for node in top
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert packages & HEAVY == set()
