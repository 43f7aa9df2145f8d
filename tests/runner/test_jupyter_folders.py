"""Folders of Jupyter and IPython that cannot be written: all works, and nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from makenb import CLEAN, write
from tiers import every

from pytest_nbsafe.runner.installed_kernels import kernel_specs
from pytest_nbsafe.runner.jupyter_folders import writable_environ

VARIABLES = (
    "IPYTHONDIR", "HOME", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR",
    "XDG_CACHE_HOME",
)  # fmt: skip


@pytest.mark.kernel
@pytest.mark.skipif(sys.platform == "win32", reason="the folders are others there")
@pytest.mark.parametrize("variable", every(6, VARIABLES))
@pytest.mark.parametrize("command", ["pytest_nbsafe run", "pytest -W error --nbsafe -q"])
def test_a_file_where_a_folder_is_to_be(tmp_path: Path, variable: str, command: str) -> None:
    write(tmp_path / "books" / "nb.ipynb", CLEAN)
    (tmp_path / "temporary").mkdir()
    (tmp_path / "file").touch()
    done = subprocess.run(
        [sys.executable, "-m", *command.split(), "nb.ipynb"],
        cwd=tmp_path / "books",
        env={
            **os.environ,
            variable: str(tmp_path / "file"),
            "TMPDIR": str(tmp_path / "temporary"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("no findings" in done.stdout) or ("3 passed" in done.stdout)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_folder_of_ipython_is_made_by_nobody_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "new"))
    assert str(tmp_path / "new" / "kernels") in kernel_specs().kernel_dirs
    assert writable_environ(tmp_path) == {}
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert writable_environ(tmp_path) == {"IPYTHONDIR": str(tmp_path / "ipython")}
    assert list(tmp_path.iterdir()) == []
