"""What every test may use."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import shutil
import signal
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Loaded here, because pytester's runs in this process would otherwise import them again each time,
# and a class made twice is two classes. Tests that replace a part of them run a process of its own.
import pytest_nbsafe.app.session
import pytest_nbsafe.plugin.collecting
import pytest_nbsafe.plugin.reporting  # noqa: F401
from pytest_nbsafe import workers

pytest_plugins = ["pytester"]

TESTS = Path(__file__).parent
KERNEL_PATH = [str(TESTS / "no_debugger"), *filter(None, [os.environ.get("PYTHONPATH")])]
os.environ["PYTHONPATH"] = os.pathsep.join(KERNEL_PATH)

# No test reads or fills the cache of whoever runs the tests.
os.environ["NBSAFE_CACHE_DIR"] = tempfile.mkdtemp(prefix="nbsafe-tests-")
atexit.register(shutil.rmtree, os.environ["NBSAFE_CACHE_DIR"], ignore_errors=True)

# How long an example takes says how busy the machine is, and no more.
settings.register_profile(
    "any load", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any load")

# A shell that starts the tests in the background has them ignore interrupts, and so would every
# process that a test starts in order to interrupt it.
if threading.current_thread() is threading.main_thread() and (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Use all cores for a whole tier; a few tests are done before a worker has started.

    Not an option in pyproject.toml: that would ask for pytest-xdist whoever tries an example here.
    """
    asked = [Path(argument.partition("::")[0]).resolve() for argument in config.args]
    few = config.option.keyword or not {TESTS, TESTS.parent} & {*asked}
    unsaid = getattr(config.option, "numprocesses", 0) is None  # 0 without pytest-xdist
    if few or hasattr(config, "workerinput"):
        return
    if unsaid:
        config.option.numprocesses, config.option.dist = "auto", "worksteal"
    # Its first user on a machine lists all fonts, beside a thread that keeps kernels from being
    # forked: not whichever test happens to come first.
    with contextlib.suppress(ImportError):
        importlib.import_module("matplotlib.font_manager")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: a test often waits for a process that it started."""
    return workers.processors() + 1
