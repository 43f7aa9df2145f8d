"""`nbsafe run`: notebooks run, and everything that is found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.app.session import NOBODY_LISTENS, Listen, examine
from pytest_nbsafe.findings import Report, merged


def run(
    paths: Sequence[Path],
    settings: Mapping[str, Any],
    which: Which | None = None,
    listen: Listen = lambda _: NOBODY_LISTENS,
    *,
    updates: bool = False,
) -> Report:
    """Run the notebooks and return everything found; `listen` gives who is told what runs in one.

    `settings` are the options given by hand (keys as in `[tool.nbsafe]`); they lie over each
    notebook's own configuration file. `which` says which of the notebooks are meant; with `updates`
    what differs of the outputs is saved.

    Raises:
        NbsafeError: a path or a setting is not understood.

    """
    return merged(
        examine(path, configuration(path, settings), listen(path), updates=updates)
        for path in notebooks_in(paths, settings, which)
    )
