"""`--update`: new outputs are saved of what passes otherwise, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from makenb import write

from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.app.run import report
from pytest_nbsafe.findings import Report, merged
from pytest_nbsafe.notebook import load

pytestmark = pytest.mark.kernel

OLD = """
# %% [3]
total = 2 + 3
# %% [5]
print("the same")
#> the same
# %% [6]
total
#= 4
# %%
print("it never ran")
# %%
silent = 1
"""
KEPT: Mapping[str, str] = {
    "same": "\n# %% [7]\nprint(1)\n#> 1\n",
    "fails": "\n# %% [1]\nprint(2)\n#> 1\n# %% [2]\nmissing\n",
    "unsaved": "\n# %%\nprint(1)\n",
    "skipped": "\n# %% [1]\nprint(2)\n#> 1\n# %% [2] tags=skip-execution\nmissing\n",
}


def saved(path: Path) -> Report:
    return report(path, configuration(path, {}), updates=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    folder = tmp_path_factory.mktemp("update")
    for name, text in {"old": OLD, **KEPT}.items():
        write(folder / f"{name}.ipynb", text)
    return folder, merged(saved(path) for path in sorted(folder.iterdir()))


@pytest.mark.corpus
def test_what_differs_and_what_never_ran_is_saved_and_told(folder: tuple[Path, Report]) -> None:
    path, found = folder[0] / "old.ipynb", folder[1]
    cells = load.read(path).cells
    assert [(cell.count, [output.text for output in cell.outputs]) for cell in cells] == [
        (1, []),
        (2, ["the same\n"]),
        (3, ["5"]),
        (4, ["it never ran\n"]),
        (5, []),
    ]
    (updated,) = (notebook.updated for notebook in found.notebooks if notebook.path == str(path))
    assert [
        line for line in updated if line[:1] in {"+", "-"} and line[:2] not in {"++", "--"}
    ] == [
        "-4",
        "+5",
        "+it never ran",
    ]
    assert not [finding for finding in found.findings if finding.path == str(path)]


@pytest.mark.parametrize("name", ["same", "fails", "unsaved"])
def test_all_else_stays(folder: tuple[Path, Report], tmp_path: Path, name: str) -> None:
    expected = write(tmp_path / f"{name}.ipynb", KEPT[name]).read_bytes()
    assert expected == (folder[0] / f"{name}.ipynb").read_bytes()


def test_what_is_skipped_hinders_nothing(folder: tuple[Path, Report]) -> None:
    first, skipped = load.read(folder[0] / "skipped.ipynb").cells
    assert [output.text for output in first.outputs] == ["2\n"]
    assert skipped.count == 2


@pytest.mark.corpus
@pytest.mark.parametrize("does", ["p.unlink()", "_ = p.write_text('{')"])
def test_a_file_that_the_run_removed_or_broke_stays_so(tmp_path: Path, does: str) -> None:
    text = (
        f"# %% [1]\nimport pathlib\np = pathlib.Path('n.ipynb')\n{does}\n# %% [2]\nprint(2)\n#> 1\n"
    )
    path = write(tmp_path / "n.ipynb", text)
    (notebook,) = saved(path).notebooks
    assert notebook.updated == ()


@pytest.mark.corpus
def test_pytest_updates_and_shows_it(pytester: pytest.Pytester) -> None:
    page = write(pytester.path / "old.ipynb", "\n# %% [4]\nprint(2)\n#> 1\n")
    result = pytester.runpytest_subprocess("--nbsafe", "--nbsafe-update", "old.ipynb::cell-1")
    assert load.read(page).cells[0].outputs[0].text == "1\n"  # not all of it ran
    result = pytester.runpytest_subprocess("--nbsafe", "--nbsafe-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*nbsafe updated outputs*", "-1", "+2"])
    assert load.read(page).cells[0].outputs[0].text == "2\n"
