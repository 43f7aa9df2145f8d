"""The pytest plugin: a notebook is a test file, its code cells are the tests.

Loaded in every run of pytest: until it is switched on it only knows its options, and all else is
imported after that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest

from pytest_nbsafe.options import CHANGED_SINCE, LOCK, REPORT, UPDATE, Option, of_command

if TYPE_CHECKING:
    from pytest_nbsafe.plugin.notebook_fixture import RunNotebook


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let a conftest.py have our hooks, whether or not notebooks are tested."""
    from pytest_nbsafe.plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.fixture(scope="module")
def nbsafe_run(request: pytest.FixtureRequest) -> Iterator[RunNotebook]:
    """Run a notebook and ask what became of it.

    `run = nbsafe_run("sales.ipynb", parameters={"year": 2020})` gives `run.report`, `run.findings`,
    `run.outputs` and `run.text(cell)`, `run.names["total"]` and `run.value("total + 1")`. A cell
    that fails fails the test, unless `check=False`. The kernel waits until the module is done.
    """
    from pytest_nbsafe.plugin.notebook_fixture import runner

    with runner(request) as run:
        yield run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each with its twin in the ini file."""
    group = parser.getgroup("nbsafe", "safety of Jupyter notebooks")
    says = "test notebooks: each code cell is an item"
    group.addoption("--nbsafe", action="store_true", default=None, help=says)
    parser.addini("nbsafe", says, type="bool", default=False)
    for option in (*of_command("pytest"), REPORT):
        kind: Literal["bool", "args", "string"] = "bool"
        if option.metavar or option.values:
            kind = "args" if option.several else "string"
        _add(group, option)
        parser.addini(f"nbsafe_{option.name}", option.says, type=kind, default=None)
    for alone in (LOCK, UPDATE, CHANGED_SINCE):
        _add(group, alone)


def _add(group: pytest.OptionGroup, option: Option) -> None:
    for spelling, arguments in option.spellings("--nbsafe-"):
        group.addoption(spelling, **arguments)


def pytest_configure(config: pytest.Config) -> None:
    """Switch on when asked to.

    Raises:
        pytest.UsageError: an option, or the configuration at the root, cannot be understood.

    """
    if not (config.getoption("nbsafe") or config.getini("nbsafe")):
        return
    from pytest_nbsafe.plugin import plain_imports

    plain_imports.install()
    from pytest_nbsafe.plugin.collecting import Collecting, Distributing
    from pytest_nbsafe.plugin.junit_places import JunitPlaces
    from pytest_nbsafe.plugin.reporting import Reporting
    from pytest_nbsafe.plugin.settings import Settings

    settings = Settings.given(config)
    collecting = Collecting(settings, in_worker=hasattr(config, "workerinput"))
    if settings.changed_since:
        from pytest_nbsafe.plugin.changed_only import ChangedOnly

        config.pluginmanager.register(ChangedOnly(settings.changed_since), "nbsafe-changedonly")
    for hooks in (collecting, Reporting(settings), JunitPlaces(), Distributing()):
        config.pluginmanager.register(hooks, f"nbsafe-{type(hooks).__name__.lower()}")
