"""How findings show: in the terminal, in JUnit, in report files."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from makenb import BROKEN, OUT_OF_ORDER, write

from pytest_nbsafe.app.run import run
from pytest_nbsafe.reports import REPORTERS
from pytest_nbsafe.reports.colour import plain

STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider")

FAULTY = """
    from pytest_nbsafe.app import session
    def outcome(self, cell):
        raise RuntimeError("a fault of ours")
    session.NotebookSession.outcome = outcome
"""


def test_a_failure_shows_the_finding_and_nothing_of_ours(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", BROKEN)
    result = pytester.runpytest(*STATIC)
    result.stdout.fnmatch_lines(
        [
            "*_ nb.ipynb, cell 3 _*",
            "nb.ipynb, cell 3 [[]2], line 2: NBS101 undefined-name (proved)",
            "*`missing_name`*",
            "    1 | print(a)",
            "    2 | print(missing_name)",
            "      |       ^^^^^^^^^^^^",
            "How it came about:",
            "  1. cell 3 (line 2): *",
            "To fix: *",
            "FAILED nb.ipynb::cell-3 - NBS101 `missing_name` is read *",
        ]
    )
    assert "plugin" not in result.stdout.str().partition("FAILURES")[2]
    assert "Error" not in result.stdout.str()


def test_a_failure_in_colour(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PY_COLORS", "1")
    write(pytester.path / "nb.ipynb", BROKEN)
    result = pytester.runpytest(*STATIC, "--color=yes")
    assert "\x1b[1m\x1b[31mnb.ipynb, cell 3 [2], line 2" in result.stdout.str().replace(
        "\x1b[31m\x1b[1m", "\x1b[1m\x1b[31m"
    )


@pytest.mark.parametrize("style", ["short", "long", "native", "line", "no"])
def test_every_traceback_style_works(pytester: pytest.Pytester, style: str) -> None:
    write(pytester.path / "nb.ipynb", BROKEN)
    result = pytester.runpytest(*STATIC, f"--tb={style}")
    result.assert_outcomes(failed=1, passed=2)
    if style == "line":
        result.stdout.fnmatch_lines(["nb.ipynb:*: NBS101 `missing_name` is read here*"])


def test_warnings_have_a_summary_and_fail_nothing(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", OUT_OF_ORDER)
    result = pytester.runpytest(*STATIC)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["=* nbsafe warnings *=", "nb.ipynb", "  cell 2 [[]2], line 1: NBS103 ran-out-of-order *"]
    )


def test_strict_lets_warnings_fail(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", OUT_OF_ORDER)
    result = pytester.runpytest(*STATIC, "--nbsafe-strict")
    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-2 - NBS103 this cell ran as *"])
    assert "nbsafe warnings" not in result.stdout.str()


def test_notes_only_when_asked_for(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n# %%\nb = a\n")
    assert "NBS107" not in pytester.runpytest(*STATIC).stdout.str()
    result = pytester.runpytest(*STATIC, "--nbsafe-notes", "--nbsafe-strict")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["  cell 2, line 1: NBS107 never-run*"])


@pytest.mark.corpus
def test_a_fault_of_ours_is_no_fault_of_the_notebook(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n")
    pytester.makepyfile("def test(): pass")
    pytester.makeconftest(FAULTY)
    result = pytester.runpytest_subprocess(*STATIC)
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "E * RuntimeError: a fault of ours",
            "*- INTERNAL ERROR of nbsafe -*",
            "The fault is in pytest-nbsafe, not in cell 1: please report it.",
            "FAILED nb.ipynb::cell-1 - INTERNAL ERROR of nbsafe: RuntimeError*",
        ]
    )


@pytest.mark.corpus
def test_misuse_while_it_runs_is_told_in_one_line(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n")
    misuse = "NbsafeError('cannot-write', 'the disk is full', 'free some')"
    imported = "\n    from pytest_nbsafe.errors import NbsafeError"
    pytester.makeconftest(imported + FAULTY.replace('RuntimeError("a fault of ours")', misuse))
    result = pytester.runpytest_subprocess(*STATIC)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::cell-1 - the disk is full (free some)"])
    result.stdout.no_fnmatch_line("*INTERNAL*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_without_a_terminal_a_cell_fails_as_with_one(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\nprint(gone)\n")
    result = pytester.runpytest_subprocess(*STATIC, "-p", "no:terminal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.corpus
def test_internal_errors_look_the_same_from_a_worker(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n")
    pytester.makeconftest(FAULTY)
    result = pytester.runpytest_subprocess(*STATIC, "-n1")
    result.stdout.fnmatch_lines(["*- INTERNAL ERROR of nbsafe -*"])


# ------------------------------------------------------------------------- files


def test_junit(pytester: pytest.Pytester) -> None:
    write(pytester.path / "sub" / "nb.ipynb", BROKEN)
    pytester.runpytest(*STATIC, "--junitxml=junit.xml")
    cases = ET.parse(pytester.path / "junit.xml").getroot().findall(".//testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        ("sub.nb.ipynb", "cell-1"),
        ("sub.nb.ipynb", "cell-3"),
        ("sub.nb.ipynb", "notebook"),
    ]
    found = [(p.get("name"), p.get("value")) for p in cases[1].findall(".//property")]
    lines = (pytester.path / "sub" / "nb.ipynb").read_text(encoding="utf-8").split("\n")
    line = 1 + next(i for i, text in enumerate(lines) if "print(a)" in text)
    assert found == [
        ("file", "sub/nb.ipynb"),
        ("line", str(line)),
        ("nbsafe", "NBS101 proved cell 3 line 2"),
    ]
    failure = cases[1].find("failure")
    assert failure is not None
    assert (failure.get("message") or "").startswith("NBS101 `missing_name` is read here")
    assert "      |       ^^^^^^^^^^^^" in (failure.text or "")


def test_xml_is_valid_and_plain_whatever_the_notebook_holds(pytester: pytest.Pytester) -> None:
    evil = "# %% [1]\nx = '\x1b[31m\x07 ]]> \u202e\ufffe\ud800 </failure>' + missing_name\n"
    write(pytester.path / "nb.ipynb", evil)
    result = pytester.runpytest(*STATIC, "--junitxml=junit.xml", "--color=yes")
    result.assert_outcomes(failed=1, passed=1)
    text = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    failure = ET.fromstring(text).find(".//failure")
    assert failure is not None
    assert "#x" not in text
    assert "\\x1b[31m\\x07 ]]> \\u202e\\ufffe\\ud800 </failure>" in (failure.text or "")
    assert "\x07" not in result.stdout.str()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_report_files(pytester: pytest.Pytester, workers: str) -> None:
    write(pytester.path / "a.ipynb", OUT_OF_ORDER)
    write(pytester.path / "b.ipynb", BROKEN)
    (pytester.path / "c.ipynb").write_text("{", encoding="utf-8")
    result = pytester.runpytest(
        *STATIC, f"-n{workers}", "--nbsafe-report=json:out/r.json", "--nbsafe-report=text:r.txt"
    )
    result.assert_outcomes(failed=2, passed=6)
    result.stdout.fnmatch_lines(["*nbsafe warnings*", "*generated json file of nbsafe: *r.json*"])
    document = json.loads((pytester.path / "out" / "r.json").read_text(encoding="utf-8"))
    found = [(f["path"], f["cell"], f["code"]) for f in document["findings"]]
    assert found == [("a.ipynb", 2, "NBS103"), ("b.ipynb", 3, "NBS101"), ("c.ipynb", 0, "NBS901")]
    described = [(n["path"], n["cells"], n["status"]) for n in document["notebooks"]]
    assert described == [
        ("a.ipynb", 3, "passed"),
        ("b.ipynb", 3, "failed"),
        ("c.ipynb", 0, "failed"),
    ]
    text = (pytester.path / "r.txt").read_text(encoding="utf-8")
    assert text.endswith("2 errors, 1 warning in 3 notebooks\n")


def test_the_report_of_a_failure_comes_whole_from_a_worker(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", BROKEN.replace("[2]", "[2]\nx = '\ud800'"))
    here = pytester.runpytest(*STATIC, "-n0").stdout.str()
    there = pytester.runpytest(*STATIC, "-n1").stdout.str()
    block = here[here.index("nb.ipynb, cell 3 [2]") : here.index("= short test summary")]
    assert block.rstrip("=\n ") in there


LEAK = """
    # %% [1]
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler
    X = np.random.RandomState(0).rand(180, 3)
    y = X[:, 0] > 0.5
    # %% [2]
    Z = {fitted}(X)
    # %% [3]
    a, b, c, d = train_test_split(Z, y, random_state=0)
    model = LogisticRegression().fit(a, c)
    # %% [4]
    model.score(b, d)
"""


@pytest.mark.kernel
@pytest.mark.corpus
def test_the_proof_of_a_leak_is_that_of_a_run(pytester: pytest.Pytester) -> None:
    hidden = "eval('StandardScaler().fit_' + 'transform')"
    write(pytester.path / "hidden.ipynb", LEAK.format(fitted=hidden))
    write(pytester.path / "plain.ipynb", LEAK.format(fitted="StandardScaler().fit_transform"))
    options = ("--nbsafe-report=json:r.json", "-p", "no:cacheprovider")
    result = pytester.runpytest_subprocess("--nbsafe", *options)
    result.assert_outcomes(failed=2, passed=8)
    items = {item.partition(" - ")[0] for item in result.outlines if item.startswith("FAILED ")}
    assert items == {"FAILED hidden.ipynb::notebook", "FAILED plain.ipynb::cell-2"}
    shown = json.loads((pytester.path / "r.json").read_text())["findings"]
    assert shown == json.loads(REPORTERS["json"](run([Path()], {}), plain))["findings"]
    steps = [finding["steps"][-1]["cause"] for finding in shown]
    assert ["45 of the 45 rows" in step for step in steps] == [True, True]


@pytest.mark.kernel
@pytest.mark.corpus
def test_what_was_reused_is_told_once(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyprojecttoml("[project]\nname = 'a'\n")
    write(pytester.path / "a.ipynb")
    write(pytester.path / "b.ipynb")
    monkeypatch.setenv("NBSAFE_CACHE_DIR", ".nbsafe-cache")
    options = ("--nbsafe", "--nbsafe-resume", "-p", "no:cacheprovider", "-q")
    refused = pytester.runpytest_subprocess(*options, "-n2")
    refused.stdout.fnmatch_lines(["*nbsafe: a.ipynb and b.ipynb: nothing is reused: *"])
    assert refused.stdout.str().count("lies in the repository") == 1
    monkeypatch.setenv("NBSAFE_STORE_SECRET", "of the pipeline")
    for reused in (0, 4):
        told = pytester.runpytest_subprocess(*options)
        told.stdout.fnmatch_lines([f"*nbsafe: {reused} of 4 runs reused, 0.0 s saved*"])
        told.stdout.no_fnmatch_line("*nothing is reused*")


@pytest.mark.kernel
@pytest.mark.corpus
def test_a_lock_is_written_beside_the_notebooks(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb" / "good.ipynb")
    write(pytester.path / "nb" / "bad.ipynb", BROKEN)
    result = pytester.runpytest("--nbsafe", "--nbsafe-lock")
    result.stdout.fnmatch_lines(["*nbsafe.lock holds 1 notebook; bad.ipynb did not pass*"])
    (pytester.path / "nb" / "nbsafe.lock").write_text("<<<<", encoding="utf-8")
    result = pytester.runpytest("--nbsafe")
    result.stdout.fnmatch_lines(["*cannot read*nbsafe.lock*"])
    result.stdout.no_fnmatch_line("*Traceback*")
