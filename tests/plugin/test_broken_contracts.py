"""Contracts under pytest: where they fail, and how a wrong one is told."""

import pytest
from makenb import write

CONTRACT = """\
[[tool.nbsafe.contract]]
name = "mine"
sql = "{sql}"
message = "{message}"
"""

STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider", "-rA")
RUN = ("--nbsafe", "-p", "no:cacheprovider", "-rA")

TEXT = "# %% [1]\nraw = [1]\n# %% [2]\nimport os\nkept = len(raw), os.name\n# %% [3]\nprint(kept)\n"


def contract(
    pytester: pytest.Pytester, sql: str, message: str = "not so", folder: str = ""
) -> None:
    file = pytester.path / folder / "pyproject.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(CONTRACT.format(sql=sql, message=message), encoding="utf-8")


def test_a_row_fails_its_cell(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell, line FROM imports WHERE package = 'os'", "no os")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-2 - NBS501 mine: no os"])


def test_a_row_without_a_cell_fails_the_notebook(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT count(*) AS n FROM cells WHERE kind <> 'code'", "{n} texts")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::notebook - NBS501 mine: 0 texts"])


def test_a_wrong_contract_stops_before_anything_runs(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell FROM imprts")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*STATIC)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: contract 'mine': SQLite says: no such table: imprts (did you mean imports?*"]
    )


def test_a_wrong_contract_of_a_folder_fails_its_notebooks(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell FROM cells", "{celll}", folder="sub")
    write(pytester.path / "sub/nb.ipynb", TEXT)
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*STATIC, "--continue-on-collection-errors")
    result.assert_outcomes(passed=4, errors=1)
    result.stdout.fnmatch_lines(
        ["*contract 'mine': its message names {celll}, which is not a column*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_contract_that_fails_on_this_notebook_fails_the_notebook(
    pytester: pytest.Pytester,
) -> None:
    contract(pytester, "SELECT abs(-9223372036854775807 - cell) AS n FROM cells")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::notebook - NBS501 mine: its query fails on *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_contract_about_a_run_is_silent_without_one(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell FROM cells WHERE cell NOT IN (SELECT cell FROM runs)")
    write(pytester.path / "nb.ipynb", TEXT)
    pytester.runpytest(*STATIC).assert_outcomes(passed=4)


@pytest.mark.kernel
def test_a_contract_about_lineage_fails_the_cell_above(pytester: pytest.Pytester) -> None:
    sql = "SELECT parent_cell AS cell, name FROM lineage WHERE parent = 'raw'"
    contract(pytester, sql, "{name} is made of raw")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-1 - NBS501 mine: kept is made of raw"])


@pytest.mark.kernel
def test_every_cell_was_run_is_no_alarm(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell FROM cells WHERE cell NOT IN (SELECT cell FROM runs)")
    write(pytester.path / "nb.ipynb", TEXT)
    pytester.runpytest(*RUN).assert_outcomes(passed=4)


@pytest.mark.kernel
@pytest.mark.corpus
def test_workers_agree(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    contract(pytester, "SELECT cell FROM runs WHERE status = 'ok' AND cell = 2")
    write(pytester.path / "a.ipynb", TEXT)
    write(pytester.path / "b.ipynb", TEXT)
    result = pytester.runpytest(*RUN, "-n2")
    result.assert_outcomes(passed=6, failed=2)


@pytest.mark.kernel
def test_a_selected_cell_is_judged_by_what_ran(pytester: pytest.Pytester) -> None:
    contract(pytester, "SELECT cell FROM runs WHERE status = 'ok'")
    write(pytester.path / "nb.ipynb", TEXT)
    result = pytester.runpytest(*RUN, "nb.ipynb::cell-2")
    result.assert_outcomes(failed=1)
