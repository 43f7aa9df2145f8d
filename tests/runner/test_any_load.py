"""The same notebook gives the same findings, byte for byte, whatever else the machine has to do."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import percent
import pytest

from pytest_nbsafe.app.run import run
from pytest_nbsafe.reports import json

FIXTURES = Path(__file__).parents[2] / "fixtures"
NOTEBOOKS = [
    *sorted(FIXTURES.glob("rules/nbs[12]0*/*.ipynb")),
    *sorted(FIXTURES.glob("leakage/run/*.txt"))[::3],
]
CORPUS = Path(__file__).parents[3] / "shared" / "notebooks"
UNSEEDED = frozenset({"notebook_visualize_dataset"})
"""Notebooks of others whose findings hang on random numbers that nobody seeds."""
_DURATIONS = re.compile(r'^ *"(?:duration|wall|cpu)_s": .*\n', re.MULTILINE)

pytestmark = pytest.mark.kernel


def corpus() -> list[Path]:
    """Return the notebooks of others that may be run, where they are at hand."""
    if not CORPUS.is_dir():
        return []
    named = (CORPUS / "runnable.txt").read_text(encoding="utf-8").split("\n")
    paths = [*sorted((CORPUS / "gold").glob("*.ipynb")), *(CORPUS / n for n in named if n.strip())]
    return [path for path in paths if path.stem not in UNSEEDED]


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Let as many processes as there are processors compute without end."""
    loops = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def report(path: Path, folder: Path) -> str:
    """Return all that is told of a notebook and what lies beside it, but how long it took."""
    beside = shutil.ignore_patterns("*.ipynb", "*.txt")
    shutil.copytree(path.parent, folder, ignore=beside)
    page = folder / f"{path.stem}.ipynb"
    if path.suffix == ".txt":
        percent.write(percent.parse(path.read_text(encoding="utf-8")), page)
    else:
        shutil.copy(path, page)
    try:
        text = json.render(run([page], {"notes": True}))
    finally:
        shutil.rmtree(folder)
    assert '"findings": ' in text
    return _DURATIONS.sub("", text)


@pytest.mark.corpus
@pytest.mark.parametrize("path", NOTEBOOKS[::10], ids=lambda path: path.stem)
def test_a_busy_machine_tells_the_same(path: Path, tmp_path: Path) -> None:
    alone = report(path, tmp_path / "folder")
    with busy():
        assert report(path, tmp_path / "folder") == alone


@pytest.mark.long
@pytest.mark.parametrize("path", [*NOTEBOOKS, *corpus()], ids=lambda path: path.stem)
def test_ten_runs_tell_the_same(path: Path, tmp_path: Path) -> None:
    reports = [report(path, tmp_path / "folder") for _ in range(5)]
    with busy():
        reports += [report(path, tmp_path / "folder") for _ in range(5)]
    assert reports == reports[:1] * 10
