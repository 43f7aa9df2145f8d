"""`nbsafe fix --unsafe`: a leak is mended where a run proves it, with what it then shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.cli import main
from pytest_nbsafe.notebook import load

pytestmark = pytest.mark.kernel

HEAD = """
# %% [1]
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = load_wine(return_X_y=True)
"""
ON_THE_TEST_ROWS = f"""{HEAD}
# %% [2]
a, b, c, d = train_test_split(X, y, random_state=0)
scaler = StandardScaler()
a = scaler.fit_transform(a)
b = scaler.fit_transform(b)
# %% [3]
print(round(LogisticRegression().fit(a, c).score(b, d), 3))
#> 0.978
"""
NEVER_FITTED = f"""{HEAD}
# %% [2]
a, b, c, d = train_test_split(X, y, random_state=0)
scaler = StandardScaler()
b = scaler.fit_transform(b)
# %% [3]
print(round(LogisticRegression(max_iter=5000).fit(a, c).score(b, d), 3))
#> 0.289
"""


def cells(page: Path) -> list[tuple[str, int | None, str]]:
    return [
        (cell.source, cell.count, "".join(o.text for o in cell.outputs))
        for cell in load.read(page).cells
    ]


@pytest.mark.corpus
def test_a_leak_is_gone_and_the_new_score_is_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write(tmp_path / "a.ipynb", ON_THE_TEST_ROWS)
    before = cells(page)
    assert main(["fix", "--static", "--unsafe", str(page)]) == 0
    assert cells(page) == before
    assert main(["fix", "--unsafe", str(page)]) == 0
    assert "NBS304 cell 2: `scaler` only transforms `b`" in capsys.readouterr().out
    fitted = before[1][0].replace("b = scaler.fit_transform(b)", "b = scaler.transform(b)")
    assert cells(page) == [before[0], (fitted, *before[1][1:]), (before[2][0], 3, "1.0\n")]


@pytest.mark.corpus
def test_what_no_run_proves_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = write(tmp_path / "a.ipynb", NEVER_FITTED)
    content = page.read_bytes()
    assert main(["fix", "--unsafe", str(page)]) == 0
    assert "`scaler` only transforms `b`: then cell 2 fails" in capsys.readouterr().err
    assert page.read_bytes() == content
