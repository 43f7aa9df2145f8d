"""Our own modules are imported as they are, and those of the tests as pytest wants them."""

from __future__ import annotations

import pytest
from makenb import write

CONFTEST = """
import sys

def pytest_unconfigure(config):
    hook = config.pluginmanager.rewrite_hook
    for name in sorted(sys.modules):
        if getattr(sys.modules[name], "__loader__", None) is hook:
            print("rewritten:", name)
"""


def test_only_what_pytest_loads_itself_is_rewritten(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile("def test_a():\n    assert True\n")
    write(pytester.path / "nb.ipynb")
    result = pytester.runpytest_subprocess("-q", "--nbsafe", "--nbsafe-static")
    result.assert_outcomes(passed=4)
    rewritten = {line.split()[1] for line in result.outlines if line.startswith("rewritten:")}
    assert {"conftest", "test_only_what_pytest_loads_itself_is_rewritten"} <= rewritten
    ours = {name for name in rewritten if name.startswith("pytest_nbsafe")}
    start = {"", ".plugin", ".plugin.plain_imports", ".options", ".values", ".errors"}
    assert ours <= {f"pytest_nbsafe{name}" for name in start}
