"""What a session says of each cell, where the finding stands at another."""

from pathlib import Path

import percent
import pytest

from pytest_nbsafe.app.order import order
from pytest_nbsafe.app.session import NotebookSession
from pytest_nbsafe.config import Config

MOVED = """\
# %% [2]
print(first)
# %% [3]
print(second)
# %% [1]
first, second = 1, 2
"""


@pytest.mark.kernel
def test_a_failure_that_is_told_elsewhere_says_what_this_cell_did(tmp_path: Path) -> None:
    path = tmp_path / "nb.ipynb"
    percent.write(percent.parse(MOVED), path)
    session = NotebookSession(path, Config())
    try:
        outcomes = [session.outcome(cell) for cell in (1, 2, 3)]
    finally:
        session.close()
    assert [outcome.status for outcome in outcomes] == ["failed", "failed", "passed"]
    assert outcomes[1].findings == ()
    assert "`second`" in outcomes[1].reason
    assert "`first`" not in outcomes[1].reason
    assert outcomes[1].reason.endswith("(NBS102, reported at cell 1)")


def test_the_cells_of_figure_1_once_its_plan_has_run() -> None:
    figure = Path(__file__).parents[1] / "fixtures" / "papers" / "nbsafety_fig1.ipynb"
    assert order(figure, {}).cells == {"stale": [3], "fresh": [2], "refresher": [2]}
    assert not any(order(figure, {"order": "top-down"}).cells.values())
