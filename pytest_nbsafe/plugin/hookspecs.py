"""Hooks that a conftest.py may have, to say how the notebooks below its folder are run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


@pytest.hookspec
def pytest_nbsafe_environment(config: pytest.Config, path: Path) -> Mapping[str, str] | None:
    """Return variables for the kernels of the notebook at `path`, before the first one starts."""


@pytest.hookspec
def pytest_nbsafe_parameters(config: pytest.Config, path: Path) -> Mapping[str, Any] | None:
    """Return parameters for the notebook at `path`, set after its cell tagged `parameters`."""
