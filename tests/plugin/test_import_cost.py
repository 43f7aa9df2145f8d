"""Being installed must cost a run of pytest next to nothing."""

import json
import subprocess
import sys

import pytest

HEAVY = (
    "astroid",
    "nbclient",
    "nbformat",
    "jupyter_client",
    "IPython",
    "zmq",
    "pytest_nbsafe.app.session",
)
# Other plugins that are installed may import what they like.
ALONE = ("-p", "pytest_nbsafe.plugin")

ADDED = """
import json, sys, pytest
from _pytest import config, terminal
before = set(sys.modules)
import pytest_nbsafe.plugin
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_importing_the_plugin_imports_nothing_but_itself_and_its_options() -> None:
    done = subprocess.run([sys.executable, "-c", ADDED], capture_output=True, text=True, check=True)
    added = ["pytest_nbsafe", "pytest_nbsafe.options", "pytest_nbsafe.plugin"]
    assert json.loads(done.stdout) == added


@pytest.mark.parametrize("arguments", [[], ["--nbsafe", "--version"]])
def test_a_run_without_notebooks_imports_nothing_heavy(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(f"""
        import sys
        def test():
            assert not [name for name in {HEAVY!r} if name in sys.modules]
    """)
    assert pytester.runpytest_subprocess(*ALONE, *arguments).ret == 0


def test_collecting_notebooks_imports_nothing_heavy(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(f"""
        import sys
        def pytest_sessionfinish():
            found = [name for name in {HEAVY[:-1]!r} if name in sys.modules]
            assert not found, found
    """)
    (pytester.path / "nb.ipynb").write_text("{", encoding="utf-8")
    pytester.runpytest_subprocess(*ALONE, "--nbsafe").assert_outcomes(failed=1)
