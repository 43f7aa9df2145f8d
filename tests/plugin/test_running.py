"""Notebooks that are really run."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import tiers
from makenb import CLEAN, write

pytestmark = pytest.mark.kernel

RUN = ("--nbsafe", "-p", "no:cacheprovider", "-rA")

RAISES = """
# %% [1]
a = 1
# %% [2]
import sys
print("before", a)
print("beware", file=sys.stderr)
b = a / 0
# %% [3]
print(b)
# %% [4]
print(a)
"""


def test_a_clean_notebook_passes(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", CLEAN)
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=3)
    assert "nbsafe warnings" not in result.stdout.str()


def test_what_depends_on_a_failed_cell_is_skipped_the_rest_runs(
    pytester: pytest.Pytester,
) -> None:
    write(pytester.path / "nb.ipynb", RAISES)
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=3, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "nb.ipynb, cell 2 [[]2], line 4: NBS401 cell-failed (observed)",
            "  > 4 | b = a / 0",
            "What the cell raised:",
            "*- Captured stdout call -*",
            "before 1",
            "*- Captured stderr call -*",
            "beware",
            "PASSED nb.ipynb::cell-4",
            "SKIPPED * nb.ipynb:*: because of cell 2*",
            "FAILED nb.ipynb::cell-2 - NBS401 this cell raised *",
        ]
    )
    assert "runtest" not in result.stdout.str()


def test_a_cell_that_raises_is_no_pass_though_its_code_is_not_selected(
    pytester: pytest.Pytester,
) -> None:
    write(pytester.path / "nb.ipynb", RAISES)
    result = pytester.runpytest(*RUN, "--nbsafe-select=NBS2")
    result.assert_outcomes(passed=3, skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED * nb.ipynb:*: ZeroDivisionError: * off, or in the baseline)"]
    )


def test_a_cell_that_should_raise_and_does_not_fails(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1] tags=raises-exception\na = 1\n# %% [2]\na\n")
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*but it did not raise"])


def test_a_kernel_that_dies_is_told_once(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\nimport os\nos._exit(1)\n")
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["nb.ipynb, cell 1 [[]1], line 1: NBS903 kernel-died (observed)"])
    result.stdout.no_fnmatch_line("*Captured log call*")


def test_tb_line_is_one_line(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", RAISES)
    result = pytester.runpytest(*RUN, "--tb=line", "--show-capture=no")
    lines = result.stdout.lines
    start = next(i for i, line in enumerate(lines) if "= FAILURES =" in line)
    assert lines[start + 1].startswith("nb.ipynb:23: NBS401 this cell")
    assert "= PASSES =" in lines[start + 2]


def test_x_runs_nothing_after_the_failure(pytester: pytest.Pytester) -> None:
    touched = "# %% [5]\nopen('touched', 'w').close()\n"
    write(pytester.path / "nb.ipynb", RAISES + touched)
    pytester.runpytest(*RUN, "-x").assert_outcomes(passed=1, failed=1)
    assert not (pytester.path / "touched").exists()


def test_one_cell_runs_what_it_needs_first(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", CLEAN)
    pytester.runpytest(*RUN, "nb.ipynb::cell-2").assert_outcomes(passed=1)
    result = pytester.runpytest(*RUN, "-k", "cell-2")
    result.assert_outcomes(passed=1, deselected=2)


@pytest.mark.corpus
def test_lf(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", RAISES)
    pytester.runpytest("--nbsafe").assert_outcomes(passed=3, failed=1, skipped=1)
    pytester.runpytest("--nbsafe", "--lf").assert_outcomes(failed=1)


@pytest.mark.corpus
def test_two_workers_and_ordinary_tests(pytester: pytest.Pytester) -> None:
    write(pytester.path / "a.ipynb", CLEAN)
    write(pytester.path / "b.ipynb", RAISES)
    pytester.makepyfile("def test_one(): pass\ndef test_two(): pass")
    result = pytester.runpytest(*RUN, "-n2", "--nbsafe-report=json:r.json")
    result.assert_outcomes(passed=8, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["b.ipynb, cell 2*NBS401 cell-failed*"])
    document = json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))
    assert [f["code"] for f in document["findings"]] == ["NBS401"]
    assert [n["orders"] for n in document["notebooks"]] == [["top-down"], ["top-down"]]


def test_a_stale_output_is_confirmed(pytester: pytest.Pytester) -> None:
    write(
        pytester.path / "nb.ipynb",
        """
        # %% [3]
        a = 2
        # %% [2]
        b = a + 1
        # %% [4]
        b
        #= 2
        """,
    )
    result = pytester.runpytest(*RUN, "-rP")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "nb.ipynb, cell 3 [[]4], line 1: NBS201 stale-output (confirmed)",
            "How it came about:",
            "  1. cell *",
            "To fix: *",
            "*Captured verdict of the notebook*",
            "stale",
            "cell 3: *(NBS201)",
            "*nbsafe: stale*",
        ]
    )


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.corpus)])
def test_xml_is_valid_whatever_a_cell_prints(pytester: pytest.Pytester, workers: str) -> None:
    evil = r"'\x1b[31m\x00\x07 ]]> <a> \ud800 \u202e \ufffe'"
    write(pytester.path / "nb.ipynb", f"# %% [1]\nprint({evil})\nraise ValueError({evil})\n")
    result = pytester.runpytest(
        *RUN, f"-n{workers}", "--junitxml=junit.xml", "-o", "junit_logging=all"
    )
    result.assert_outcomes(failed=1, passed=1)
    text = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert ET.fromstring(text).find(".//failure") is not None
    assert "#x" not in text
    assert "\x07" not in result.stdout.str()


@pytest.mark.corpus
def test_an_endless_cell_ends_with_the_timeout(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\nwhile True: pass\n# %% [2]\na = 1\n")
    result = pytester.runpytest(*RUN, "--nbsafe-timeout=2")
    result.stdout.fnmatch_lines(["nb.ipynb, cell 1 *NBS904 timed-out*"])


def test_a_kernel_that_is_not_there(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", CLEAN)
    result = pytester.runpytest(*RUN, "--nbsafe-kernel=no-such-kernel")
    result.assert_outcomes(failed=1, skipped=2)
    result.stdout.fnmatch_lines(["FAILED nb.ipynb::notebook - NBS905 its kernel *"])


def test_collect_only_starts_no_kernel(pytester: pytest.Pytester) -> None:
    write(pytester.path / "nb.ipynb", "# %% [1]\nopen('touched', 'w').close()\n")
    assert pytester.runpytest("--nbsafe", "--collect-only").ret == 0
    assert not (pytester.path / "touched").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize("how", tiers.every(2, [signal.SIGINT, signal.SIGTERM]))
def test_an_interrupt_leaves_no_kernel(pytester: pytest.Pytester, how: signal.Signals) -> None:
    source = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    write(pytester.path / "nb.ipynb", f"# %% [1]\n{source}")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "--nbsafe"],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as run:
        pid = int(_waited_for(pytester.path / "pid"))
        os.killpg(run.pid, how)
        run.communicate(timeout=60)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    _wait_until_gone(pid)


def _waited_for(file: Path) -> str:
    for _ in range(600):
        if file.exists() and file.read_text(encoding="utf-8"):
            return file.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError("the cell did not start")


def _wait_until_gone(pid: int) -> None:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the kernel was left behind")


@pytest.mark.corpus
def test_a_notebook_at_its_limit(pytester: pytest.Pytester) -> None:
    slow = "# %% [1]\na = 1\n# %% [2]\nimport time\ntime.sleep(60)\n# %% [3]\nprint(a)\n"
    write(pytester.path / "nb.ipynb", slow)
    write(pytester.path / "out.ipynb", "# %% [2]\na = 1\n# %% [1]\nimport time\ntime.sleep(60)\n")
    pytester.makeini("[pytest]\nnbsafe_notebook_timeout = 5\n")
    result = pytester.runpytest(*RUN)
    result.assert_outcomes(passed=4, failed=2, skipped=1)
    at = "the notebook reached its limit of 5 s"
    result.stdout.fnmatch_lines(
        [
            "nb.ipynb, cell 2 *NBS904 timed-out*",
            f"{at} at this cell; what the cells after it do is not known",
            "out.ipynb, cell 2 *NBS904 timed-out*",
            f"{at} at this cell from top to bottom; what the cells after it do is not known",
            f"SKIPPED*nb.ipynb*: {at}",
        ]
    )
