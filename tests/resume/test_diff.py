"""Which names differ between two points of a notebook, and between two orders."""

from __future__ import annotations

import json
from pathlib import Path

import makenb
import pytest

from pytest_nbsafe.app import diff
from pytest_nbsafe.cli import main
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.reports.diff_report import DiffReport

NB = """
# %% [1]
import threading
table = {"a": [1, 2], "b": [3]}
n = 3
lock = threading.Lock()
same = [1]
# %% [4]
n = 4
words = ["a", "b"]
# %% [3]
table["n"] = n
# %% [2]
del words
lock.acquire()
"""


@pytest.fixture
def notebook(own_store: Path) -> Path:
    return makenb.write(own_store / "nb.ipynb", NB)


def words(report: DiffReport) -> list[str]:
    return [each.how for each in report.differences.differing]


@pytest.mark.corpus
def test_what_cells_change(notebook: Path) -> None:
    first = diff.of_cells(notebook, {}, 1, 2)
    assert words(first) == ["`n` 3 -> 4", "`words` only after cell 2: length 2"]
    assert (first.failed, first.remarks, first.differences.unknown) == ({}, (), ())

    whole = diff.of_cells(notebook, {}, 1, 4)
    assert words(whole) == [
        "`lock` holds a different value",
        "`n` 3 -> 4",
        "`table` length 2 -> 3",
    ]
    back = diff.of_cells(notebook, {}, 4, 1)
    assert words(back)[1] == "`n` 4 -> 3", "what is asked first stands first"
    assert words(diff.of_cells(notebook, {}, 3, 3)) == []


def test_what_an_order_changes(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["diff", str(notebook), "--orders", "recorded", "top-down", "--format", "json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in told["differing"] if each["name"] == "words"] == ["removed"]
    assert {each["name"] for each in told["differing"]} == {"table", "words", "lock"}
    assert told["failed"] == [{"cell": 4, "reason": "NameError: name 'words' is not defined"}]


@pytest.mark.corpus
def test_chance_is_told_where_orders_are_compared(own_store: Path) -> None:
    drawn = makenb.write(
        own_store / "nb.ipynb",
        "# %% [2]\nimport random\nx = random.random()\n# %% [1]\ny = 1\n",
    )
    report = diff.of_orders(drawn, {}, "recorded", "top-down")
    assert words(report)[0].startswith("`x` 0.")
    assert "cell 1 draws random numbers without a seed" in report.remarks[0]


def test_points_that_are_not_there(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["1"], ["1", "2", "3"], ["1", "2", "--orders", "base", "top-down"]):
        assert main(["diff", str(notebook), *wrong]) == 2
        assert "give two cells, or --orders" in capsys.readouterr().err
    with pytest.raises(NbsafeError, match="no code cell 9"):
        diff.of_cells(notebook, {}, 1, 9)
    with pytest.raises(NbsafeError, match="no order 'bottom-up'"):
        diff.of_orders(notebook, {}, "recorded", "bottom-up")


@pytest.mark.corpus
def test_a_page_without_counts_has_no_recorded_order(own_store: Path) -> None:
    page = makenb.write(own_store / "nb.ipynb", "# %%\nx = 1\n")
    for order in ("recorded", "inferred"):
        with pytest.raises(NbsafeError, match=f"no {order} order: no cell has an execution count"):
            diff.of_orders(page, {}, order, "top-down")
    assert words(diff.of_orders(page, {}, "dependency", "top-down")) == []
