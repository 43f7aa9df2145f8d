"""With pytest-xdist the items of a notebook stay together, other tests do not."""

import os
import re
from collections import defaultdict

import pytest
from makenb import CLEAN, write
from tiers import sampled

from pytest_nbsafe.plugin.collecting import scope

DEFAULT = ("load",)
STATIC = ("--nbsafe", "--nbsafe-static", "-p", "no:cacheprovider")


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("a/nb.ipynb::cell-3", "a/nb.ipynb"),
        ("a/nb.ipynb::notebook", "a/nb.ipynb"),
        ("a/test_b.py::test_c", "a/test_b.py::test_c"),
        ("a/test_b.py::test_c[x.ipynb::y]", "a/test_b.py::test_c[x.ipynb::y]"),
        ("README.md", "README.md"),
    ],
)
def test_scope(nodeid: str, expected: str) -> None:
    assert expected == scope(nodeid)


@pytest.mark.parametrize(
    "dist", sampled(["load", "loadscope", "loadfile", "each", "worksteal"], DEFAULT.__contains__)
)
def test_workers(pytester: pytest.Pytester, dist: str) -> None:
    write(pytester.path / "a.ipynb", CLEAN)
    write(pytester.path / "b.ipynb", CLEAN)
    pytester.makepyfile(
        "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test(n): pass\n"
    )
    result = pytester.runpytest(*STATIC, "-v", "-n2", f"--dist={dist}")
    result.assert_outcomes(passed=24 if dist == "each" else 12)
    if dist not in {"each", "worksteal"}:
        workers = defaultdict(set)
        for worker, nodeid in re.findall(
            r"\[(gw\d)\].* PASSED (\S+\.ipynb)::", result.stdout.str()
        ):
            workers[nodeid].add(worker)
        assert [len(workers[name]) for name in ("a.ipynb", "b.ipynb")] == [1, 1]


def test_without_xdist(pytester: pytest.Pytester) -> None:
    write(pytester.path / "a.ipynb", CLEAN)
    pytester.runpytest_subprocess(*STATIC, "-p", "no:xdist").assert_outcomes(passed=3)


KILLED = """
import os, signal
from pytest_nbsafe.runner.temporary_folder import TemporaryFolder

def pytest_runtest_setup():
    TemporaryFolder()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.corpus
@pytest.mark.skipif(os.name != "posix", reason="it needs SIGKILL, and folders that are locked")
def test_what_a_killed_worker_leaves_is_removed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = pytester.mkdir("there")
    monkeypatch.setenv("TMPDIR", str(there))
    write(pytester.path / "a.ipynb", CLEAN)
    pytester.makeconftest(KILLED)
    result = pytester.runpytest_subprocess(*STATIC, "-n1", "--max-worker-restart=0")
    result.stdout.fnmatch_lines("*crashed*")
    assert not [*there.glob("nbsafe-*")]
