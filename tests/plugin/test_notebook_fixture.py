"""Tests of a user that run a notebook and ask what it gave."""

from __future__ import annotations

import pytest
from makenb import write

pytestmark = pytest.mark.kernel

PAGE = """
# %% [1] tags=parameters
year = 2019
# %% [2]
import os
from collections import Counter

class Shop:
    def __init__(self):
        self.orders = [year, year]

shop, counts = Shop(), Counter(a=year)
print("in", year, os.environ.get("REGION"))
counts["a"]
#> in 2018 None
# %% [3]
lock = open(os.devnull)
assert year < 2030, "too late"
"""
TESTS = """
import pytest
from collections import Counter

@pytest.fixture(scope="module")
def sales(nbsafe_run):
    return nbsafe_run("sales.ipynb", parameters={"year": 2020}, env={"REGION": "north"})

def test_values(sales):
    assert sales.names["counts"] == Counter(a=2020)
    assert sales.value("shop.orders[0] + 1") == 2021
    assert {"shop", "year"} <= set(sales.names)
    with pytest.raises(KeyError):
        sales.names["nothing"]

def test_what_it_shows(sales):
    assert sales.text(2) == "in 2020 north\\n2020\\n"
    assert [output.kind for output in sales.outputs[2]] == ["stream", "execute_result"]
    assert sales.report.status == "passed"
    assert sales.failures == sales.findings == ()

def test_what_cannot_leave_the_kernel(sales):
    with pytest.raises(Exception, match=r"shop is a Shop \\(.*ask for a part of it"):
        sales.value("shop")
    with pytest.raises(Exception, match="lock is a TextIOWrapper"):
        sales.names["lock"]
    with pytest.raises(Exception, match="1 / 0 gives no value: ZeroDivisionError"):
        sales.value("1 / 0")

def test_a_cell_that_fails(nbsafe_run):
    with nbsafe_run("sales.ipynb", parameters={"year": 2040}, check=False) as run:
        assert [outcome.cell for outcome in run.failures] == [3]
        assert run.value("year") == 2040
    nbsafe_run("sales.ipynb", parameters={"year": 2040})

def test_no_such_cell(sales):
    assert sales.text(1) == ""
    sales.text(9)

def test_no_such_notebook(nbsafe_run):
    nbsafe_run("sale.ipynb")

def test_no_such_option(nbsafe_run):
    nbsafe_run("sales.ipynb", parameters={"a b": 1})
"""


def test_a_test_runs_a_notebook_and_asks_what_it_gave(pytester: pytest.Pytester) -> None:
    write(pytester.path / "checks" / "sales.ipynb", PAGE)
    tests = pytester.path / "checks" / "test_sales.py"
    tests.write_text(TESTS)
    result = pytester.runpytest("-W", "error", "-p", "no:randomly", "-rf")
    result.assert_outcomes(passed=3, failed=4)
    result.stdout.fnmatch_lines(
        [
            "*sales.ipynb, cell 3 [[]3], line 2: NBS401 cell-failed (observed)",
            "*AssertionError: too late",
            "E * *sales.ipynb has no code cell 9 (code cells: 1, 2, 3)",
            "*sale.ipynb*",
            "nbsafe_run: parameters: 'a b' is no name of Python*",
        ]
    )
    for ours in ("*def __call__*", "*def text*", "*another exception*"):
        result.stdout.no_fnmatch_line(ours)
