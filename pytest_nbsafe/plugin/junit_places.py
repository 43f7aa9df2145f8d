"""The attributes `file` and `line` of test cases in JUnit files, as GitLab and Jenkins read them.

pytest's own family, xunit2, leaves both out; in xunit1 the line counts from 0.
"""

from __future__ import annotations

from typing import Any

import pytest


class JunitPlaces:
    """Writes where each cell stands beside what pytest writes of it."""

    def __init__(self) -> None:
        self._junit: Any = None
        self._cases: list[tuple[Any, dict[str, str]]] = []

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find what writes the file, None where none is asked for."""
        from _pytest import junitxml  # pytest has no public name for it

        self._junit = session.config.stash.get(junitxml.xml_key, None)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in that a cell has a test case, and where it stands."""
        place = getattr(report, "nbsafe", {}).get("place")
        if place is not None and self._junit is not None:
            self._cases.append((self._junit.node_reporter(report), place))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Complete the test cases, now that pytest has made them and not written them yet."""
        for case, place in self._cases:
            element = case.to_xml()
            for name, value in place.items():
                element.set(name, value)
