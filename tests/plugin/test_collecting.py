"""What is collected, when, and under which marks."""

import json
from pathlib import Path

import pytest
import tiers
from makenb import BROKEN, CLEAN, OUT_OF_ORDER, write

from pytest_nbsafe.app.session import NotebookSession

STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider")


def ids(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """Return the node ids that pytest collects."""
    result = pytester.runpytest("--nbsafe", "--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line]


def test_without_the_flag_nothing_is_collected(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb")
    pytester.makepyfile("def test(): pass")
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_ini_switch(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb")
    pytester.makeini("[pytest]\nnbsafe = true\nnbsafe_static = true\n")
    pytester.runpytest().assert_outcomes(passed=3)


def test_an_item_a_code_cell_in_page_order_then_the_notebook(pytester: pytest.Pytester) -> None:
    write(pytester.path / "sub" / "nb.ipynb", BROKEN + "# %%\n\n# %% [3]\nc = 1\n")
    assert ids(pytester) == [
        "sub/nb.ipynb::cell-1",
        "sub/nb.ipynb::cell-3",
        "sub/nb.ipynb::cell-5",
        "sub/nb.ipynb::notebook",
    ]


def test_collecting_asks_for_no_outcome(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(pytester.path / "nb.ipynb")
    monkeypatch.setattr(NotebookSession, "outcome", None)
    assert len(ids(pytester)) == 3


def test_copies_that_jupyter_keeps_are_never_collected(pytester: pytest.Pytester) -> None:
    write(pytester.path / ".ipynb_checkpoints" / "nb-checkpoint.ipynb")
    assert ids(pytester) == []
    assert ids(pytester, ".ipynb_checkpoints/nb-checkpoint.ipynb") == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"cells": 3}'])
def test_an_unreadable_notebook_is_one_failing_item(
    pytester: pytest.Pytester, content: bytes
) -> None:
    (pytester.path / "nb.ipynb").write_bytes(content)
    write(pytester.path / "other.ipynb")
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(
        ["nb.ipynb, line * NBS901 unreadable-notebook*", "FAILED nb.ipynb::notebook - NBS901 ?*"]
    )


def test_nothing_to_run(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [markdown]\nonly text\n")
    assert ids(pytester) == ["nb.ipynb::notebook"]
    pytester.runpytest(*STATIC).assert_outcomes(passed=1)


def test_another_language_is_skipped_not_failed(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# kernel: ir\n# language: R\n# %% [1]\nx <- 1\n")
    result = pytester.runpytest(*STATIC, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED * nb.ipynb:1: not analysed: its language is r*"])


# ------------------------------------------------------------------- choosing


def test_node_ids_and_k(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb")
    assert ids(pytester, "nb.ipynb::cell-2") == ["nb.ipynb::cell-2"]
    assert ids(pytester, "-k", "cell-1 or notebook") == ["nb.ipynb::cell-1", "nb.ipynb::notebook"]


def test_tags_are_marks_even_under_strict_markers(pytester: pytest.Pytester) -> None:
    tags = "slow,needs-data,nbsafe:ignore=NBS101,class,_x,parametrize,1st"
    write(pytester.path / "nb.ipynb", f"# %% [1] tags={tags}\na = 1\n# %% [2]\nb = 1\n")
    assert ids(pytester, "--strict-markers", "-m", "not slow") == [
        "nb.ipynb::cell-2",
        "nb.ipynb::notebook",
    ]
    assert ids(pytester, "-m", "needs_data") == ["nb.ipynb::cell-1"]


def test_lf_runs_what_failed(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", BROKEN)
    pytester.runpytest("--nbsafe", "--nbsafe-static").assert_outcomes(failed=1, passed=2)
    pytester.runpytest("--nbsafe", "--nbsafe-static", "--lf").assert_outcomes(failed=1)


def test_x_stops_at_the_first(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", BROKEN)
    pytester.runpytest(*STATIC, "-x").assert_outcomes(failed=1, passed=1)


# ------------------------------------------------------- between collection and run


def test_a_file_that_vanishes_fails_with_a_finding(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb")
    pytester.makeconftest("""
        def pytest_collection_finish(session):
            (session.config.rootpath / "nb.ipynb").unlink()
    """)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        ["nb.ipynb, line * NBS901 unreadable-notebook*", "FAILED nb.ipynb::cell-1 - NBS901 ?*"]
    )


def test_a_cell_that_vanishes_fails_and_says_so(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb")
    write(pytester.path / "later.txt", "# %% [1]\na = 1\n")
    pytester.makeconftest("""
        def pytest_collection_finish(session):
            (session.config.rootpath / "later.txt").replace("nb.ipynb")
    """)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["*cell 2 is gone: the notebook changed after it was collected*"])


# --------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--nbsafe-order=sideways"], "--nbsafe-order cannot be 'sideways' (one of auto*)"),
        (["--nbsafe-timeout=long"], "--nbsafe-timeout cannot be 'long' (*)"),
        (["--nbsafe-select=NBS999"], "--nbsafe-select: there is no code 'NBS999' (did you mean *)"),
        (["--nbsafe-report=jso:f"], "--nbsafe-report: no format 'jso' (did you mean json?)"),
        (["--nbsafe-report=json"], "--nbsafe-report: 'json' is not FORMAT:FILE (*)"),
        (["-o", "nbsafe_order=x"], "nbsafe_order cannot be 'x' (one of auto*)"),
    ],
)
def test_misuse_is_one_line(pytester: pytest.Pytester, arguments: list[str], said: str) -> None:
    result = pytester.runpytest("--nbsafe", *arguments)
    assert result.ret is pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def bad_configuration(folder: Path) -> None:
    file = write(folder / "nb.ipynb").with_name("pyproject.toml")
    file.write_text("[tool.nbsafe]\nordre = 'auto'\n", encoding="utf-8")


def test_a_bad_configuration_at_the_root_is_misuse(pytester: pytest.Pytester) -> None:
    bad_configuration(pytester.path)
    result = pytester.runpytest("--nbsafe", "--rootdir=.")
    assert result.ret is pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *unknown key 'ordre' (did you mean order?)"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


@pytest.mark.parametrize("workers", tiers.every(2, ["0", "2"]))
def test_a_bad_configuration_below_stops_the_run_in_one_line(
    pytester: pytest.Pytester, workers: str
) -> None:
    bad_configuration(pytester.path / "deep")
    result = pytester.runpytest("--nbsafe", "--rootdir=.", f"-n{workers}")
    assert result.ret in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED}
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*ERROR collecting deep/nb.ipynb*", "*unknown key 'ordre' (did you mean order?)"]
    )
    assert "Traceback" not in result.stdout.str()


def test_options_win_over_ini_over_file(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", OUT_OF_ORDER + "# %% [5]\nprint(missing_name)\n")
    file = pytester.path / "nbsafe.toml"
    file.write_text("static = true\nignore = ['NBS101', 'NBS103']\n", encoding="utf-8")
    base = ("--nbsafe", "-p", "no:cacheprovider")
    pytester.runpytest(*base).assert_outcomes(passed=5)
    pytester.runpytest(*base, "-o", "nbsafe_ignore=NBS103").assert_outcomes(passed=4, failed=1)
    result = pytester.runpytest(*base, "-o", "nbsafe_ignore=NBS103", "--nbsafe-ignore=NBS101")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["*nbsafe warnings*"])


def test_each_notebook_has_the_configuration_of_its_folder(pytester: pytest.Pytester) -> None:
    write(pytester.path / "strict" / "nb.ipynb", OUT_OF_ORDER)
    write(pytester.path / "mild" / "nb.ipynb", OUT_OF_ORDER)
    (pytester.path / "strict" / "nbsafe.toml").write_text("strict = true\n", encoding="utf-8")
    pytester.runpytest(*STATIC).assert_outcomes(passed=7, failed=1)


def test_notebooks_beside_ordinary_tests(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", CLEAN)
    pytester.makepyfile("def test(): pass")
    pytester.runpytest(*STATIC).assert_outcomes(passed=4)


def test_paths_with_spaces_and_other_alphabets(pytester: pytest.Pytester) -> None:
    write(pytester.path / "mit Ümlaut [1]" / "日本 1.ipynb")
    pytester.runpytest(*STATIC).assert_outcomes(passed=3)


def test_a_folder_outside_of_the_root(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = write(tmp_path_factory.mktemp("elsewhere") / "nb.ipynb", BROKEN)
    result = pytester.runpytest(*STATIC, "--rootdir=.", str(file), "--nbsafe-report=json:r.json")
    result.assert_outcomes(failed=1, passed=2)
    document = json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))
    assert document["notebooks"][0]["path"].endswith("nb.ipynb")
