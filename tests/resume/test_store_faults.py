"""Whatever becomes of the store: the cells run again, and no wrong state is ever restored."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import makenb
import pytest
import tiers

from pytest_nbsafe.app import run_store, session
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.cli import main
from pytest_nbsafe.store.database import VALUES

NB = """
# %% [1]
import time
# %% [2]
time.sleep(0.6)
rows = [7 * number % 1009 for number in range(20_000)]
# %% [3]
assert sum(rows) == 10066806, sum(rows)
"""
EDITED = NB.replace("sum(rows) ==", "len(rows) == 20_000 and sum(rows) ==")
"""It has to run, and needs what is kept."""


def altered(runs: Path, *statements: str) -> None:
    """Execute statements on the store in a folder."""
    with contextlib.closing(sqlite3.connect(runs / "runs.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def only_value(runs: Path) -> Path:
    """Return the file of the store that holds the values."""
    (file,) = (runs / VALUES).iterdir()
    assert file.stat().st_size > 2_000
    return file


def cut(runs: Path) -> None:
    os.truncate(only_value(runs), 1_000)


def emptied(runs: Path) -> None:
    only_value(runs).write_bytes(b"")


def gone(runs: Path) -> None:
    only_value(runs).unlink()


def changed(runs: Path) -> None:
    file = only_value(runs)
    about, held = file.stat(), bytearray(file.read_bytes())
    held[len(held) // 2] ^= 1
    file.write_bytes(held)
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))


class Planted:
    """What does harm when it is loaded."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch harm",)


def planted(runs: Path) -> None:
    file = only_value(runs)
    harm = pickle.dumps({"rows": Planted()}, 5)
    file.write_bytes(harm + bytes(file.stat().st_size - len(harm)))


def of_another_value(runs: Path) -> None:
    file = only_value(runs)
    other = pickle.dumps({"rows": list(range(20_000))}, 5)
    file.write_bytes(other)


def a_folder(runs: Path) -> None:
    file = only_value(runs)
    file.unlink()
    file.mkdir()


def no_folder_of_values(runs: Path) -> None:
    shutil.rmtree(runs / VALUES)
    (runs / VALUES).write_text("a file\n", encoding="utf-8")


def rows_mixed(runs: Path) -> None:
    altered(
        runs, "UPDATE entries SET content = (SELECT content FROM entries ORDER BY made LIMIT 1)"
    )


def rows_cut(runs: Path) -> None:
    altered(runs, "UPDATE entries SET content = substr(content, 1, length(content) / 2)")


def rows_of_other_types(runs: Path) -> None:
    altered(runs, "UPDATE entries SET cost_s = 'much', made = 'long ago', notebook = X'ff'")


def rows_of_another_notebook(runs: Path) -> None:
    altered(runs, "UPDATE entries SET notebook = 'other.ipynb', cost_s = 1000.0")


def database_cut(runs: Path) -> None:
    altered(runs, "PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(runs / "runs.sqlite", (runs / "runs.sqlite").stat().st_size // 2 // 4096 * 4096)


def database_scribbled(runs: Path) -> None:
    altered(runs, "PRAGMA wal_checkpoint(TRUNCATE)")
    file = runs / "runs.sqlite"
    held = bytearray(file.read_bytes())
    for at in range(5_000, len(held), 997):
        held[at] ^= 0xFF
    file.write_bytes(held)


def of_an_older_form(runs: Path) -> None:
    altered(runs, "PRAGMA user_version = 0")


def of_a_newer_form(runs: Path) -> None:
    altered(runs, "ALTER TABLE entries ADD COLUMN later TEXT", "PRAGMA user_version = 99")


def of_a_stranger(runs: Path) -> None:
    (runs / "secret").write_bytes(os.urandom(32))


def without_zstd(runs: Path) -> None:
    """Hide it from the kernel: a module of the notebook's own with its name is not it."""
    (runs.parents[1] / "nbs" / "zstandard.py").write_text("", encoding="utf-8")


FAULTS = (
    *(changed, no_folder_of_values, cut, emptied, gone, planted, of_another_value, a_folder),
    *(rows_mixed, rows_cut, database_cut, database_scribbled, rows_of_other_types),
    rows_of_another_notebook,
    *(of_an_older_form, of_a_newer_form, of_a_stranger, without_zstd),
)


@pytest.mark.parametrize("fault", tiers.spread(30, 5, FAULTS))
def test_a_store_with_a_fault_restores_nothing_wrong(
    own_store: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(own_store)
    runs = own_store.parent / "cache" / "runs"
    page = makenb.write(own_store / "nb.ipynb", NB)
    assert session.examine(page, configuration(page, {"resume": "on"})).findings == ()
    run_store.forget()
    fault(runs)
    makenb.write(page, EDITED)
    for _ in range(3):
        report = session.examine(page, configuration(page, {"resume": "on"}))
        assert report.findings == ()
        assert not (own_store / "harm").exists()
        assert report.notebooks[0].verdict == "clean"
    told = " ".join(report.notebooks[0].remarks)
    assert "3 of 3 runs reused" in told, "it has begun anew, and is of use again"


def test_rows_of_other_types_are_in_no_list(
    own_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = makenb.write(own_store / "nb.ipynb", NB)
    session.examine(page, configuration(page, {"resume": "on"}))
    run_store.forget()
    makenb.write(page, EDITED)
    for change in ("made = 'long ago'", "cost_s = 'much'", "notebook = X'ff'"):
        file = own_store.parent / "cache" / "runs" / "runs.sqlite"
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(f"UPDATE entries SET {change}")
        assert main(["checkout", str(page), "--list"]) == main(["store"]) == 0
        assert "0 of 3 cells kept" in capsys.readouterr().out


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from pytest_nbsafe.cli import main
raise SystemExit(main(["run", "--resume", sys.argv[2]]))
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="there is no such limit")
@pytest.mark.parametrize("most", tiers.by_hand(2, [40_000, 4_000, 80_000]))
def test_a_disk_that_takes_no_more(own_store: Path, most: int) -> None:
    """Each file may be so long: then writing it fails, as on a full disk."""
    (own_store / "zstandard.py").write_text("", encoding="utf-8")  # so that nothing is compressed
    page = makenb.write(own_store / "nb.ipynb", NB)
    for text in (NB, EDITED):
        makenb.write(page, text)
        command = [sys.executable, "-c", LIMITED, str(most), str(page)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "no findings" in ran.stdout
    report = session.examine(page, configuration(page, {"resume": "on"}))
    assert report.findings == ()


COMMAND = [sys.executable, "-m", "pytest_nbsafe", "run", "--resume", "nb.ipynb"]
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


@pytest.mark.corpus
@pytest.mark.skipif(not shutil.which("unshare"), reason="a folder can be made read-only by Linux")
def test_a_folder_that_can_only_be_read(own_store: Path) -> None:
    """Also for root, who may write whatever the mode is."""
    runs = own_store.parent / "cache" / "runs"
    page = makenb.write(own_store / "nb.ipynb", NB)
    session.examine(page, configuration(page, {"resume": "on"}))
    run_store.forget()
    before = {file.name: file.read_bytes() for file in runs.rglob("*") if file.is_file()}
    makenb.write(page, EDITED)
    within = ["unshare", "-rm", "sh", "-c", READ_ONLY, str(runs)]
    if subprocess.run([*within, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no folder may be mounted here")
    ran = subprocess.run(
        [*within, *COMMAND], cwd=own_store, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "no findings" in ran.stdout
    assert "nothing is reused: " in ran.stdout
    assert {f.name: f.read_bytes() for f in runs.rglob("*") if f.is_file()} == before


@pytest.mark.corpus
def test_two_processes_at_once(own_store: Path) -> None:
    page = makenb.write(own_store / "nb.ipynb", NB)
    for text in (NB, EDITED, NB.replace("% 1009", "% 1009 + 0")):
        makenb.write(page, text)
        running = [
            subprocess.Popen(
                COMMAND, cwd=own_store, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        for process in running:
            shown, errors = process.communicate()
            assert (process.returncode, errors) == (0, ""), shown
            assert "no findings" in shown
    ran = subprocess.run(COMMAND, cwd=own_store, capture_output=True, text=True, check=False)
    assert "3 of 3 runs reused" in ran.stdout
