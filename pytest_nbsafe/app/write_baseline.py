"""`--write-baseline`: what is found in notebooks, written as known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe.app import baseline as baselines
from pytest_nbsafe.app.discovery import Which, notebooks_in
from pytest_nbsafe.findings import Report


def write_baseline(
    paths: Sequence[Path],
    settings: Mapping[str, Any],
    command: Callable[[Sequence[Path], Mapping[str, Any], Which | None], Report],
    which: Which | None = None,
) -> tuple[Path, int]:
    """Write what a command finds in the notebooks as the baseline, return file and number.

    The command is `check` or `run`. The file is the one that `settings` name, else the one of the
    configuration here, else `nbsafe-baseline.json` in this folder.

    Raises:
        NbsafeError: as for the command, or the file cannot be written.

    """
    here = configs.merge(configs.for_path(Path()), settings, "options")
    file = Path(here.baseline or baselines.DEFAULT)
    report = command(paths, {**settings, "baseline": ""}, which)
    return file, baselines.write(file, notebooks_in(paths, settings, which), report.findings)
