"""Copies of a folder, one for each kernel."""

from __future__ import annotations

from pathlib import Path

from pytest_nbsafe.runner.workspace import Workspace


def test_each_copy_is_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("1", encoding="utf-8")
    space = Workspace(tmp_path)
    first, environ = space.fresh()
    (first / "sub" / "a.txt").write_text("2", encoding="utf-8")
    (tmp_path / "late.txt").write_text("3", encoding="utf-8")
    second, other = space.fresh()
    assert (second / "sub" / "a.txt").read_text(encoding="utf-8") == "1"
    assert not (second / "late.txt").exists()
    assert environ["TMPDIR"] != other["TMPDIR"]
    space.close()
    assert not first.exists()
    assert not Path(environ["TMPDIR"]).exists()


def test_large_files_and_tools_folders_are_linked(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("x" * 11, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    space = Workspace(tmp_path, large_bytes=10)
    copy, _ = space.fresh()
    assert (copy / "big").is_symlink()
    assert (copy / ".git").is_symlink()
    assert (copy / "big").read_text(encoding="utf-8") == "x" * 11
    space.close()
    assert (tmp_path / "big").exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "round").symlink_to(folder, target_is_directory=True)
    (folder / "nowhere").symlink_to(tmp_path / "gone")
    space = Workspace(folder)
    copy, _ = space.fresh()
    assert (copy / "round").is_symlink()
    assert (copy / "nowhere").is_symlink()
    space.close()


def test_a_folder_that_is_too_large_is_shared(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("", encoding="utf-8")
    space = Workspace(tmp_path, most_files=2)
    folder, environ = space.fresh()
    assert space.shared
    assert folder == tmp_path
    assert "TMPDIR" in environ
    space.close()
    assert (tmp_path / "a").exists()
