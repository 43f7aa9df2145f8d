"""`nbsafe run`: notebooks run, and everything that is found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_nbsafe.app import whole_reports
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.app.inputs import configuration
from pytest_nbsafe.config import Config
from pytest_nbsafe.findings import Report, merged

if TYPE_CHECKING:
    from pytest_nbsafe.runner.listening import Listener


def run(paths: Sequence[Path], settings: Mapping[str, Any], which: Which | None = None) -> Report:
    """Run the notebooks and return everything found.

    `settings` are the options given by hand (keys as in `[tool.nbsafe]`); they lie over each
    notebook's own configuration file. `which` says which of the notebooks are meant.

    Raises:
        NbsafeError: a path or a setting is not understood.

    """
    return merged(
        report(path, configuration(path, settings)) for path in notebooks_in(paths, settings, which)
    )


def report(
    path: Path, config: Config, listener: Listener | None = None, *, updates: bool = False
) -> Report:
    """Return what is found in a notebook: as it was kept, where that would come out again.

    `listener` is told what runs in it; with `updates` what differs of the outputs is saved.

    Raises:
        NbsafeError: the notebook cannot be run as its settings say.

    """
    place = None if updates else whole_reports.place_of(path, config)
    known = whole_reports.known(place) if place is not None else None
    if known is not None:
        return known
    from pytest_nbsafe.app.session import NOBODY_LISTENS, NotebookSession, examine

    def keep(session: NotebookSession) -> None:
        if place is not None:
            whole_reports.keep(place, session)

    return examine(path, config, listener or NOBODY_LISTENS, updates=updates, then=keep)
