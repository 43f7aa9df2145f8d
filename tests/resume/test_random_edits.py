"""Whatever is edited: a resumed run tells, and holds, what a full one does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from resume import random_edits

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "NBSAFE_EDITED_NOTEBOOKS"
"""Names a folder of notebooks, all of which may be executed, in place of those in `shared`."""
SEED = int(os.environ.get("NBSAFE_EDITS_SEED", "1"))
SHARED = Path(os.environ.get("NBSAFE_SHARED", ROOT.parent / "shared"))
OWN = (
    ("papers/nbsafety_fig1.ipynb", 3),
    ("rules/nbs205/counted_twice.ipynb", 4),
    ("rules/nbs404/a_list_of_a_set.ipynb", 5),
)


def given() -> Iterator[tuple[Path, int]]:
    """Yield notebooks that may be executed, each with how often it is edited."""
    if VARIABLE in os.environ:
        yield from ((path, 3) for path in sorted(Path(os.environ[VARIABLE]).rglob("*.ipynb")))
        return
    notebooks = SHARED / "notebooks"
    yield from ((path, 3) for path in sorted((notebooks / "gold").glob("*.ipynb")))
    if (notebooks / "runnable.txt").is_file():
        listed = (notebooks / "runnable.txt").read_text(encoding="utf-8").splitlines()
        yield from ((notebooks / line, 3) for line in listed if line.strip())
    yield from ((path, 5) for path in sorted((SHARED / "bench" / "timetravel").glob("*.ipynb")))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("notebook", "seed"),
    [
        pytest.param(*OWN[0], marks=pytest.mark.corpus),
        *(pytest.param(*each, marks=pytest.mark.long) for each in OWN[1:]),
    ],
)
def test_own_notebooks(tmp_path: Path, notebook: str, seed: int) -> None:
    done = random_edits.in_a_process(ROOT / "fixtures" / notebook, tmp_path, seed, 2)
    assert len(done) == 2
    assert [(each.what, each.wrong) for each in done if each.wrong] == []
    assert any("reused" in each.reused for each in done)


@pytest.mark.kernel
@pytest.mark.long
@pytest.mark.parametrize(
    ("notebook", "times"), [pytest.param(*each, id=each[0].stem) for each in given()]
)
def test_notebooks_of_others(tmp_path: Path, notebook: Path, times: int) -> None:
    done = random_edits.in_a_process(notebook, tmp_path, SEED, times)
    assert [(each.what, each.wrong) for each in done if each.wrong] == []
