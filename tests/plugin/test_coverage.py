"""Coverage of the project's modules: what cells use counts as if a script had used it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import percent
import pytest
from makenb import write

pytest.importorskip("pytest_cov")

MODULE = """\
import threading


def total(prices):
    if not prices:
        return 0
    return sum(prices)


def unused():
    return 1


class Till:
    def __init__(self):
        self.prices = []

    def add(self, price):
        if price < 0:
            raise ValueError(price)
        self.prices.append(price)

    def add_aside(self, price):
        thread = threading.Thread(target=self.add, args=(price,))
        thread.start()
        thread.join()
"""
CELLS = ("from shop.till import Till, total", "till = Till()", "till.add_aside(3)", "total([])")
MEASURE = ("--branch", "--source=src")


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Path:
    """A repository with a package, and a notebook and a script that use it alike."""
    root = pytester.path
    package = root / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "till.py").write_text(MODULE)
    cells = percent.page_of(*CELLS)
    write(root / "notebooks" / "nb.ipynb", cells)
    (root / "script.py").write_text("\n".join(("import sys; sys.path.insert(0, 'src')", *CELLS)))
    (root / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    return root


def measured(pytester: pytest.Pytester, *command: str) -> object:
    """Return the lines and branches that a command runs, by file."""
    assert pytester.run(sys.executable, "-m", *command).ret == 0
    report = pytester.path / "coverage.json"
    pytester.run(sys.executable, "-m", "coverage", "json", "-o", str(report))
    files = json.loads(report.read_text())["files"]
    return {f: (d["executed_lines"], d.get("executed_branches")) for f, d in files.items()}


@pytest.mark.kernel
@pytest.mark.corpus
@pytest.mark.usefixtures("shop")
def test_modules_that_cells_use_are_measured_as_in_a_script(pytester: pytest.Pytester) -> None:
    script = measured(pytester, "coverage", "run", *MEASURE, "script.py")
    assert isinstance(script, dict)
    lines, branches = script[str(Path("src", "shop", "till.py"))]
    assert 6 in lines
    assert {7, 11} & {*lines} == set(), "the fixture uses a part only"
    assert branches
    pytest_itself = "pytest", "-p", "no:randomly", "--nbsafe"
    notebooks = "notebooks"
    own = measured(pytester, "coverage", "run", *MEASURE, "-m", *pytest_itself, notebooks)
    assert own == script
    run = "pytest_nbsafe", "run", "notebooks/nb.ipynb"
    assert measured(pytester, "coverage", "run", *MEASURE, "-m", *run) == script
    assert measured(pytester, *pytest_itself, "--cov=src", "--cov-branch", notebooks) == script


@pytest.mark.kernel
@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("-n2",), id="xdist", marks=pytest.mark.corpus),
        pytest.param(("--cov-context=test",), id="contexts", marks=pytest.mark.corpus),
        pytest.param(("-W", "error"), id="warnings", marks=pytest.mark.corpus),
        pytest.param(("--nbsafe-resume",), id="resumed", marks=pytest.mark.corpus),
    ],
)
def test_however_pytest_runs(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    script = measured(pytester, "coverage", "run", *MEASURE, "script.py")
    write(pytester.path / "notebooks" / "other.ipynb", "# %% [1]\nimport shop.till\n")
    asked = "pytest", "-p", "no:randomly", "--nbsafe", "--cov=src", "--cov-branch", *options
    assert measured(pytester, *asked, "notebooks") == script
    assert measured(pytester, *asked, "notebooks") == script, "once more, as before"


@pytest.mark.kernel
@pytest.mark.corpus
@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("patch", ["subprocess", "subprocess, _exit, fork"])
def test_kernels_that_coverage_measures_by_itself(pytester: pytest.Pytester, patch: str) -> None:
    script = measured(pytester, "coverage", "run", *MEASURE, "script.py")
    pytester.makefile(
        ".cfg", setup=f"[coverage:run]\npatch = {patch}\nbranch = true\nsource = src\n"
    )
    asked = "coverage", "run", "-m", "pytest", "-p", "no:randomly", "--nbsafe", "notebooks"
    assert pytester.run(sys.executable, "-m", *asked).ret == 0
    assert measured(pytester, "coverage", "combine") == script


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.usefixtures("shop")
def test_the_page_alone_counts_and_no_cell(pytester: pytest.Pytester) -> None:
    """The recorded order runs too, and cells on the side; cells have no file to be shown."""
    text = "# %% [2]\nfrom shop.till import total\nprices = []\n# %% [3]\nprices = [1]\n"
    path = write(
        pytester.path / "notebooks" / "nb.ipynb",
        text + "# %% [1]\nprices = []\n# %% [4]\ntotal(prices)\n",
    )
    assert path.exists()
    pytester.run(sys.executable, "-m", "coverage", "run", "-m", "pytest_nbsafe", "run", str(path))
    result = pytester.run(sys.executable, "-m", "coverage", "json", "-o", "-")
    assert result.ret == 0, "a file that is no more cannot be reported"
    files = json.loads(result.outlines[0])["files"]
    lines = files[str(Path("src", "shop", "till.py"))]["executed_lines"]
    assert {6, 7} & {*lines} == {6}
    assert not [file for file in files if "ipykernel_" in file]
