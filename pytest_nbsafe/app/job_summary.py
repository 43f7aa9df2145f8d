"""The summary of a job on GitHub, where a report in the format `github` is written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pytest_nbsafe.errors import NbsafeError
from pytest_nbsafe.findings import Report

_VARIABLE = "GITHUB_STEP_SUMMARY"


def add(report: Report, formats: Iterable[str]) -> None:
    """Add the findings to the summary of the job, if there is one and `github` is a format.

    Raises:
        NbsafeError: its file cannot be written.

    """
    file = os.environ.get(_VARIABLE)
    if not file or "github" not in formats:
        return
    from pytest_nbsafe.reports import github

    try:
        with Path(file).open("a", encoding="utf-8", newline="\n") as summary:
            summary.write(github.summary(report))
    except (OSError, ValueError) as error:
        raise NbsafeError("cannot-write", f"{_VARIABLE}: cannot write {file}: {error}") from error
