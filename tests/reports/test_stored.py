"""What is said of the store: a file that is read for several values counts once."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_nbsafe.reports import store_report, stored_page_report
from pytest_nbsafe.reports.stored_page_report import StoredPage
from pytest_nbsafe.resume.stored_runs import StoredRun
from pytest_nbsafe.store.holdings import Size


def test_a_file_of_two_cells_is_loaded_once() -> None:
    runs = {
        2: StoredRun("", 1.5, loads=("a",), files={"of both": 4000, "of a": 10}),
        3: StoredRun("", 1.5, loads=("b",), files={"of both": 4000, "of b": 10}),
    }
    head, *cells = stored_page_report.as_text(StoredPage("nb.ipynb", runs)).splitlines()
    assert "2 of 2 cells kept" in head
    assert "4.0 kB are loaded" in head
    assert [cell.partition("loads ")[2] for cell in cells] == ["a, 4.0 kB", "b, 4.0 kB"]


def test_a_file_of_two_notebooks_is_held_once() -> None:
    sizes = [Size(name, 3, 5000, 1.5) for name in ("a.ipynb", "b.ipynb")]
    *of_notebooks, total = store_report.as_text(Path("runs"), sizes, 6000).splitlines()
    assert [line.split() for line in of_notebooks] == [
        ["5.0", "kB", "1.5", "s", name] for name in ("a.ipynb", "b.ipynb")
    ]
    assert total == "6.0 kB for 6 answers of the kernels of 2 notebooks, in runs"
    told = json.loads(store_report.as_json(Path("runs"), sizes, 6000))
    assert (told["bytes"], [each["bytes"] for each in told["notebooks"]]) == (6000, [5000, 5000])
