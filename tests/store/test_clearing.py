"""All that is kept is removed, also where nothing can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_nbsafe.store import clearing, database
from pytest_nbsafe.store.database import Store

VALUE = "a" * 32
"""The name of a file of values."""
resource = pytest.importorskip("resource", reason="there is no such limit")

ON_A_FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from pytest_nbsafe.cli import main
raise SystemExit(main(["store", "--clear"]))
"""
"""No file takes a byte."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "CACHEDIR.TAG").touch()
    store = database.opened(tmp_path / "runs")
    store.add("c", "q", "nb.ipynb", {"answer": 1}, 1.5, [(VALUE, 5)])
    (store.folder / database.VALUES).mkdir()
    (store.folder / database.VALUES / VALUE).write_bytes(b"12345")
    return store


def cleared_on_a_full_disk(store: Store) -> tuple[int, str]:
    """Return the code of the command, and what it says."""
    ran = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK],
        env={**os.environ, "NBSAFE_CACHE_DIR": str(store.folder.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_all_is_removed(store: Store) -> None:
    folder = store.folder
    store.close()
    assert clearing.clear(folder) > 0
    assert [*(folder / database.VALUES).iterdir()] == []
    assert database.opened(folder).sizes() == ((), 0)


def test_on_a_full_disk_the_files_are_removed(store: Store) -> None:
    folder = store.folder
    store.close()
    code, said = cleared_on_a_full_disk(store)
    assert (code, said[-10:]) == (0, "B removed\n")
    assert [file.name for file in folder.rglob("*") if file.is_file()] == ["secret"]
    assert database.opened(folder).sizes() == ((), 0)


def test_on_a_full_disk_files_of_others_stay(store: Store) -> None:
    foreign = store.folder / database.VALUES / "thesis.txt"
    foreign.write_bytes(b"12345")
    store.close()
    assert cleared_on_a_full_disk(store)[0] == 0
    assert [*foreign.parent.iterdir()] == [foreign]


def test_what_lies_behind_a_link_stays(store: Store) -> None:
    values = store.folder / database.VALUES
    foreign = values.rename(store.folder.parent / "foreign")
    values.symlink_to(foreign)
    store.close()
    code, said = cleared_on_a_full_disk(store)
    assert (code, "values is not a folder of yours" in said) == (2, True)
    assert [*foreign.iterdir()] == [foreign / VALUE]


def test_what_another_process_has_open_stays(store: Store) -> None:
    code, said = cleared_on_a_full_disk(store)
    assert (code, "another process has it open" in said) == (2, True)
    assert [*(store.folder / database.VALUES).iterdir()] == [], "these are what takes room"
    assert len(store.entries("c", "q")) == 1
    store.add("c", "other", "nb.ipynb", {}, 0.0)
    assert not store.silent
