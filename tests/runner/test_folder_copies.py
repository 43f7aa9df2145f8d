"""Copies of a folder: what is in them, what is linked, and that all is as it was at first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.runner.folder_copies import FolderCopies, FolderCopy, Limits


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "repo/data/prices.csv": "1",
        "repo/books/nb.ipynb": "{}",
        "repo/books/log.csv": "a row\n",
        "repo/books/sub/deep.txt": "deep",
        "repo/books/.git/HEAD": "ref",
        "repo/books/env/pyvenv.cfg": "",
        "repo/books/env/lib.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "repo/books/link.csv").symlink_to("../data/prices.csv")
    return tmp_path / "repo" / "books"


@pytest.fixture
def copies(folder: Path) -> Iterator[FolderCopies]:
    copies = FolderCopies(folder)
    yield copies
    copies.close()


def fresh(copies: FolderCopies) -> FolderCopy:
    copy = copies.fresh()
    assert copy is not None
    return copy


def test_what_lies_in_and_above_a_copy_is_found_as_before(
    copies: FolderCopies, folder: Path
) -> None:
    here = fresh(copies).folder
    assert {path.name for path in here.iterdir()} == {path.name for path in folder.iterdir()}
    assert (here / "../data/prices.csv").read_text() == "1"
    assert (here / "../../../" / folder.parts[-3] / "repo/data/prices.csv").exists()
    assert (here / "sub/deep.txt").read_text() == "deep"
    assert (here / "link.csv").read_text() == "1"
    linked = [path.name for path in here.iterdir() if path.is_symlink()]
    assert sorted(linked) == [".git", "env", "link.csv"]
    assert (here / "log.csv").stat().st_mtime == (folder / "log.csv").stat().st_mtime


def test_a_copy_that_nothing_has_changed_serves_again(copies: FolderCopies) -> None:
    here = fresh(copies).folder
    (here / "log.csv").read_text()
    assert fresh(copies).folder == here
    assert (here / "log.csv").exists()


@pytest.mark.parametrize("written", ["log.csv", "new/deep/", "../beside.csv"])
def test_what_is_written_in_one_is_in_no_other(
    copies: FolderCopies, folder: Path, written: str
) -> None:
    first = fresh(copies).folder
    if written.endswith("/"):
        (first / written).mkdir(parents=True)
    else:
        (first / written).write_text("more than before")
    second = fresh(copies).folder
    assert (second / "log.csv").read_text() == (folder / "log.csv").read_text() == "a row\n"
    assert [(here / "new").exists() for here in (folder, second)] == [False, False]
    assert [(here / "../beside.csv").exists() for here in (folder, second)] == [False, False]
    copies.close()
    assert (first.exists(), second.exists()) == (False, False)
    assert (folder / "env/lib.py").exists()


def test_a_copy_is_kept_of_what_was_there_before(copies: FolderCopies, folder: Path) -> None:
    copies.fresh()
    (folder / "log.csv").write_text("the clean run's")
    assert (fresh(copies).folder / "log.csv").read_text() == "a row\n"


def test_what_came_since_is_left_out(copies: FolderCopies, folder: Path) -> None:
    copies.note_first()
    (folder / "made").mkdir()
    (folder / "made" / "by_a_run.txt").write_text("")
    (folder / "sub" / "new.txt").write_text("")
    copy = fresh(copies)
    here = {str(path.relative_to(copy.folder)) for path in copy.folder.rglob("*.txt")}
    assert here == {"sub/deep.txt"}
    assert not (copy.folder / "made").exists()
    assert (copy.folder / "log.csv").read_text() == "a row\n"


def test_what_a_run_has_put_beside_the_folder_is_no_part_of_a_copy(
    copies: FolderCopies, folder: Path
) -> None:
    (fresh(copies).folder / "log.csv").write_text("a run's")
    (folder / "../beside.csv").write_text("the clean run's")
    assert not (fresh(copies).folder / "../beside.csv").exists()


def test_paths_and_texts_are_translated(copies: FolderCopies, folder: Path) -> None:
    copy = fresh(copies)
    assert copy.hide(f"File {copy.folder}/a.py".encode()) == f"File {folder}/a.py".encode()
    assert copy.of(str(folder / "sub")) == str(copy.folder / "sub")
    assert copy.of(str(folder.parent)) == str(folder.parent)


def test_large_files_are_linked_where_all_is_too_much(folder: Path) -> None:
    (folder / "large.bin").write_bytes(b"x" * 2_000)
    copies = FolderCopies(folder, Limits(bytes=1_000, large_bytes=500))
    here = fresh(copies).folder
    assert [(here / name).is_symlink() for name in ("large.bin", "log.csv")] == [True, False]
    copies.close()


@pytest.mark.parametrize("limits", [Limits(files=2), Limits(bytes=3)])
def test_a_folder_that_is_too_large_is_not_copied(folder: Path, limits: Limits) -> None:
    copies = FolderCopies(folder, limits)
    assert copies.fresh() is None
    copies.close()


def test_a_folder_with_too_many_files_is_not_noted(folder: Path) -> None:
    copies = FolderCopies(folder, Limits(files=3))
    copies.note_first()
    assert not copies.possible


@pytest.mark.parametrize("is_copied", [False, True])
@pytest.mark.parametrize("is_copy_used", [False, True])
def test_what_a_run_in_the_folder_has_written_is_taken_back(
    copies: FolderCopies, folder: Path, *, is_copied: bool, is_copy_used: bool
) -> None:
    copies.note_first()
    here = fresh(copies).folder if is_copied else fresh(FolderCopies(folder)).folder
    if is_copy_used:
        (here / "log.csv").write_text("of another run")
    written = [folder / name for name in ("made", "made/out.csv", "new.csv", "log.csv")]
    written[0].mkdir()
    for path in written[1:]:
        path.write_text("a row of the run")
    (folder / "untold.csv").write_text("of somebody else")
    copies.note_written([*map(str, written), "/elsewhere/file"])
    copies.take_back()
    assert [path.exists() for path in written] == [False, False, False, True]
    is_back = written[-1].read_text() == "a row\n"
    assert is_back == (is_copied and not is_copy_used)
    assert (folder / "untold.csv").exists()
    (folder / "new.csv").write_text("later")
    copies.take_back()
    assert (folder / "new.csv").exists()
