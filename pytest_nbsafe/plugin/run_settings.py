"""How a notebook is run, as the hooks of conftest files say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy
import pytest
from _pytest._code import Traceback

from pytest_nbsafe.errors import NbsafeError

if TYPE_CHECKING:
    from pytest_nbsafe.config import Config

_HOOKS = {"env": "pytest_nbsafe_environment", "parameters": "pytest_nbsafe_parameters"}
"""What each hook gives, as a key of a table `[[tool.nbsafe.run]]`."""
_OURS, _PLUGGY = Path(__file__).parent, Path(pluggy.__file__).parent
"""Where the code lies that stands between pytest and a hook of the user."""


def of_conftest(settings: Config, hooks: Any, config: pytest.Config, path: Path) -> Config:
    """Return settings with what the hooks for this path give; the nearest conftest wins.

    Raises:
        NbsafeError: a hook gives what cannot be used.

    """
    from pytest_nbsafe import config as configs

    for key, hook in _HOOKS.items():
        answers = getattr(hooks, hook)(config=config, path=path)
        for answer in reversed(answers):  # the nearest is asked first
            if not isinstance(answer, Mapping):
                raise NbsafeError("bad-value", f"{hook}: returned {answer!r}", "return a dict")
            settings = configs.for_run(settings, {key: answer}, hook)
    return settings


def of_users(traceback: Traceback) -> Traceback:
    """Return a traceback from where the user's own code begins: behind pytest, us and pluggy."""
    ours = [at for at, entry in enumerate(traceback) if Path(entry.path).is_relative_to(_OURS)]
    behind = traceback[ours[-1] + 1 :] if ours else traceback
    return behind.filter(lambda entry: not Path(entry.path).is_relative_to(_PLUGGY))
