"""Keeps the plugin's modules loaded, which pytester's runs in this process would make anew.

What replaces part of the plugin runs in a process of its own.
"""

import pytest_nbsafe.check
import pytest_nbsafe.plugin.collecting
import pytest_nbsafe.plugin.distributing
import pytest_nbsafe.plugin.telling  # noqa: F401
