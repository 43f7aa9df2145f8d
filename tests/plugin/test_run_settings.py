"""How a notebook is run: tables of the settings, and hooks of conftest files."""

from __future__ import annotations

import json

import pytest
from makenb import write

pytestmark = pytest.mark.kernel

PAGE = """
# %% [1] tags=parameters
year = 2019  # the last that is complete
names = []
# %% [2]
print(year, names)
#> 2019 []
# %% [3]
import os
print(os.environ.get("SHOP_REGION"), os.path.basename(os.getcwd()))
#> None there
"""
SETTINGS = """
[[tool.nbsafe.run]]
match = ["reports/*"]
parameters = { year = 2020, names = ["a", "b"] }
env = { SHOP_REGION = "north" }
cwd = "data"

[[tool.nbsafe.run]]
match = ["sales.ipynb"]
parameters = { year = 2021 }
"""


def test_a_table_gives_parameters_variables_and_a_folder(pytester: pytest.Pytester) -> None:
    path = write(pytester.path / "reports" / "sales.ipynb", PAGE)
    page = path.read_bytes()
    write(
        pytester.path / "other.ipynb",
        "# %% [1]\nassert 'SHOP_REGION' not in __import__('os').environ",
    )
    pytester.path.joinpath("data").mkdir()
    pytester.makepyprojecttoml(SETTINGS)
    report = "--nbsafe-report=json:r.json"
    result = pytester.runpytest("--nbsafe", "-rP", "-p", "no:randomly", report)
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        ["2021 [[]'a', 'b'[]]", "north data", "run with year = 2021, names = *after cell 1*"]
    )
    assert path.read_bytes() == page
    notebooks = json.loads((pytester.path / "r.json").read_text())["notebooks"]
    assert notebooks[1]["remarks"][0].startswith(
        "run with year = 2021, names = ['a', 'b'] after cell 1"
    )


CONFTEST = """
def pytest_nbsafe_parameters(config, path):
    return {"year": 2000, "names": (path.name,)}

def pytest_nbsafe_environment(config, path):
    return {"SHOP_REGION": "south"}
"""
NEARER = "def pytest_nbsafe_parameters(path):\n    return {'year': 2001}\n"


def test_hooks_of_conftest_files_give_more_and_the_nearest_wins(pytester: pytest.Pytester) -> None:
    write(pytester.path / "reports" / "sales.ipynb", PAGE)
    write(pytester.path / "sales.ipynb", PAGE)
    pytester.makeconftest(CONFTEST)
    pytester.path.joinpath("reports", "conftest.py").write_text(NEARER)
    result = pytester.runpytest("--nbsafe", "-rP", "-p", "no:randomly")
    result.assert_outcomes(passed=8)
    lines = [line for line in result.outlines if line.startswith("200")]
    assert sorted(lines) == ["2000 ['sales.ipynb']", "2001 ['sales.ipynb']"]
    assert sum(line.startswith("south ") for line in result.outlines) == 2


@pytest.mark.parametrize(
    ("conftest", "told"),
    [
        ("def pytest_nbsafe_parameters():\n    return {'day': 1 / 0}", "E * ZeroDivisionError*"),
        ("def pytest_nbsafe_parameters():\n    return {'day': object()}", "*day is a object*"),
        ("def pytest_nbsafe_parameters():\n    return {'class': 1}", "*'class' is no name*"),
        ("def pytest_nbsafe_environment():\n    return {'A': 1}", "*A is no text*"),
        ("def pytest_nbsafe_parameters():\n    return {'a': 1}", "*no cell takes the parameters*"),
    ],
)
def test_what_a_hook_gives_wrong_is_an_error_before_the_cells(
    pytester: pytest.Pytester, conftest: str, told: str
) -> None:
    write(pytester.path / "nb.ipynb")
    pytester.makeconftest(conftest)
    result = pytester.runpytest("--nbsafe")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([told])
    result.stdout.no_fnmatch_line("*INTERNAL*")
    result.stdout.no_fnmatch_line("*pytest_nbsafe/plugin*")
    result.stdout.no_fnmatch_line("*pluggy*py:*")
    result.stdout.no_fnmatch_line("*above exception*")


def test_without_notebooks_the_hooks_are_known(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_own(): pass")
    pytester.runpytest().assert_outcomes(passed=1)
