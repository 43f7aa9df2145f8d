"""Whose time an item's time is."""

import xml.etree.ElementTree as ET

import pytest
from makenb import write

from pytest_nbsafe.findings import Outcome
from pytest_nbsafe.plugin.billing import Billing

OUT_OF_ORDER = """
# %% [3]
rate = 2
# %% [1]
import time
time.sleep(0.3)
rate = 1
# %% [2]
print(rate)
#> 1
"""


def test_the_first_item_drives_all_and_the_notebook_pays() -> None:
    billing = Billing(has_notebook=True)
    asked = [(1, 0.25, 4.0), (2, 1.5, 0.0), (0, 0.0, 0.5)]
    billed = [
        billing.of(Outcome(cell, "passed", duration_s=own), took) for cell, own, took in asked
    ]
    assert billed == [0.25, 1.5, 2.75]
    assert sum(billed) == sum(took for _, _, took in asked)


def test_without_the_item_of_the_notebook_each_keeps_its_time() -> None:
    assert Billing(has_notebook=False).of(Outcome(1, "passed", duration_s=0.25), 4.0) == 4.0


@pytest.mark.corpus
@pytest.mark.kernel
def test_the_times_in_junit_are_those_of_the_cells(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", OUT_OF_ORDER)
    pytester.runpytest("--nbsafe", "-p", "no:cacheprovider", "--junitxml=junit.xml")
    cases = ET.parse(pytester.path / "junit.xml").iter("testcase")  # ours
    times = {case.attrib["name"]: float(case.attrib["time"]) for case in cases}
    assert list(times) == ["cell-1", "cell-2", "cell-3", "notebook"]
    assert times["cell-2"] >= 0.3  # the others need nothing of it, and it sleeps in two runs
    assert times["notebook"] >= 0.3
