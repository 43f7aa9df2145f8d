"""The pytest plugin: a notebook is a test file, its code cells are the tests.

Loaded in every run of pytest: until it is switched on it only knows its options, and all else is
imported after that.
"""

from __future__ import annotations

import pytest

FLAGS = {
    "static": "check the notebooks without running them",
    "strict": "warnings fail too",
    "notes": "show notes too",
}
VALUES = {
    "order": ("NAME", "the order to replay: auto, recorded, inferred or top-down"),
    "timeout": ("SECONDS", "limit for one cell; 0 for none"),
    "kernel": ("NAME", "run the notebooks in this kernel instead of their own"),
    "leakage": (
        "MODE",
        "look for leaks of data in the text, in the run or both: static, runtime, both",
    ),
    "baseline": ("FILE", "accept the findings in this file, from `nbsafe check --write-baseline`"),
}
LISTS = {
    "select": ("CODES", "report only these codes or prefixes of codes"),
    "ignore": ("CODES", "do not report these codes or prefixes of codes"),
    "report": ("FORMAT:FILE", "write a report to a file; FORMAT is json or text"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each with its twin in the ini file."""
    group = parser.getgroup("nbsafe", "safety of Jupyter notebooks")
    says = "test notebooks: each code cell is an item"
    group.addoption("--nbsafe", action="store_true", default=None, help=says)
    parser.addini("nbsafe", says, type="bool", default=False)
    for key, says in FLAGS.items():
        group.addoption(f"--nbsafe-{key}", action="store_true", default=None, help=says)
        parser.addini(f"nbsafe_{key}", says, type="bool", default=None)
    for key, (metavar, says) in VALUES.items():
        group.addoption(f"--nbsafe-{key}", default=None, metavar=metavar, help=says)
        parser.addini(f"nbsafe_{key}", says, type="string", default=None)
    for key, (metavar, says) in LISTS.items():
        option = f"--nbsafe-{key}"
        group.addoption(option, action="append", default=None, metavar=metavar, help=says)
        parser.addini(f"nbsafe_{key}", says, type="args", default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Switch on when asked to.

    Raises:
        pytest.UsageError: an option, or the configuration at the root, cannot be understood.

    """
    if not (config.getoption("nbsafe") or config.getini("nbsafe")):
        return
    from pytest_nbsafe.plugin.collecting import Collecting
    from pytest_nbsafe.plugin.distributing import Distributing
    from pytest_nbsafe.plugin.options import Settings
    from pytest_nbsafe.plugin.reporting import Reporting

    settings = Settings.given(config, (*FLAGS, *VALUES))
    for hooks in (Collecting(settings), Reporting(settings), Distributing()):
        config.pluginmanager.register(hooks, f"nbsafe-{type(hooks).__name__.lower()}")
