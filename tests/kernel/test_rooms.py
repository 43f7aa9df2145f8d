"""The rooms of the kernel: each imports from those before it, and only the tracer from all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pytest_nbsafe import kernel

FOLDER = Path(kernel.__path__[0])
ROOMS = ("functions", "hashing", "tracing", "learning", "parts", "inputs", "aside", "checkpoint")
BELOW_ALL = {
    *("contract", "checkpoint_contract", "hashes_contract", "learning_contract"),
    *("adapters", "aspects", "audit", "collector", "foreign_threads", "identity"),
    *("installed_files", "open_figures", "open_log", "python_state"),
}
ENTRIES = {"bootstrap"}
"""What tells `aside` what was there when the kernel started."""


def imported(path: Path) -> set[str]:
    """Return the rooms and top files that a file of a room imports, other than its own."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {str(name).split(".")[0] for name in names}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_rooms_before_it(room: str) -> None:
    allowed = (
        BELOW_ALL
        | set(ROOMS[: ROOMS.index(room)])
        | (ENTRIES if room in {"aside", "checkpoint"} else set())
    )
    for path in (FOLDER / room).glob("*.py"):
        assert imported(path) <= allowed, path


def test_adapters_import_no_entry() -> None:
    for path in (FOLDER / "adapters").glob("*.py"):
        assert imported(path) <= {*ROOMS, "aspects"}, path


def test_every_folder_is_a_room() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert folders == {*ROOMS, "adapters"}
