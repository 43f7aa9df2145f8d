"""A copied folder is listed as the original is."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from pytest_nbsafe.kernel import folder_order


def test_a_copy_is_listed_as_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(tmp_path / "root")
    original = tmp_path / "books"
    copy = Path(f"{root}{original}")
    names = [f"{number}.csv" for number in range(40)]
    for folder, order in ((original, names), (copy, names[::-1])):
        folder.mkdir(parents=True)
        for name in order:
            (folder / name).touch()
    (copy / "new.csv").touch()
    expected = [*os.listdir(original), "new.csv"]  # noqa: PTH208  # what the order is of
    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, getattr(os, name))  # it is put back in the end
    monkeypatch.chdir(copy)
    folder_order.install(root)
    assert os.listdir() == expected  # noqa: PTH208
    assert os.listdir(os.fsencode(copy)) == [*map(os.fsencode, expected)]  # noqa: PTH208
    assert [path.name for path in Path().iterdir()] == expected
    assert glob.glob("*.csv") == expected  # noqa: PTH207
    with os.scandir(original) as entries:
        assert [entry.name for entry in entries] == expected[:-1]
    assert [files for _, _, files in os.walk(".")] == [expected]
