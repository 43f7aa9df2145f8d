"""What every test may use."""

# Loaded here, because pytester's runs in this process would otherwise import them anew each time,
# and a class made twice is two classes. Tests that replace a part of them run a process of its own.
import pytest_nbsafe.check
import pytest_nbsafe.plugin.collecting
import pytest_nbsafe.plugin.distributing
import pytest_nbsafe.plugin.telling  # noqa: F401

pytest_plugins = ["pytester"]
