"""The fixture for tests that want a notebook: run with the settings of its folder, and asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_nbsafe import config as configs
from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.plugin import run_settings
from pytest_nbsafe.plugin.failures import told_alone
from pytest_nbsafe.plugin.settings import Settings
from pytest_nbsafe.reports import text

if TYPE_CHECKING:
    from pytest_nbsafe.app.notebook_run import NotebookRun


@contextmanager
def runner(request: pytest.FixtureRequest) -> Iterator[RunNotebook]:
    """Give what runs notebooks; their kernels end with the context."""
    with ExitStack() as stack:
        yield RunNotebook(request, stack)


class RunNotebook:
    """Runs a notebook from top to bottom, whether or not notebooks are collected."""

    def __init__(self, request: pytest.FixtureRequest, stack: ExitStack) -> None:
        self._request = request
        self._stack = stack

    def __call__(
        self,
        path: str | Path,
        *,
        parameters: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        kernel: str | None = None,
        timeout: float | None = None,
        runs: int | None = None,
        check: bool = True,
    ) -> NotebookRun:
        """Return the run of a notebook, found beside the test or from the root on.

        What is given goes before the settings and the hooks. With `check` the test fails where a
        cell fails.
        """
        from pytest_nbsafe.app.notebook_run import NotebookRun

        given = {
            "parameters": parameters,
            "env": env,
            "cwd": str(self._found(cwd)) if cwd is not None else None,
            "kernel": kernel,
            "timeout": timeout,
            "runs": runs,
        }
        given = {key: value for key, value in given.items() if value is not None}
        try:
            file = self._found(path)
            run = NotebookRun(file, configs.for_run(self._settings(file), given, "nbsafe_run"))
        except NbsafeError as error:
            raise told_alone(error) from None
        self._stack.enter_context(run)
        if check and run.failures:
            items = (text.item(each, run.notebook, strict=False) for each in run.failures)
            pytest.fail("\n".join(line for lines in items for line in lines), pytrace=False)
        return run

    def _settings(self, file: Path) -> configs.Config:
        config = self._request.config
        hooks = self._request.session.gethookproxy(file)
        return run_settings.of_conftest(Settings.given(config).of(file), hooks, config, file)

    def _found(self, path: str | Path) -> Path:
        """Return a path as it stands beside the test, or else from the root of pytest on."""
        beside = self._request.path.parent / path
        return beside if beside.exists() else self._request.config.rootpath / path
