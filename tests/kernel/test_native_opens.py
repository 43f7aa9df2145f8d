"""The system may be short of what watches folders: then compiled code is not followed."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_run_inputs import page

from pytest_nbsafe.kernel.inputs.native_opens import NativeOpens

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it has no inotify")


class Short:
    """A system that watches so many folders, and fails then."""

    def __init__(self, most: int, error: int, *, begins: bool = True) -> None:
        self.most, self.error, self.begins = most, error, begins
        self.asked = 0

    def inotify_init1(self, _: int) -> int:
        ctypes.set_errno(self.error)
        return os.open(os.devnull, os.O_RDONLY) if self.begins else -1

    def inotify_add_watch(self, *_: object) -> int:
        self.asked += 1
        ctypes.set_errno(self.error)
        return self.asked if self.asked <= self.most else -1


def is_short(
    folder: Path, system: Short, monkeypatch: pytest.MonkeyPatch, named: Path | None = None
) -> bool:
    """Return whether a run, in which a cell names a folder, is not followed as a whole."""
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: system)
    opens = NativeOpens()
    opens.install(str(folder))
    opens.start()
    if named is not None:
        opens.expect(str(named))
    return opens.is_short


def test_what_the_system_does_not_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    (home / "data").mkdir(parents=True)
    other.mkdir()
    full = errno.ENOSPC
    assert not is_short(home, Short(9, full), monkeypatch, other)
    assert is_short(home, Short(0, full), monkeypatch)
    assert is_short(home, Short(1, full), monkeypatch)
    assert not is_short(home, Short(2, full), monkeypatch)
    assert is_short(home, Short(2, full), monkeypatch, other)
    assert not is_short(home, Short(2, errno.EACCES), monkeypatch, other)
    assert is_short(home, Short(9, errno.EMFILE, begins=False), monkeypatch)
    assert not is_short(home, Short(9, errno.ENOSYS, begins=False), monkeypatch)


def test_what_was_named_stays_unwatched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other, below = tmp_path / "home", tmp_path / "other", tmp_path / "other" / "below"
    home.mkdir()
    below.mkdir(parents=True)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Short(2, errno.ENOSPC))
    opens = NativeOpens()
    opens.install(str(home))
    for folder in (other, below, other):
        opens.start()
        assert not opens.is_short
        opens.expect(str(folder))
        assert opens.is_short


@pytest.mark.kernel
def test_a_cell_that_names_what_is_not_watched(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    with page(home) as nb:
        nb.run(
            "import ctypes, errno\nfrom _nbsafe import bootstrap\nclass Short:\n"
            "    def inotify_add_watch(self, *_):\n"
            "        ctypes.set_errno(errno.ENOSPC)\n        return -1\n"
            "bootstrap.tracers[-1].inputs._native._native._libc = Short()"
        )
        assert nb.hindrances("x = 1") == []
        (told,) = nb.run(f"x = '{other}/a.csv'")["hindrances"]
        assert told["words"] == "the system could not watch all files that compiled code opens"
        assert nb.hindrances("y = x") == [("native", 0)]
        assert nb.hindrances("z = 1") == []


def test_a_link_to_the_program_of_a_process_that_has_ended(tmp_path: Path) -> None:
    """To read it fails, though it is there: `os.path.realpath` of some versions raises."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        (tmp_path / "link").symlink_to(f"/proc/{ended.pid}/exe")
        opens = NativeOpens()
        opens.install(str(tmp_path))
        opens.start()
        (tmp_path / "a.txt").touch()
        assert [str(tmp_path / "a.txt")] == [each.path for each in opens.drain()][:1]
        assert [*opens.links_to(str(tmp_path / "a.txt"))] == []
