"""The hook that keeps the items of one notebook on one worker of pytest-xdist."""

from __future__ import annotations

from typing import Any

import pytest


class Distributing:
    """Stands in for the scheduler that `-n` picks by itself; one chosen by hand stays."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return a scheduler that never parts a notebook, None to leave the choice to others."""
        if config.getoption("dist") != "load":
            return None
        from xdist.scheduler import LoadScopeScheduling

        class NotebookScheduling(LoadScopeScheduling):  # type: ignore[misc] # untyped without xdist
            """Gives out notebooks whole, and every other test for itself."""

            def _split_scope(self, nodeid: str) -> str:
                return scope(nodeid)

        return NotebookScheduling(config, log)


def scope(nodeid: str) -> str:
    """Return what must stay together with an item: its notebook, or only itself."""
    path = nodeid.partition("::")[0]
    return path if path.endswith(".ipynb") else nodeid
