"""What a trial runs besides the page, and what it says where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.app.run import run
from pytest_nbsafe.runner import trial_run

pytestmark = pytest.mark.kernel

RAN_TWICE = """
# %% [1]
xs = []
# %% [3]
xs.append(1)
# %% [4]
print(xs)
#> [1, 1]
"""


NOT_TRIED = (
    "cell 3 shows another text than was saved; whether some cell ran more often than once, or "
    "never, was not tried: the notebook computes for too long"
)


@pytest.mark.parametrize(
    ("limit_s", "codes", "remarks"), [(60.0, ["NBS106"], ()), (0.0, ["NBS402"], (NOT_TRIED,))]
)
@pytest.mark.corpus
def test_other_runs_that_are_not_tried_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit_s: float,
    codes: list[str],
    remarks: tuple[str, ...],
) -> None:
    monkeypatch.setattr(trial_run, "MOST_S", limit_s)
    report = run([write(tmp_path / "nb.ipynb", RAN_TWICE)], {"cache": False})
    confirmed = [f.code for f in report.findings if f.verdict == "confirmed"]
    assert confirmed == codes
    assert report.notebooks[0].remarks == remarks
