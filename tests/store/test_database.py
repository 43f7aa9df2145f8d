"""The store of runs: what is kept is given again, and nothing that is not ours is."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from pytest_nbsafe.store import database, eviction, signing
from pytest_nbsafe.store.database import Store, StoreRefused

HELD = {"answer": [1, 2, {"a": "ä"}]}


HELD_FILE, LOST_FILE, COMING_FILE = "a" * 32, "b" * 32, f"{'c' * 32}.1234.part"
"""Names of files of values: held by a row, by none any more, and on its way."""


def contents(store: Store, context: str = "c", question: str = "q") -> list[object]:
    return [dict(entry.content) for entry in store.entries(context, question)]


def kept(folder: Path) -> Path:
    """Return the file of a store in which one answer is kept."""
    store = database.opened(folder)
    store.add("c", "q", "nb.ipynb", HELD, 1.5)
    store.close()
    return folder / "runs.sqlite"


def test_what_is_kept_is_given_again_by_another_process(tmp_path: Path) -> None:
    file = kept(tmp_path / "runs")
    store = database.opened(file.parent)
    (entry,) = store.entries("c", "q")
    assert (entry.content, entry.notebook, entry.cost_s) == (HELD, "nb.ipynb", 1.5)
    assert contents(store, "other") == contents(store, question="other") == []
    (size,), _ = store.sizes()
    assert (size.notebook, size.entries, size.cost_s) == ("nb.ipynb", 1, 1.5)
    store.forget([entry.id])
    assert contents(store) == []


def test_the_last_answer_comes_first_and_the_oldest_go(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    for number in range(12):
        store.add("c", "q", "nb.ipynb", {"n": number}, 0.0)
    assert contents(store) == [{"n": number} for number in range(11, 3, -1)]


def test_the_last_answer_comes_first_when_the_clock_was_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = database.opened(tmp_path / "runs")
    for number in range(12):
        monkeypatch.setattr(time, "time", lambda: 2e9 - 100.0 * number)  # noqa: B023
        store.add("c", "q", "nb.ipynb", {"n": number}, 0.0)
    assert contents(store) == [{"n": number} for number in range(11, 3, -1)]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_nobody_else_may_read_or_write_it(tmp_path: Path) -> None:
    file = kept(tmp_path / "runs")
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert (file.parent / "secret").stat().st_mode & 0o777 == 0o600
    (file.parent / "secret").chmod(0o644)
    with pytest.raises(StoreRefused, match="chmod 600"):
        database.opened(file.parent)
    (file.parent / "secret").chmod(0o600)
    file.parent.chmod(0o755)
    with pytest.raises(StoreRefused, match="chmod 700"):
        database.opened(file.parent)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET content = (SELECT content FROM entries WHERE question = 'other')",
        "UPDATE entries SET context = 'd'",
        "UPDATE entries SET signature = zeroblob(32)",
        "UPDATE entries SET signature = ''",
        "UPDATE entries SET content = zeroblob(8)",
        "UPDATE entries SET notebook = 'other.ipynb'",
        "UPDATE entries SET cost_s = 10.0",
        "UPDATE entries SET cost_s = 'much'",
        "UPDATE entries SET made = 'long ago'",
        "UPDATE entries SET made = X'00'",
    ],
)
def test_a_row_that_was_changed_is_no_row(tmp_path: Path, change: str) -> None:
    file = kept(tmp_path / "runs")
    store = database.opened(file.parent)
    store.add("c", "other", "nb.ipynb", {"answer": "another"}, 0.0)
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"{change} WHERE question = 'q'")
    assert contents(store, "d" if "context" in change else "c") == []
    assert contents(store, question="other") == [{"answer": "another"}]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET notebook = X'FF'",
        "UPDATE entries SET cost_s = 'much'",
        "UPDATE entries SET used = 'long ago'",
        "UPDATE entries SET content = 7",
        "UPDATE files SET size = 'large'",
        "UPDATE files SET size = X'FF'",
        "UPDATE files SET size = 9e999",
    ],
)
def test_sizes_are_those_of_rows_that_are_whole(tmp_path: Path, change: str) -> None:
    file = kept(tmp_path / "runs")
    store = database.opened(file.parent)
    store.add("c", "q", "wrong.ipynb", {}, 2.5, [(HELD_FILE, 5)])
    where = "" if "files" in change else " WHERE notebook = 'wrong.ipynb'"
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"{change}{where}")
    sizes = {size.notebook: size for size in store.sizes()[0]}
    assert sizes.keys() == {"nb.ipynb"} | ({"wrong.ipynb"} if "files" in change else set())
    assert {type(size.bytes) for size in sizes.values()} == {int}
    assert database.opened(file.parent).prune() == 0


def test_the_store_of_another_secret_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept(tmp_path / "runs")
    monkeypatch.setenv(signing.VARIABLE, "the pipeline's")
    store = database.opened(file.parent)
    assert contents(store) == []
    store.add("c", "q", "nb.ipynb", {"answer": "signed"}, 0.0)
    assert contents(store) == [{"answer": "signed"}]
    monkeypatch.delenv(signing.VARIABLE)
    assert contents(database.opened(file.parent)) == [HELD]


@pytest.mark.parametrize("part", [0, 10, 100, 5000])
def test_a_file_that_is_cut_or_foreign_begins_anew(tmp_path: Path, part: int) -> None:
    file = kept(tmp_path / "runs")
    whole = file.read_bytes()
    file.write_bytes(whole[:part] if part != 100 else b"not a database at all" * 100)
    store = database.opened(file.parent)
    assert contents(store) == []
    store.add("c", "q", "nb.ipynb", {"answer": "again"}, 0.0)
    assert contents(database.opened(file.parent)) in ([{"answer": "again"}], [])


def test_a_file_that_breaks_while_it_is_open_is_closed_before_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept(tmp_path / "runs")
    store = database.opened(file.parent)
    file.write_bytes(b"not a database at all" * 1000)
    removed: list[Path] = []

    def remove(file: Path) -> None:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            store._connection.execute("SELECT 1")
        removed.append(file)

    monkeypatch.setattr(database, "remove", remove)
    assert contents(store) == []
    assert (removed, bool(store.silent)) == ([file], True)
    assert store.add("c", "q", "nb.ipynb", HELD, 0.0)
    assert contents(store) == [*store.of_notebook("c", "nb.ipynb")] == []
    assert not store.holds(["an entry"])
    store.mark_used(["an entry"])
    store.forget(["an entry"])
    for refused in (store.prune, store.clear, store.sizes):
        with pytest.raises(StoreRefused, match="closed"):
            refused()
    store.close()
    assert removed == [file], "once"


def test_an_older_form_is_removed(tmp_path: Path) -> None:
    file = kept(tmp_path / "runs")
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA user_version = 0")
        connection.execute("ALTER TABLE entries RENAME COLUMN used TO seldom")
    store = database.opened(file.parent)
    assert contents(store) == []
    store.add("c", "q", "nb.ipynb", HELD, 0.0)
    assert contents(store) == [HELD]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreRefused, match="cannot be used"):
        database.opened(tmp_path / "runs")


def test_a_full_disk_keeps_what_is_there(tmp_path: Path) -> None:
    file = kept(tmp_path / "runs")
    store = database.opened(file.parent)
    store._connection.execute("PRAGMA max_page_count = 10")
    for number in range(50):
        store.add("c", f"q{number}", "nb.ipynb", {"a": os.urandom(2000).hex()}, 0.0)
    assert "full" in store.silent
    assert contents(store) == [HELD]
    store.close()
    assert contents(database.opened(file.parent)) == [HELD]


def test_a_link_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "runs").symlink_to(tmp_path / "real")
    with pytest.raises(StoreRefused, match="not a folder of yours"):
        database.opened(tmp_path / "runs")


@pytest.mark.parametrize("target", ["foreign", "gone"])
def test_a_link_is_no_folder_of_values(tmp_path: Path, target: str) -> None:
    folder, foreign = kept(tmp_path / "runs").parent, tmp_path / "foreign"
    foreign.mkdir()
    for name in ("thesis.txt", LOST_FILE):
        (foreign / name).write_bytes(b"12345")
        os.utime(foreign / name, (0, 0))
    (folder / database.VALUES).symlink_to(tmp_path / target)
    with pytest.raises(StoreRefused, match="values is not a folder of yours"):
        database.opened(folder)
    assert sorted(item.name for item in foreign.iterdir()) == [LOST_FILE, "thesis.txt"]


def test_only_files_of_values_are_removed(tmp_path: Path) -> None:
    values = kept(tmp_path / "runs").parent / database.VALUES
    values.mkdir()
    foreign = {"notes.txt", "A" * 32, f"{LOST_FILE}.txt", "my.part", "tmpfile"}
    for name in {*foreign, LOST_FILE, COMING_FILE, "tmp0a_9bcd8"}:
        (values / name).write_bytes(b"12345")
        os.utime(values / name, (0, 0))
    database.opened(values.parent)
    assert {item.name for item in values.iterdir()} == foreign


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from pytest_nbsafe.store import database
        store = database.opened(Path({str(tmp_path / "runs")!r}))
        for number in range(100):
            store.add("c", f"{{sys.argv[1]}}-{{number}}", "nb.ipynb", {{"n": number}}, 0.0)
        assert not store.silent, store.silent
    """)
    writers = [subprocess.Popen([sys.executable, "-c", script, str(n)]) for n in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0], "see what they wrote to stderr"
    store = database.opened(tmp_path / "runs")
    assert all(contents(store, question=f"{w}-{n}") for w in range(2) for n in range(100))


def test_what_is_quick_to_make_again_for_its_size_goes_first(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    noise = [os.urandom(20_000).hex() for _ in range(4)]
    for number, (text, cost_s) in enumerate(zip(noise, (9.0, 0.1, 5.0, 0.2), strict=True)):
        store.add("c", f"q{number}", "nb.ipynb", {"text": text}, cost_s)
    assert store.prune(10**9) == 0
    assert store.prune(60_000) > 30_000
    assert [bool(contents(store, question=f"q{n}")) for n in range(4)] == [True, False, True, False]
    store.clear()
    assert store.sizes() == ((), 0)


def test_what_several_rows_hold_goes_with_the_last(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    for number, (file, cost_s) in enumerate([("a", 0.1), ("a", 0.2), ("b", 9.0)]):
        store.add("c", f"q{number}", "nb.ipynb", {}, cost_s, [(file * 32, 50_000)])
    assert store.prune(60_000) >= 50_000
    assert [bool(contents(store, question=f"q{n}")) for n in range(3)] == [False, False, True]


def test_what_is_held_by_none_makes_room_first(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    store.forget([store.add("c", "q", "nb.ipynb", {}, 1.0, [(LOST_FILE, 50_000)])])
    store.add("c", "r", "nb.ipynb", HELD, 1.0, [(HELD_FILE, 50_000)])
    assert store.prune(60_000) == 50_000
    assert contents(store, question="r") == [HELD]


def test_what_several_rows_hold_is_counted_once(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    for notebook in ("nb.ipynb", "nb.ipynb", "other.ipynb"):
        store.add("c", "q", notebook, {}, 1.0, [(HELD_FILE, 50_000)])
    sizes, all_bytes = store.sizes()
    assert [(size.notebook, size.bytes // 1000) for size in sizes] == [
        ("nb.ipynb", 50),
        ("other.ipynb", 50),
    ]
    assert all_bytes // 1000 == 50
    assert store.prune(40_000) == all_bytes


def test_files_of_values_go_with_the_last_row_that_names_them(tmp_path: Path) -> None:
    store = database.opened(tmp_path / "runs")
    values = tmp_path / "runs" / database.VALUES
    values.mkdir()
    for name in (HELD_FILE, COMING_FILE, LOST_FILE):
        (values / name).write_bytes(b"12345")
    os.utime(values / LOST_FILE, (0, 0))
    first = store.add("c", "q", "nb.ipynb", {}, 1.0, [(HELD_FILE, 5)])
    second = store.add("c", "r", "other.ipynb", {}, 1.0, [(HELD_FILE, 5)])
    sizes = {size.notebook: size.bytes for size in store.sizes()[0]}
    assert sizes["nb.ipynb"] == sizes["other.ipynb"] > 5
    store.forget([first])
    store.prune()
    assert sorted(item.name for item in values.iterdir()) == [HELD_FILE, COMING_FILE]
    store.forget([second])
    store.prune()
    assert [item.name for item in values.iterdir()] == [COMING_FILE]
    assert eviction.MOST_BYTES == 2 * 1024**3


KILLED = """
import sys, time
from pathlib import Path
from pytest_nbsafe.store import database
store = database.opened(Path(sys.argv[1]))
print("up", flush=True)
number = 0
while True:
    number += 1
    store.add("c", "q", "nb.ipynb", {"n": number, "again": number, "much": "x" * 50_000}, 0.0)
"""


@pytest.mark.parametrize("rounds", [6])
def test_a_writer_that_is_killed_leaves_whole_rows(tmp_path: Path, rounds: int) -> None:
    for number in range(rounds):
        writer = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / "runs")], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(0.02 + 0.03 * number)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        store = database.opened(tmp_path / "runs")
        for entry in store.entries("c", "q"):
            assert entry.content["n"] == entry.content["again"]
        store.close()
