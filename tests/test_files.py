"""Files that nobody trusts: what is no regular file, what is too large, what cannot be written."""

import os
import sys
from pathlib import Path

import pytest

from pytest_nbsafe import files

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")
MEGABYTE = files.MEGABYTE


def test_what_is_read_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\r\n\xff")
    assert files.read_bytes(tmp_path / "a") == b"\r\n\xff"
    with pytest.raises(UnicodeDecodeError):
        files.read_text(tmp_path / "a")


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a text")
    (tmp_path / "link").symlink_to("a")
    assert files.read_text(tmp_path / "link") == "a text"


@posix
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pipe", "it is a pipe, not a regular file"),
        ("zero", "it is a device, not a regular file"),
        ("folder", "it is a folder, not a regular file"),
        ("circle", "Too many levels of symbolic links"),
        ("none", "No such file or directory"),
        ("a\0b", "no such path: .*null (byte|character)"),
        ("a" * 5000, "File name too long"),
    ],
)
def test_what_is_no_regular_file_is_not_read(tmp_path: Path, name: str, reason: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=reason):
        files.read_bytes(tmp_path / name)


@pytest.mark.parametrize(("size", "fits"), [(MEGABYTE, True), (MEGABYTE + 1, False)])
def test_a_file_has_a_limit(tmp_path: Path, size: int, fits: bool) -> None:  # noqa: FBT001
    with (tmp_path / "a").open("wb") as stream:
        stream.truncate(size)
    if fits:
        assert len(files.read_bytes(tmp_path / "a", MEGABYTE)) == size
        return
    with pytest.raises(files.TooLargeError, match="it has more than 1 MB"):
        files.read_bytes(tmp_path / "a", MEGABYTE)


@pytest.mark.skipif(sys.platform != "linux", reason="a file that tells no size")
def test_a_file_that_tells_no_size_has_the_same_limit() -> None:
    with pytest.raises(files.TooLargeError):
        files.read_bytes(Path("/proc/self/maps"), most_bytes=10)


@pytest.mark.parametrize("name", ["new.json", "sub/folder/new.json", "old.json"])
def test_asking_whether_a_file_can_be_written_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "old.json").write_text("what was there")
    files.must_be_writable(tmp_path / name, with_folders=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "what was there"


@posix
@pytest.mark.parametrize("name", ["folder", "file/new.json", "a" * 300, "a\0b"])
def test_what_cannot_be_written_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"folder|too long|null|Not a directory"):
        files.must_be_writable(tmp_path / name, with_folders=True)


def test_a_folder_that_is_not_there_is_told_where_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        files.must_be_writable(tmp_path / "sub" / "new.json", with_folders=False)
