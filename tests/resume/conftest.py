"""A store that a test has for itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_nbsafe.app import run_store
from pytest_nbsafe.resume import keeping_budget
from pytest_nbsafe.store import place


@pytest.fixture
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep what is kept in a folder of the test, and give another for its notebooks.

    There is time for all that it pays to keep, however slow the machine is just then.
    """
    for share in ("MOST_SHARE", "_WAIT_SHARE"):
        monkeypatch.setattr(keeping_budget, share, 20.0)
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "cache"))
    place.folder.cache_clear()
    run_store.forget()
    folder = tmp_path / "nbs"
    folder.mkdir()
    yield folder
    place.folder.cache_clear()
    run_store.forget()
