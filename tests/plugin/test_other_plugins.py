"""Beside plugins that stop tests, switches that change every run, and a debugger."""

import json
import sys

import pytest
from makenb import BROKEN, write

TIMEOUT = """
import signal, pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    def stop(*_):
        pytest.fail("Timeout (>1.0s) from a plugin.")
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1.5 if item.name == "cell-2" else 60)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
"""
SLOW = "# %% [1]\na = 1\n# %% [2]\nimport time\ntime.sleep(30)\n# %% [3]\nprint(a)\n"


@pytest.mark.corpus
@pytest.mark.kernel
@pytest.mark.skipif(sys.platform == "win32", reason="a timer of POSIX")
def test_a_timeout_of_another_plugin_is_a_failure_of_that_cell(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", SLOW)
    pytester.makeconftest(TIMEOUT)
    result = pytester.runpytest_subprocess("--nbsafe", "-v", "-rs", "nb.ipynb")
    result.stdout.fnmatch_lines(
        [
            "*::cell-1 PASSED*",
            "*::cell-2 FAILED*",
            "*::cell-3 SKIPPED*",
            "cell 2 was stopped by another plugin: Timeout (>1.0s) from a plugin.",
            "SKIPPED*not run: cell 2 was stopped (Timeout (>1.0s) from a plugin.)",
        ]
    )
    result.stdout.no_fnmatch_line("*INTERNAL ERROR*")
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.corpus
def test_pdb_says_that_it_cannot_reach_a_kernel(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", BROKEN)
    pytester.makepyfile("def test_own():\n    here = 3\n    assert here == 4\n")
    command = (sys.executable, "-m", "pytest", "--nbsafe", "--nbsafe-static", "--pdb")
    result = pytester.run(*command, "nb.ipynb", stdin=b"q\n")
    result.stdout.fnmatch_lines(["*NBS101*", "--pdb cannot reach into the kernel*%debug."])
    result.stdout.no_fnmatch_line("*(Pdb)*")
    result = pytester.run(*command, stdin=b"p 'it is', here\nq\n")
    result.stdout.fnmatch_lines(["*('it is', 3)*"])


@pytest.mark.kernel
def test_warnings_as_errors_fail_nothing(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n# %% [2]\nprint(a)\n#> 1\n")
    result = pytester.runpytest_subprocess(
        "--nbsafe", "-W", "error", "-p", "faulthandler", "nb.ipynb"
    )
    result.assert_outcomes(passed=3)


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_missing_kernel_is_told_once_a_notebook(pytester: pytest.Pytester) -> None:
    cells = "\n".join(f"# %% [{n}]\nx{n} = 1" for n in range(1, 7))
    path = write(pytester.path / "nb.ipynb", cells + "\n")
    page = json.loads(path.read_text(encoding="utf-8"))
    page["metadata"]["kernelspec"] = {"name": "nosuch", "display_name": "x", "language": "python"}
    path.write_text(json.dumps(page, indent=1), encoding="utf-8")
    result = pytester.runpytest_subprocess("--nbsafe", "-rs", "nb.ipynb")
    result.assert_outcomes(skipped=6, failed=1)
    lines = [line for line in result.outlines if line.startswith("SKIPPED")]
    assert len(lines) == 1
    assert lines[0].startswith("SKIPPED [6] nb.ipynb:1: ")


AGAIN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for attempt in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = attempt < 2 and any(report.failed for report in reports)
        if again:
            reports = [report for report in reports if report.failed]
        for report in reports:
            if again:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        if not again:
            return True

def pytest_report_teststatus(report):
    if report.outcome == "rerun":
        return "rerun", "R", "RERUN"
"""
FLAKY = """
# %% [1]
from pathlib import Path
attempts = Path("attempts")
attempts.touch()
# %% [2]
attempts.write_text(attempts.read_text() + "x")
print("tried", flush=True)
if len(attempts.read_text()) < 2:
    raise OSError("no answer")
# %% [3]
print(len(attempts.read_text()))
"""


@pytest.mark.corpus
@pytest.mark.kernel
def test_a_plugin_that_tries_again_has_the_notebook_run_anew(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", FLAKY)
    pytester.makeconftest(AGAIN)
    report = ("--nbsafe-report=json:r.json", "--junitxml=r.xml", "-rP")
    result = pytester.runpytest_subprocess("--nbsafe", "-v", *report, "nb.ipynb")
    result.stdout.fnmatch_lines(["*::cell-2 RERUN*", "*::cell-2 PASSED*", "*::cell-3 PASSED*"])
    shown = result.stdout.str().partition("_ nb.ipynb, cell 2 _")[2].partition("_ nb.ipynb")[0]
    assert shown.count("tried") == 1
    document = json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))
    assert document["findings"] == []
    junit = (pytester.path / "r.xml").read_text(encoding="utf-8")
    assert "NBS401" not in junit
    assert junit.count('name="cell-2"') == 1


@pytest.mark.kernel
@pytest.mark.corpus
@pytest.mark.skipif(sys.platform == "win32", reason="a timer of POSIX")
def test_a_limit_holds_for_each_attempt(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_timeout")
    pytest.importorskip("pytest_rerunfailures")
    write(pytester.path / "nb.ipynb", "# %% [1]\na = 1\n# %% [2]\nimport time\ntime.sleep(60)\n")
    settings = ("-p", "no:cacheprovider", "--timeout=6", "--reruns=1")
    result = pytester.runpytest_subprocess("--nbsafe", "-v", *settings, "nb.ipynb")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["*::cell-2 RERUN*", "*::cell-2 FAILED*", "*cell 2 was stopped by another plugin: Timeout*"]
    )


SHUFFLED = """
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.nodeid[::-1], reverse=True)
    return (yield)
"""


def test_notebooks_stay_whole_where_a_plugin_shuffles(pytester: pytest.Pytester) -> None:
    for name in ("a", "b"):
        write(pytester.path / f"{name}.ipynb", BROKEN)
    pytester.makepyfile("def test_own(): pass")
    pytester.makeconftest(SHUFFLED)
    result = pytester.runpytest("--nbsafe", "--nbsafe-static", "--collect-only", "-q")
    ids = [line for line in result.outlines if "::" in line]
    own = ids.index("test_notebooks_stay_whole_where_a_plugin_shuffles.py::test_own")
    del ids[own]
    cells = ("cell-1", "cell-3", "notebook")
    first, second = ids[0][0], ids[3][0]
    assert {first, second} == {"a", "b"}
    assert ids == [f"{name}.ipynb::{cell}" for name in (first, second) for cell in cells]


@pytest.mark.corpus
def test_the_report_of_pytest_html_shows_a_failure_as_text(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_html")
    write(pytester.path / "nb.ipynb", "# %%\nprint('<b>', missing_name)\n")
    html = ("--html=r.html", "--self-contained-html")
    pytester.runpytest_subprocess("--nbsafe", "--nbsafe-static", *html).assert_outcomes(
        passed=1, failed=1
    )
    report = pytester.path.joinpath("r.html").read_text(encoding="utf-8")
    assert "NBS101 undefined-name" in report
    assert "<b>" not in report
