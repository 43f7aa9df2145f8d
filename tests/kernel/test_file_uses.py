"""What is written by paths below folders that are open, from a real kernel."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_run_inputs import page

from pytest_nbsafe.kernel.inputs import file_uses

needs_folders = pytest.mark.skipif(
    os.open not in os.supports_dir_fd, reason="the system knows no paths below open folders"
)
WRITES = {
    "os.rename('a', 'b', src_dir_fd=one, dst_dir_fd=two)": ["one/a", "two/b"],
    "os.rename('one/c', 'b', dst_dir_fd=two)": ["one/c", "two/b"],
    "os.rename('d', 'two/b', src_dir_fd=one)": ["one/d", "two/b"],
    "os.link('b', 'e', src_dir_fd=two, dst_dir_fd=one)": ["one/e", "two/b"],
    "os.symlink('nowhere', 'f', dir_fd=two)": ["two/f"],
    "os.chmod('b', 0o600, dir_fd=two)": ["two/b"],
    "os.utime('b', dir_fd=two)": ["two/b"],
    "os.chown('b', os.getuid(), -1, dir_fd=two)": ["two/b"],
    "os.mkdir('g', dir_fd=two)": ["two/g"],
    "os.rmdir('g', dir_fd=two)": ["two/g"],
    "os.remove('b', dir_fd=two)": ["two/b"],
    "os.truncate('one/e', 0)": ["one/e"],
}


@pytest.mark.kernel
@needs_folders
def test_what_is_written_below_open_folders(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    for name in "acd":
        (tmp_path / "one" / name).touch()
    with page(tmp_path) as nb:
        nb.run("import os\none, two = (os.open(name, os.O_RDONLY) for name in ('one', 'two'))")
        for source, written in WRITES.items():
            assert nb.written(source) == written, source
    assert {source.partition("(")[0] for source in WRITES} == file_uses._TOUCHES.keys()


def test_where_an_open_folder_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    def fcntl(number: int, asks: int, room: bytes) -> bytes:
        return {(7, 50): b"/somewhere"}[number, asks].ljust(len(room), b"\0")

    monkeypatch.setitem(sys.modules, "fcntl", SimpleNamespace(F_GETPATH=50, fcntl=fcntl))
    assert file_uses._path_of(7) == "/somewhere"
