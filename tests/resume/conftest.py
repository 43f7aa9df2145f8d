"""A store that a test has for itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.app import run_store
from pytest_nbsafe.store import place


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep what is kept in a folder of the test, and give another for its notebooks."""
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "cache"))
    place.folder.cache_clear()
    run_store.forget()
    folder = tmp_path / "nbs"
    folder.mkdir()
    yield folder
    place.folder.cache_clear()
    run_store.forget()
