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
    from pytest_nbsafe.app.session import Listen


def run(
    paths: Sequence[Path],
    settings: Mapping[str, Any],
    which: Which | None = None,
    listen: Listen | None = None,
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
        report(path, configuration(path, settings), listen, updates=updates)
        for path in notebooks_in(paths, settings, which)
    )


def report(
    path: Path, config: Config, listen: Listen | None = None, *, updates: bool = False
) -> Report:
    """Return what is found in a notebook: as it was kept, where that would come out again.

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

    listener = listen(path) if listen is not None else NOBODY_LISTENS
    return examine(path, config, listener, updates=updates, then=keep)
