"""`--write-baseline` and `--update-baseline`: what is known is written, and what is fixed goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_nbsafe import config as configs
from pytest_nbsafe.app import baseline as baselines
from pytest_nbsafe.app.discovery import Which
from pytest_nbsafe.findings import NotebookReport, Report
from pytest_nbsafe.sentences import many


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
    return file, baselines.write(file, report.notebooks, report.findings)


def update_baseline(report: Report, settings: Mapping[str, Any]) -> Iterator[str]:
    """Take what is fixed out of the baselines of notebooks, yield a line for each file.

    Raises:
        NbsafeError: a file is no baseline, or cannot be written.

    """
    files: dict[str, list[NotebookReport]] = {}
    for notebook in report.notebooks:
        file = configs.of_notebook(Path(notebook.path), settings).baseline
        if file:
            files.setdefault(file, []).append(notebook)
    for file, notebooks in sorted(files.items()):
        gone, left = baselines.without_fixed(Path(file), notebooks)
        yield f"{file} holds {many(left, 'finding')} now; {gone} taken out"
